"""Algorithm 1: each user reports the whole vector of log-likelihoods, each with noise of its own."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.label_composition import basic_or_advanced, coordinate_level
from private_experts.distribution_learning.label_counts import label_counts
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.mixture import ClippedMixture
from private_experts.distribution_learning.scaling import Scaling
from private_experts.distribution_learning.weighted_majority import learning_rate, second_order_bound
from private_experts.privacy.guarantees import ApproximateDP, check_guarantee, of_simulated_noise
from private_experts.validation import check_class_shape, check_many_rounds, check_word, checked_number, whole

Rate = Literal["proved", "printed"]


@dataclass(frozen=True)
class NoisyVector:
    """Report the vector of clipped log-likelihoods of a label with Laplace noise on each coordinate.

    [003, Algorithm 1] [mathematics/003.md#algorithm-1]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    guarantee : ApproximateDP
        Local, with a finite epsilon above 0 and delta in (0, 1). It holds for every class of distributions.
        The noise gives even more; see `proved`.
    horizon : int
        Number of rounds T, at least 2.
    rate : {"proved", "printed"}
        The learning rate ``sqrt(2 log K / T)``, which the regret bound needs, or the printed ``sqrt(2 K log K
        / T)``. [mathematics/003.md#e003-2]
    gamma : float, optional
        ``log T`` by default; see `scaling.Scaling`.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Notes
    -----
    All coordinates share the cell that the label maps to. Given this cell they are independent, so
    composition applies. Averaging over cells keeps the guarantee. [mathematics/003.md#e003-9]

    The noise is for the span of log-likelihoods that is proved, not for the printed one.
    [mathematics/003.md#e003-1]

    Examples
    --------
    >>> from private_experts.distribution_learning import NoisyVector
    >>> from private_experts.privacy import ApproximateDP
    >>> mechanism = NoisyVector(3, ApproximateDP(1.0, 1e-5, "local"), horizon=100)
    >>> round(mechanism.scaling.level, 4)  # of each of the three coordinates
    0.0545
    >>> round(mechanism.proved.epsilon, 3)
    0.163
    """

    experts: int
    guarantee: ApproximateDP
    _: KW_ONLY
    horizon: int
    rate: Rate = "proved"
    gamma: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "experts", whole(self.experts, "approximate mechanism", "experts"))
        who = type(self).__name__
        stated = of_simulated_noise(check_guarantee(self.guarantee, who, ApproximateDP, "local"))
        object.__setattr__(self, "guarantee", stated)
        checked_number(f"{who}: epsilon", self.guarantee.epsilon, 0, ends=False)
        checked_number(f"{who}: delta", self.guarantee.delta, 0, 1, ends=False)
        check_word("rate", self.rate, "proved", "printed")
        _ = self.scaling  # checks the other parameters

    @cached_property
    def scaling(self) -> Scaling:
        """Noise and scaling of one coordinate."""
        # The noise of a coordinate is set so that K of them compose to the guarantee. [003, Lemma 3]
        level = coordinate_level(self.experts, self.guarantee.epsilon, self.guarantee.delta)
        return Scaling(self.experts, horizon=self.horizon, level=level, gamma=self.gamma)

    @property
    def proved(self) -> ApproximateDP:
        """What composition proves for the noise in use: an epsilon of at most half of the guarantee's."""
        delta = self.guarantee.delta
        return ApproximateDP(
            basic_or_advanced(self.experts, self.scaling.true_level, delta), delta, "local", simulated=True
        )

    @property
    def learning_rate(self) -> float:
        """Learning rate of the weights."""
        # The printed rate is that of a round that reveals one loss; all K are revealed here.
        return learning_rate(self.experts, self.horizon, None if self.rate == "proved" else 1)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk. [003, Theorem 4] [mathematics/003.md#theorem-4]"""
        if self.experts == 1:
            return self.scaling.risk_bound(0.0)
        return self.scaling.risk_bound(
            float(second_order_bound(self.learning_rate, self.experts, self.horizon))
        )

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Report losses (repetitions, K), all of them noisy. See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts)
        clipped = clip(classes, self.horizon)
        # The user's own cell, drawn before the noise: clipping happens on the device.
        exact = np.log(clipped.values).T[clipped.draw(labels, rng)]
        losses = self.scaling.losses(exact + self.scaling.laplace(rng, exact.shape), clipped.sizes.size)
        return LabelReports(losses, self)

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of private losses over many rounds with one feature. See `Mechanism.total_losses`."""
        check_many_rounds(rounds, truth, self.experts)
        check_class_shape(classes, self.experts)
        clipped = clip(classes, self.horizon)
        # With one feature rounds are exchangeable, so counts of owners stand for all their draws.
        owners = label_counts(rng, rounds, classes[truth] @ clipped.owners)
        noise = self.scaling.total_laplace(rng, np.repeat(rounds[:, None], self.experts, axis=1))
        return self.scaling.losses(
            owners @ np.log(clipped.values).T + noise, owners.shape[-1], rounds[:, None]
        )

    def learner(self, repetitions: int = 1) -> ClippedMixture:
        """Make a fresh learner for these reports. See `Mechanism.learner`."""
        return ClippedMixture(self, repetitions=repetitions)
