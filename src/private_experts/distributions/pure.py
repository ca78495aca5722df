"""Algorithm 2: each user reports one randomly chosen coordinate of the log-likelihoods, with noise.

[003, Section 5] [mathematics/003.md#algorithm-2]
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.clipping import clip
from private_experts.distributions.mixture import ClippedMixture
from private_experts.distributions.scaling import Scaling, Span
from private_experts.distributions.weighted_majority import learning_rate, regret_bound
from private_experts.privacy.guarantees import PureDP

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NoisyCoordinate:
    """Report one random coordinate of a label's clipped log-likelihoods, with Laplace noise. The others count as 0.

    Parameters
    ----------
    experts, horizon : int
        Number of distributions K and of rounds T.
    epsilon : float
        Privacy level asked for, above 0; ``inf`` is no privacy.
    span : {"proved", "printed"}
        Which bound on the span of log-likelihoods sets noise and scaling; see `scaling.log_span`.
        [mathematics/003.md#e003-1]
    gamma : float, optional
        ``log T`` by default; see `scaling.Scaling`.

    Raises
    ------
    InputError
        When a number is out of its range.
    """

    experts: int
    horizon: int
    epsilon: float
    span: Span = "proved"
    gamma: float | None = None

    def __post_init__(self) -> None:
        _ = self.scaling  # checks the parameters

    @cached_property
    def scaling(self) -> Scaling:
        """Noise and scaling of the coordinate that is reported."""
        return Scaling(self.experts, self.horizon, self.epsilon, self.span, self.gamma)

    @property
    def guarantee(self) -> PureDP:
        """The level that is proved for every class: `epsilon`, or a little more with the printed span."""
        return PureDP(self.scaling.true_level, "local")

    @property
    def learning_rate(self) -> float:
        """Learning rate ``sqrt(2 K log K / T)`` of the weights."""
        return learning_rate(self.experts, self.horizon, 1)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk, for the proved span. [mathematics/003.md#theorem-5]"""
        return self.scaling.risk_bound(self.experts**0.5 * regret_bound(self.experts, self.horizon))

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> Array:
        """Return private losses (repetitions, K) of labels (repetitions,), given the round's distributions (K, M).

        Only one of the K losses in a row differs from 0.
        """
        clipped = clip(classes, self.horizon)
        rows, shown = np.arange(labels.size), rng.integers(self.experts, size=labels.size)
        exact = np.log(clipped.values[shown, clipped.draw(labels, rng)])
        reports = np.zeros((labels.size, self.experts))
        reports[rows, shown] = self.scaling.losses(exact + self.scaling.laplace(rng, exact.shape), clipped.sizes.size)
        return reports

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return sums of private losses over many rounds with the same feature; see `interface.Mechanism`."""
        return self.totals(rounds, truth, classes, rng)[1]

    def totals(
        self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], Array]:
        """Return how often each coordinate is reported in so many rounds, and what `total_losses` returns."""
        clipped = clip(classes, self.horizon)
        shown = rng.multinomial(rounds, np.full(self.experts, 1 / self.experts))
        owners = rng.multinomial(shown, classes[truth] @ clipped.owners)  # (repetitions, K, M)
        exact = (owners * np.log(clipped.values)).sum(axis=-1)
        noise = self.scaling.total_laplace(rng, shown)
        return shown, self.scaling.losses(exact + noise, owners.shape[-1], shown)

    def learner(self, repetitions: int = 1) -> ClippedMixture:
        """Return a fresh learner for these reports."""
        return ClippedMixture(self.experts, self.horizon, self.learning_rate, self.guarantee, repetitions)
