"""The baseline: randomised response on labels, unbiased log-likelihoods, weighted majority.

[003, Section 3, remark] [mathematics/003.md#randomised-response]
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.clipping import smooth
from private_experts.distributions.weighted_majority import WeightedMajority, learning_rate, regret_bound
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RandomizedResponse:
    """Report the label itself with probability 1 - eta, and otherwise one of the M - 1 other labels at random.

    With ``eta = 1 / (e^epsilon / (M - 1) + 1)`` this is epsilon-LDP. A function g of the label is estimated by
    ``(g(report) - eta / (M - 1) sum_y g(y)) / c`` with ``c = (e^epsilon - 1) / (e^epsilon + M - 1)``. This is
    unbiased. Here g is minus the log-likelihood of a distribution smoothed with 1/T of the uniform one. Estimates are
    scaled to [0, 1].

    Parameters
    ----------
    labels, experts, horizon : int
        Number of labels M, of distributions K and of rounds T; at least 2, 1 and 2.
    epsilon : float
        Privacy level, above 0 and finite.

    Raises
    ------
    InputError
        When a number is out of its range.

    Notes
    -----
    The learner is tuned for the worst case, like the bound of the remark. A posterior over the noisy labels would learn
    faster where the class is easy.
    """

    labels: int
    experts: int
    horizon: int
    epsilon: float

    def __post_init__(self) -> None:
        if self.labels < 2 or self.experts < 1 or self.horizon < 2:
            raise InputError(
                f"{self.labels} labels, {self.experts} experts, {self.horizon} rounds: write at least 2, 1 and 2"
            )
        if not 0 < self.epsilon < math.inf:
            raise InputError(f"privacy level epsilon = {self.epsilon}: write a positive number")

    @property
    def flip(self) -> float:
        """Probability eta of a false label."""
        return 1 / (math.exp(self.epsilon) / (self.labels - 1) + 1)

    @property
    def contrast(self) -> float:
        """Probability of reporting the true label less that of any other label: ``1 - M eta / (M - 1)``."""
        return math.expm1(self.epsilon) / (math.exp(self.epsilon) + self.labels - 1)

    @property
    def channel(self) -> Array:
        """Law of the report, shape (M, M). Row y is for label y."""
        other = self.flip / (self.labels - 1)
        return np.full((self.labels, self.labels), other) + np.eye(self.labels) * self.contrast

    @property
    def guarantee(self) -> PureDP:
        """The privacy guarantee of a report."""
        return PureDP(self.epsilon, "local")

    @property
    def _width(self) -> float:
        # For minus log-likelihoods in [0, R] with R = log(T M), the unbiased estimates lie in [-eta R / c, R / c].
        return math.log(self.horizon * self.labels) * (1 + self.flip) / self.contrast

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk: ``(1 + eta) log(T M) / c sqrt(2 T log K) - T log(1 - 1/T)``.

        The first term is the regret for losses of that width, the second the cost of smoothing.
        [mathematics/003.md#randomised-response-risk]
        """
        smoothing = -self.horizon * math.log1p(-1 / self.horizon)
        return self._width * regret_bound(self.experts, self.horizon) + smoothing

    def losses(self, classes: Array) -> Array:
        """Return the loss of each distribution for each report, shape (M, K), in [0, 1]."""
        minus_logs = -np.log(smooth(classes, self.horizon).values).T
        unbiased = (minus_logs - self.flip / (self.labels - 1) * minus_logs.sum(axis=0)) / self.contrast
        lowest = -self.flip / self.contrast * math.log(self.horizon * self.labels)
        return np.asarray((unbiased - lowest) / self._width)

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return a reported label for each label (repetitions,). The round's distributions play no role."""
        others = rng.integers(1, self.labels, size=labels.shape)
        lies = rng.random(labels.shape) < self.flip
        return np.where(lies, (labels + others) % self.labels, labels)

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return sums of losses over many rounds with the same feature; see `interface.Mechanism`."""
        return np.asarray(rng.multinomial(rounds, classes[truth] @ self.channel) @ self.losses(classes))

    def learner(self, repetitions: int = 1) -> "ResponseMixture":
        """Return a fresh learner for these reports."""
        return ResponseMixture(self, repetitions)


class ResponseMixture:
    """Predicts the mixture of the smoothed distributions, weighted by their unbiased losses so far.

    Parameters
    ----------
    mechanism : RandomizedResponse
        What the users run.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, mechanism: RandomizedResponse, repetitions: int = 1) -> None:
        self.guarantee = mechanism.guarantee
        self.majority = WeightedMajority(
            mechanism.experts, learning_rate(mechanism.experts, mechanism.horizon), repetitions
        )
        self._mechanism = mechanism
        self._losses = np.zeros((mechanism.labels, mechanism.experts))

    def predict(self, classes: Array) -> Array:
        """Return the predicted distributions, shape (repetitions, M), given the round's distributions (K, M)."""
        self._losses = self._mechanism.losses(classes)
        return smooth(classes, self._mechanism.horizon).predict(self.majority.weights)

    def update(self, reports: NDArray[np.intp]) -> None:
        """Learn from the reported labels, shape (repetitions,), of the round just predicted."""
        self.majority.update(self._losses[reports])
