"""The baseline: randomised response on labels, unbiased log-likelihoods, weighted majority."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.clipping import smooth
from private_experts.distribution_learning.label_counts import label_counts
from private_experts.distribution_learning.label_mechanism import LabelMechanism
from private_experts.distribution_learning.label_mixture import LabelMixture
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.weighted_majority import learning_rate, regret_bound
from private_experts.errors import InputError
from private_experts.validation import check_class_shape, check_many_rounds, checked_indices


@dataclass(frozen=True)
class RandomizedResponse(LabelMechanism):
    """Report the label itself with probability 1 - eta, otherwise one of the M - 1 others at random.

    With ``eta = 1 / (e^epsilon / (M - 1) + 1)`` this is epsilon-LDP. A function g of the label is estimated
    by ``(g(report) - eta / (M - 1) sum_y g(y)) / c`` with ``c = (e^epsilon - 1) / (e^epsilon + M - 1)``. This
    is unbiased. Here g is minus the log-likelihood of a distribution smoothed with 1/T of the uniform one.
    Estimates are scaled to [0, 1]. [003, Section 3, remark] [mathematics/003.md#randomised-response]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    guarantee : PureDP
        Local, with epsilon above 0 and at most 700.
    labels : int
        Number of labels M, at least 2.
    horizon : int
        Number of rounds T, at least 2.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Notes
    -----
    The learner is tuned for the worst case, as is the remark's bound. A posterior over the noisy labels would
    learn faster where the class is easy.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import RandomizedResponse
    >>> from private_experts.privacy import PureDP
    >>> mechanism = RandomizedResponse(2, PureDP(1.0, "local"), labels=4, horizon=100)
    >>> round(mechanism.flip, 4)  # the probability of a false label
    0.5246
    >>> classes = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])
    >>> mechanism.privatize(np.array([0, 0, 0, 0]), classes, np.random.default_rng(1)).values.tolist()
    [2, 0, 3, 3]
    """

    @property
    def flip(self) -> float:
        """Probability eta of a false label."""
        return 1 / (math.exp(self.guarantee.epsilon) / (self.labels - 1) + 1)

    @property
    def contrast(self) -> float:
        """Probability of reporting the true label less that of any other label: ``1 - M eta / (M - 1)``."""
        epsilon = self.guarantee.epsilon
        # expm1: at small epsilon the contrast is about epsilon / M, and a difference would lose its digits.
        return math.expm1(epsilon) / (math.exp(epsilon) + self.labels - 1)

    @cached_property
    def channel(self) -> Array:
        """Law of the report, shape (M, M). Row y is for label y."""
        other = self.flip / (self.labels - 1)
        channel = np.full((self.labels, self.labels), other) + np.eye(self.labels) * self.contrast
        channel.flags.writeable = False
        return channel

    @property
    def _width(self) -> float:
        # For minus log-likelihoods in [0, R] with R = log(T M), the unbiased estimates lie in [-eta R / c, R
        # / c].
        return math.log(self.horizon * self.labels) * (1 + self.flip) / self.contrast

    @property
    def learning_rate(self) -> float:
        """Learning rate ``sqrt(2 log K / T)`` of the weights."""
        return learning_rate(self.experts, self.horizon)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected KL risk: ``(1 + eta) log(T M) / c sqrt(2 T log K) - T log(1 - 1/T)``."""
        smoothing = -self.horizon * math.log1p(-1 / self.horizon)
        return self._width * regret_bound(self.experts, self.horizon) + smoothing

    def losses(self, classes: Array) -> Array:
        """Return the loss of each distribution for each report, a row, shape (M, K), in [0, 1]."""
        check_class_shape(classes, self.experts, self.labels)
        minus_logs = -np.log(smooth(classes, self.horizon).values).T
        # Unbiased for the loss of the true label: the channel's inverse applied to the losses.
        unbiased = (minus_logs - self.flip / (self.labels - 1) * minus_logs.sum(axis=0)) / self.contrast
        lowest = -self.flip / self.contrast * math.log(self.horizon * self.labels)
        return np.asarray((unbiased - lowest) / self._width)

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Report a label (repetitions,) for each label. See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts, self.labels)
        labels = checked_indices("labels", labels, self.labels)
        # A shift by 1 to M - 1, modulo M: uniform among the other labels without a second try.
        others = rng.integers(1, self.labels, size=labels.shape)
        # Drawn for everyone, so that a report takes as many random numbers whether it is false or not.
        flipped = rng.random(labels.shape) < self.flip
        return LabelReports(np.where(flipped, (labels + others) % self.labels, labels), self)

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of losses over many rounds with the same feature. See `Mechanism.total_losses`."""
        check_many_rounds(rounds, truth, self.experts)
        losses = self.losses(classes)
        return np.asarray(label_counts(rng, rounds, classes[truth] @ self.channel) @ losses)

    def mixture(self, weights: Array, classes: Array) -> Array:
        """Return what is predicted, the mixture of the smoothed distributions, shape (repetitions, M)."""
        return smooth(classes, self.horizon).predict(weights)

    def reported_losses(self, values: Indices, classes: Array, repetitions: int) -> Array:
        """Return the losses (repetitions, K) of reports (repetitions,), which are checked."""
        losses = self.losses(classes)
        values = checked_indices("reports", values, len(losses))
        if len(values) != repetitions:
            raise InputError(f"{len(values)} reports: write one for each of {repetitions} repetitions")
        return np.asarray(losses[values])

    def learner(self, repetitions: int = 1) -> LabelMixture:
        """Make a fresh learner for these reports. See `Mechanism.learner`."""
        return LabelMixture(self, repetitions=repetitions)
