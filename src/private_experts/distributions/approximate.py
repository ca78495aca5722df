"""Algorithm 1: each user reports the whole vector of log-likelihoods, each with noise of its own.

[003, Section 4] [mathematics/003.md#algorithm-1]
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.clipping import clip
from private_experts.distributions.composition import composed, coordinate_level
from private_experts.distributions.mixture import ClippedMixture
from private_experts.distributions.scaling import Scaling, Span
from private_experts.distributions.weighted_majority import learning_rate, second_order_bound
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP

Array = NDArray[np.float64]
Rate = Literal["proved", "printed"]


@dataclass(frozen=True)
class NoisyVector:
    """Report the vector of clipped log-likelihoods of a label with Laplace noise on each coordinate.

    Parameters
    ----------
    experts, horizon : int
        Number of distributions K and of rounds T.
    epsilon, delta : float
        Privacy level asked for; epsilon above 0, delta in (0, 1).
    span : {"proved", "printed"}
        Which bound on the span of log-likelihoods sets noise and scaling; see `scaling.log_span`.
        [mathematics/003.md#e003-1]
    rate : {"proved", "printed"}
        The learning rate ``sqrt(2 log K / T)``, which the regret bound needs, or the printed ``sqrt(2 K log K / T)``.
        [mathematics/003.md#e003-2]
    gamma : float, optional
        ``log T`` by default; see `scaling.Scaling`.

    Raises
    ------
    InputError
        When a number is out of its range.

    Notes
    -----
    All coordinates share the cell that the label is mapped to. Given this cell they are independent, so composition
    applies. Averaging over cells keeps the guarantee. [mathematics/003.md#e003-9]
    """

    experts: int
    horizon: int
    epsilon: float
    delta: float
    span: Span = "proved"
    rate: Rate = "proved"
    gamma: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise InputError(f"privacy level delta = {self.delta}: write a number between 0 and 1")
        if not self.epsilon > 0:
            raise InputError(f"privacy level epsilon = {self.epsilon}: write a positive number")
        if self.rate not in ("proved", "printed"):
            raise InputError(f"rate {self.rate!r}: write 'proved' or 'printed'")
        _ = self.scaling  # checks the other parameters

    @cached_property
    def scaling(self) -> Scaling:
        """Noise and scaling of one coordinate."""
        level = coordinate_level(self.experts, self.epsilon, self.delta)
        return Scaling(self.experts, self.horizon, level, self.span, self.gamma)

    @property
    def guarantee(self) -> ApproximateDP:
        """The level that composition proves for the noise in use. It is below half of `epsilon` for the proved span."""
        return ApproximateDP(composed(self.experts, self.scaling.true_level, self.delta), self.delta, "local")

    @property
    def learning_rate(self) -> float:
        """Learning rate of the weights."""
        return learning_rate(self.experts, self.horizon, None if self.rate == "proved" else 1)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk, for the proved span. [mathematics/003.md#theorem-4]"""
        if self.experts == 1:
            return self.scaling.risk_bound(0.0)
        return self.scaling.risk_bound(float(second_order_bound(self.learning_rate, self.experts, self.horizon)))

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> Array:
        """Return private losses (repetitions, K) of labels (repetitions,), given the round's distributions (K, M)."""
        clipped = clip(classes, self.horizon)
        exact = np.log(clipped.values).T[clipped.draw(labels, rng)]
        return self.scaling.losses(exact + self.scaling.laplace(rng, exact.shape), clipped.sizes.size)

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return sums of private losses over many rounds with the same feature; see `interface.Mechanism`."""
        clipped = clip(classes, self.horizon)
        owners = rng.multinomial(rounds, classes[truth] @ clipped.owners)
        noise = self.scaling.total_laplace(rng, np.repeat(rounds[:, None], self.experts, axis=1))
        return self.scaling.losses(owners @ np.log(clipped.values).T + noise, owners.shape[-1], rounds[:, None])

    def learner(self, repetitions: int = 1) -> ClippedMixture:
        """Return a fresh learner for these reports."""
        return ClippedMixture(self.experts, self.horizon, self.learning_rate, self.guarantee, repetitions)
