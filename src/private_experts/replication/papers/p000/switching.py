"""How often the leader of a Gaussian walk with equal means changes: the exact law of a step, and its sum.

After t steps (the starting vector counted as one) the walk is sqrt(t) X, X ~ N(0, I_n), and one step later
sqrt(t+1) Y. Each pair (X_i, Y_i) is bivariate normal with correlation cos a, a = arctan(1 / sqrt t). So the
leader stays with probability n E[Phi_a(X_1, Y_1)^(n-1)], Phi_a the joint distribution function. The scale of
the noise cancels. [mathematics/000.md#switch-law]

For n = 2 the leader changes with probability a / pi. For any n it changes with probability at most a f_n(0) /
sqrt(pi), f_n the density of the gap: turn by a / k, k times. [mathematics/000.md#switch-count]
"""

import math
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, owens_t

from private_experts.arrays import Array
from private_experts.validation import whole
from private_experts.walks.gap import density

_REACH, _STEP = 8.5, 0.17  # of the trapezoidal rule, in standard deviations; halving the step changes nothing
_NODES = 24  # of the interpolation in 1 / sqrt t
_BLOCK = 16384  # rounds whose chances are computed together


def change_probability(steps: ArrayLike, n: int) -> Array:
    """Return the probability that the leader changes with the next step, elementwise, for n equal means.

    [mathematics/000.md#switch-law]

    The first vector counts as a step. Relative errors are below 1e-7 up to 10^8 steps, for n up to 1000.
    """
    n = whole(n, "lead", "number of experts", least=2)
    angles = np.arctan(1 / np.sqrt(np.asarray(steps, dtype=np.float64)))
    # The difference of two coordinates moves in one plane, and its sign changes with a chance of a / pi.
    if n == 2:
        return np.asarray(angles / math.pi)
    return np.array([_turned(float(angle), n) for angle in angles.ravel()]).reshape(angles.shape)


def _turned(angle: float, n: int) -> float:
    """Return the probability that X and its turn cos(angle) X + sin(angle) X' have different leaders.

    X leads at x while its turn is at y. The integrand is the chance that the others stay below x, less the
    chance that they also stay below y afterwards.
    """
    weight, below, stays = _one_other(angle)
    # Phi^(n-1) - (Phi - crossing)^(n-1), without the cancellation
    lost = below ** (n - 1) * -np.expm1((n - 1) * stays)
    return float(n * (weight * lost).sum())


@lru_cache(2 * _NODES)  # so that the polynomials of all n share what takes longest
def _one_other(angle: float) -> tuple[Array, Array, Array]:
    """Return weights of x and y, and another expert's P(below x) and log P(not above y then | below x).

    The half-angle makes x and y from two independent normals.
    """
    # The trapezoidal rule converges faster than any power for a Gaussian on the whole line.
    grid = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
    u, v = np.meshgrid(grid, grid, indexing="ij")
    middle, apart = math.cos(angle / 2) * u, math.sin(angle / 2) * v
    x, y = middle + apart, middle - apart
    weight = np.exp(-(u**2 + v**2) / 2) * _STEP**2 / (2 * math.pi)
    below = ndtr(x)
    share = np.minimum(_below_then_above(x, y, angle) / np.maximum(below, 1e-300), 1.0)
    with np.errstate(divide="ignore"):
        found = weight, below, np.log1p(-share)
    for shared in found:
        shared.flags.writeable = False
    return found


def _below_then_above(x: Array, y: Array, angle: float) -> Array:
    """Return P(Z < x, Z' > y) for standard normals with correlation cos(angle), by Owen's T function."""
    sine, cosine = math.sin(angle), math.cos(angle)
    # Owen's formula divides by x and y; a step of 1e-300 keeps the sign without moving the value.
    x = np.where(x == 0, 1e-300, x)
    y = np.where(y == 0, 1e-300, y)
    # P(Z < x, Z' < y) = (Phi(x) + Phi(y) - [x y < 0]) / 2 - T(x, (y - c x)/(s x)) - T(y, (x - c y)/(s y))
    # [Owen 1956]
    joint = (ndtr(x) + ndtr(y) - (x * y < 0)) / 2
    joint -= owens_t(x, (y - cosine * x) / (sine * x)) + owens_t(y, (x - cosine * y) / (sine * y))
    result: Array = np.clip(ndtr(x) - joint, 0.0, 1.0)
    return result


def expected_changes(rounds: int, n: int) -> float:
    """Return how often the leader changes in expectation within so many rounds, for n equal means.

    A round is played before its step, so T rounds have T - 1 steps between them.
    [mathematics/000.md#switch-law]
    """
    inverse = 1 / np.sqrt(np.arange(1.0, rounds))
    if n == 2:
        return float(np.arctan(inverse).sum() / math.pi)
    series, chances = _series(n), np.empty_like(inverse)
    for start in range(0, inverse.size, _BLOCK):  # a block stays in the processor's cache
        block = slice(start, start + _BLOCK)
        chances[block] = inverse[block] * series(inverse[block])
    return float(chances.sum())


@cache
def _series(n: int) -> np.polynomial.Chebyshev:
    """Return sqrt t P(a change after t steps), as a polynomial in 1 / sqrt t from 0 to 1."""
    # Chebyshev nodes in 1 / sqrt t, in which the chance is smooth from infinitely many steps down to one.
    nodes = (1 - np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)) / 2
    return np.polynomial.Chebyshev.fit(
        nodes, change_probability(nodes**-2, n) / nodes, _NODES - 1, domain=[0, 1]
    )


def most_changes(rounds: int, n: int, noise_scale: float = math.inf) -> float:
    """Return a bound on the expected changes of leader within so many rounds, whatever the gains in [0, 1].

    [mathematics/000.md#switch-count]

    It is ``f_n(0) (2 / sqrt(pi) + 3 / (2 eta)) sqrt(T)``, at most ``(2 / sqrt(pi) + 3 / (2 eta)) sqrt(2 T log
    n)``. A noise scale eta of infinity stands for equal means, where gains do not matter.
    """
    return float(density(0.0, n)) * (2 / math.sqrt(math.pi) + 1.5 / noise_scale) * math.sqrt(rounds)
