"""Fixed share: exponential weights that never fall below a floor, so that an expert that was bad can come back."""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import ahead

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # a floor that leaves less to be shared out leaves nothing
_LEAST = 1e-290  # a floor of 0 is this one: weights that vanish, all of them in the end, would never come back
_LARGEST_STEP = 500.0  # e^500 is still a floating-point number


def project(u: Array, floor: float) -> Array:
    """Return the distribution nearest to u, in relative entropy, among those with all entries at least `floor`.

    It is ``max(floor, c u)``, where c makes the sum 1. [S4, spec] The sum is convex and piecewise linear in c; Newton's
    steps from ``c = 1 / sum(u)`` only ever raise entries to the floor, and end on the exact c after as many steps as
    that takes new entries, as a rule one or two. No sorting.

    Parameters
    ----------
    u : ndarray, shape (..., n)
        Weights, at least 0, not all 0.
    floor : float
        In [0, 1/n].

    Returns
    -------
    ndarray, shape (..., n)
    """
    ones = np.ones(u.shape[-1])  # products with it are the fastest sums
    spare = 1 - floor * ones.size
    if spare < _ROUNDING:
        return np.full_like(u, 1 / ones.size)
    w = u / (u @ ones)[..., None]
    above = w >= floor
    count, before = int(np.count_nonzero(above)), above.size
    while count < before:
        kept = above.astype(np.float64)
        c = (spare + floor * (kept @ ones)) / np.vecdot(u, kept)
        w = c[..., None] * u
        above = w >= floor
        count, before = int(np.count_nonzero(above)), count
    return w if count == above.size else np.maximum(w, floor)


def share_floor(n: int, horizon: int, switches: int) -> float:
    """Return the floor S / (N T) of the clipped simplex. [004, Section 5.2]"""
    if not 0 <= switches <= horizon:
        raise InputError(f"fixed share: switches = {switches}: write a whole number from 0 to the horizon {horizon}")
    return switches / (n * horizon)


def tuned_step(n: int, horizon: int, switches: int) -> float:
    """Return the step that makes `dynamic_regret_bound` least, for S at least 1."""
    return math.sqrt(2 * (switches + 1) * math.log(n * horizon / switches) / horizon)


def dynamic_regret_bound(n: int, horizon: int, switches: int, eta: float) -> float:
    """Return ``(S + 1) log(NT / S) / eta + eta T / 2 + S``, for losses in [0, 1] and S at least 1.

    Mirror descent's bound with local norms on each interval of the comparison sequence; the comparator, mixed with
    S/T of the uniform law, loses at most S by that. [004, proof of Theorem B.2 without noise; Lu and Zhang, 2019]
    """
    return (switches + 1) * math.log(n * horizon / switches) / eta + eta * horizon / 2 + switches


class FixedShare:
    """Exponential weights on the clipped simplex ``{w : w >= S / (N T)}``; without privacy.

    ``w_1`` is uniform, ``w_{t+1} = argmin <w, eta l_t> + KL(w || w_t)`` over the clipped simplex, and the expert is
    drawn from ``w_t`` anew each round. [004, Algorithm 3 without noise; Lu and Zhang, 2019]

    Parameters
    ----------
    n, horizon, switches : int
        Number of experts N, rounds T, and how often the comparison sequence may switch, S.
    eta : float
        Step size, from 0 to 500.
    rng : numpy.random.Generator
        For the draws.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    weights : ndarray, shape (1, n) or (repetitions, n)
        The law of the coming round's expert; one row as long as all repetitions saw the same gains.
    """

    def __init__(
        self, n: int, horizon: int, switches: int, eta: float, rng: np.random.Generator, repetitions: int = 1
    ) -> None:
        if not 0 <= eta <= _LARGEST_STEP:
            raise InputError(f"fixed share: eta = {eta}: write a number from 0 to {_LARGEST_STEP:.0f}")
        self.guarantee = PureDP(math.inf, "central")
        self.weights: Array = np.full((1, n), 1 / n)
        self._eta = eta
        self._floor = max(share_floor(n, horizon, switches), _LEAST)
        self._clocks = ahead(rng.standard_exponential, (repetitions, n))

    def predict(self) -> NDArray[np.intp]:
        """Return experts drawn from the weights, shape (repetitions,)."""
        # The first of exponential clocks that go at the rates of the weights.
        return (self.weights / next(self._clocks)).argmax(axis=-1)

    def update(self, gains: Array) -> None:
        """Take in the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        self.tilt(np.exp(self._eta * gains))

    def tilt(self, factors: Array) -> None:
        """Multiply the weights by factors that stand for ``exp(eta * gains)``, and return to the clipped simplex."""
        self.weights = project(self.weights * factors, self._floor)
