"""How a clipped log-likelihood becomes a private loss in [0, 1]: span, noise, shift and factor."""

import math
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Ints
from private_experts.errors import InputError
from private_experts.validation import as_float, check_word, checked_number, whole

Span = Literal["proved", "printed"]


def log_span(experts: int, horizon: int, span: Span = "proved") -> float:
    """Return a bound on the difference of two clipped log-likelihoods of one round. [003, equation 7]"""
    experts = whole(experts, "scaling", "experts")
    horizon = whole(horizon, "scaling", "horizon", least=2, most=None)
    check_word("span", span, "proved", "printed")
    # (K + 1) T is proved; the printed K T is short of the cells that rounding up adds. [003.md#clipping]
    return math.log((experts + (span == "proved")) * horizon)


@dataclass(frozen=True)
class Scaling:
    """Laplace noise on log-likelihoods, and the affine map to losses in [0, 1]. [003, equations 8-9, 12-13]

    A loss is ``-c (log-likelihood + noise + log M - c')`` with ``c' = b (gamma + log K + log T)`` and ``c = 1
    / (span + 2 c')``. With probability at least ``1 - e^-gamma`` all losses of T rounds and K coordinates are
    in [0, 1]. A level of inf means no noise, and gamma is ``log T`` by default. With the printed span the
    noise is too small for the level; see `true_level`. [mathematics/003.md#reports-in-range]
    """

    experts: int
    _: KW_ONLY
    horizon: int
    level: float
    span: Span = "proved"
    gamma: float | None = None

    def __post_init__(self) -> None:
        check_word("span", self.span, "proved", "printed")
        level = as_float(self.level)
        if not level > 0:
            raise InputError(
                f"privacy level epsilon = {self.level!r}: write a positive number, or inf for no privacy"
            )
        object.__setattr__(self, "level", level)
        object.__setattr__(self, "experts", whole(self.experts, "scaling", "experts"))
        object.__setattr__(self, "horizon", whole(self.horizon, "scaling", "horizon", least=2, most=None))
        if self.gamma is not None:
            object.__setattr__(self, "gamma", checked_number("gamma", self.gamma, ends=False))

    @cached_property
    def width(self) -> float:
        """The bound on the span of log-likelihoods that sets the scaling."""
        return log_span(self.experts, self.horizon, self.span)

    @cached_property
    def noise(self) -> float:
        """Scale b of the Laplace noise."""
        return self.width / self.level

    @cached_property
    def shift(self) -> float:
        """The shift c', which noise exceeds in some round and coordinate with chance at most e^-gamma."""
        gamma = math.log(self.horizon) if self.gamma is None else self.gamma
        return self.noise * (gamma + math.log(self.experts) + math.log(self.horizon))

    @cached_property
    def factor(self) -> float:
        """The factor c that turns differences of log-likelihoods into differences of losses."""
        return 1 / (self.width + 2 * self.shift)

    @property
    def true_level(self) -> float:
        """Privacy level that is proved for one noisy log-likelihood, for every class."""
        return self.level * log_span(self.experts, self.horizon) / self.width

    def losses(self, log_likelihoods: ArrayLike, labels: int, rounds: ArrayLike = 1) -> Array:
        """Turn noisy log-likelihoods, sums over so many rounds, into sums of losses; M = `labels`."""
        # log M makes log-likelihoods of a uniform law about 0, and the shift leaves room for noise.
        shifted = np.asarray(log_likelihoods) + np.asarray(rounds) * (math.log(labels) - self.shift)
        return np.asarray(-self.factor * shifted)

    def laplace(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw independent Laplace noise of the scale `noise`."""
        return rng.laplace(scale=self.noise, size=shape)

    def total_laplace(self, rng: np.random.Generator, rounds: Ints) -> Array:
        """Draw sums of `rounds` Laplace variables, entry by entry, as differences of Gamma variables."""
        # A Laplace variable is a difference of two exponentials, and sums of exponentials are Gamma.
        return self.noise * (rng.standard_gamma(rounds) - rng.standard_gamma(rounds))

    def risk_bound(self, regret: float) -> float:
        """Return the bound on the expected KL risk that follows from a bound on the regret in losses.

        It is ``regret / c + 3 span + e^-gamma T span``, for the proved span. The second term is the cost of
        clipping, the third that of noise beyond the shift. `regret` bounds the expected regret for losses in
        [0, 1]. [003, Lemmas 5 and 8, Theorem 4] [mathematics/003.md#theorem-4]
        """
        # By default e^-gamma = 1 / T, so noise beyond the shift costs one span in all.
        miss = 1.0 if self.gamma is None else math.exp(-self.gamma) * self.horizon
        return regret / self.factor + (3 + miss) * self.width
