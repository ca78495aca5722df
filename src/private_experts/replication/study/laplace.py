"""Laplace noise on one number or on two: its Gaussian level. [mathematics/000.md#laplace-level]"""

import math

import numpy as np
from scipy.special import ndtri_exp

from private_experts.arrays import Array
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.validation import plain_numbers, whole

_GRID = 200  # thresholds, between which the largest distance is refined


def errors(threshold: Array | float, epsilon: float, moved: int) -> tuple[Array, Array]:
    """Return the log errors of both kinds of the test that rejects above a privacy loss of `threshold`.

    [mathematics/000.md#laplace-level]

    Each of the `moved` numbers, 1 or 2, moves by ``epsilon / moved``, and gets Laplace noise of scale 1. The
    threshold is at least 0 and below epsilon; those below 0 have the same errors, in exchanged roles.
    """
    moved = whole(moved, "Laplace noise", "moved", most=2)
    above, below = epsilon + np.asarray(threshold), epsilon - np.asarray(threshold)
    if moved == 1:
        return -above / 2 - math.log(2), -below / 2 - math.log(2)
    # Two coordinates: between its atoms the loss has a density with a linear factor.
    return -above / 2 + np.log((2 + below) / 8), -below / 2 + np.log((6 + below) / 8)


@plain_numbers
def gaussian_level(epsilon: float, moved: int) -> float:
    """Return the least mu for which Laplace noise on `moved` numbers, epsilon-DP in all, is mu-GDP.

    It is the largest distance over all thresholds, in units of the normal law, to about ten digits. The level
    that epsilon-DP alone implies is larger: see `private_experts.privacy.to_gaussian`.
    [mathematics/000.md#laplace-level]
    """
    from scipy.optimize import minimize_scalar  # few who import this room need it

    if epsilon in (0, math.inf):
        return epsilon

    def distance(threshold: Array | float) -> Array:
        first, second = errors(threshold, epsilon, moved)
        result: Array = -ndtri_exp(first) - ndtri_exp(second)
        return result

    # A grid first: nothing says that the distance has a single maximum.
    grid = np.linspace(0, epsilon, _GRID)
    best = int(distance(grid).argmax())
    around = (grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)])
    found = minimize_scalar(lambda t: -distance(t), bounds=around, method="bounded")
    # The grid may be better than the refinement, by a rounding.
    return float(max(-found.fun, distance(grid).max()))


def laplace_within(guarantee: GaussianDP, moved: int) -> float:
    """Return the largest epsilon for which Laplace noise on `moved` numbers, epsilon-DP in all, is mu-GDP.

    It is the inverse of `gaussian_level`, and larger than the epsilon of `pure_within`, which serves every
    mechanism. [mathematics/000.md#laplace-level]
    """
    from scipy.optimize import brentq

    pure = pure_within(guarantee).epsilon
    if pure in (0, math.inf):
        return pure
    return float(
        brentq(lambda epsilon: gaussian_level(epsilon, moved) - guarantee.mu, pure / 2, 3 * pure, rtol=1e-12)
    )
