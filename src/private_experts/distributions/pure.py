"""Algorithm 2: each user reports the log-likelihood of one random distribution, with noise. [003, Section 5]"""

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
    """Report one random coordinate of the clipped log-likelihoods of a label, with Laplace noise; the rest is 0.

    Parameters
    ----------
    experts, horizon : int
        Number of distributions K and of rounds T.
    epsilon : float
        Privacy asked for, above 0; ``inf`` is no privacy.
    span : {"proved", "printed"}
        Bound on the span of log-likelihoods that noise and scaling go by; see `scaling.log_span`. [E003-1]
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
        _ = self.scaling  # says what is wrong

    @cached_property
    def scaling(self) -> Scaling:
        """Noise and scaling of the coordinate that is reported."""
        return Scaling(self.experts, self.horizon, self.epsilon, self.span, self.gamma)

    @property
    def guarantee(self) -> PureDP:
        """What the noise provably gives for every class: `epsilon`, and a little more with the printed span."""
        return PureDP(self.scaling.true_level, "local")

    @property
    def learning_rate(self) -> float:
        """Learning rate ``sqrt(2 K log K / T)`` of the weights."""
        return learning_rate(self.experts, self.horizon, 1)

    @property
    def risk_bound(self) -> float:
        """The expected total KL risk is at most this, for the proved span. [003, Lemmas 7 and 8, Theorem 5]"""
        return self.scaling.risk_bound(self.experts**0.5 * regret_bound(self.experts, self.horizon))

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> Array:
        """Return private losses of labels (repetitions,) under a round's distributions (K, M), shape (repetitions, K).

        One of the K losses is not 0.
        """
        clipped = clip(classes, self.horizon)
        rows, shown = np.arange(labels.size), rng.integers(self.experts, size=labels.size)
        exact = np.log(clipped.values[shown, clipped.draw(labels, rng)])
        reports = np.zeros((labels.size, self.experts))
        reports[rows, shown] = self.scaling.losses(exact + self.scaling.laplace(rng, exact.shape), clipped.sizes.size)
        return reports

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return sums of private losses over many rounds with one feature; see `interface.Mechanism`."""
        clipped = clip(classes, self.horizon)
        shown = rng.multinomial(rounds, np.full(self.experts, 1 / self.experts))
        owners = rng.multinomial(shown, classes[truth] @ clipped.owners)  # (repetitions, K, M)
        exact = (owners * np.log(clipped.values)).sum(axis=-1)
        noise = self.scaling.total_laplace(rng, shown)
        return self.scaling.losses(exact + noise, owners.shape[-1], shown)

    def learner(self, repetitions: int = 1) -> ClippedMixture:
        """Return a fresh learner for these reports."""
        return ClippedMixture(self.experts, self.horizon, self.learning_rate, self.guarantee, repetitions)
