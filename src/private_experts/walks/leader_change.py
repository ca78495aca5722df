"""How likely a Gaussian random walk is to change its leader: Theorem 1 of paper 000, and its inverse.

A walk of B steps N(0, eta^2 I_n) starts with gap k, the largest coordinate minus the second largest. The
probability that another coordinate ever takes the lead is at most

    P(beta) = 2 Phi(-sqrt2 beta) + 2 sqrt(pi) phi(beta) (Phi(beta) - Phi(-beta)),
    beta    = k / (eta sqrt(2 B)) - sqrt(log(2n - 2)),

and at most 1 where beta <= 0. [000, Theorem 1] [mathematics/000.md#theorem-1]

The same formula, with k - x in the place of k, bounds the probability that the gap ever falls below x. If
true gains can shrink the gap by up to rho in a step, k - rho B takes the place of k. A leader that would
still be ahead after losing all of rho B is ahead all along. [mathematics/000.md#drift]

Written with error functions, ``P(beta) = erfc(beta) + sqrt2 exp(-beta^2 / 2) erf(beta / sqrt2)``. Its slope
is ``-sqrt2 beta exp(-beta^2 / 2) erf(beta / sqrt2)``. So P falls from 1 to 0, flat at first (like 1 - 0.376
beta^3).
"""

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, log_ndtr

from private_experts.arrays import Array
from private_experts.errors import InputError

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator


_LEAST = 1e-300  # the smallest probability in the table of the fast inverse
_KNOTS = 8193


def log_bound(beta: ArrayLike) -> Array:
    """Return log P(beta), elementwise; 0 where beta <= 0, where the theorem says nothing. [000, Theorem 1]

    The relative error of P is below 1e-12 down to P = 1e-300. The logarithm stays finite far below.
    """
    x = np.maximum(np.asarray(beta, dtype=float), 0.0)
    with np.errstate(divide="ignore", under="ignore"):
        # Both terms in logarithms: at the tolerances of long games the plain sum is far below the smallest
        # float.
        leader_falls = math.log(2) + log_ndtr(-math.sqrt(2) * x)
        another_rises = 0.5 * math.log(2) - x**2 / 2 + np.log(erf(x / math.sqrt(2)))
        result: Array = np.minimum(np.logaddexp(leader_falls, another_rises), 0.0)
        return result


def bound(beta: ArrayLike) -> Array:
    """Return P(beta), elementwise; 1 where beta <= 0. [000, Theorem 1]

    Parameters
    ----------
    beta : array_like
        From `argument`.

    Returns
    -------
    ndarray
        Probabilities, of the shape of `beta`.

    Examples
    --------
    How likely a lead of 30 is lost within 50 reports with noise of standard deviation 1, at most:

    >>> from private_experts.walks.leader_change import argument, bound
    >>> f"{float(bound(argument(30.0, eta=1.0, steps=50, n=5))):.1e}"
    '4.0e-01'
    """
    return np.exp(log_bound(beta))


def decline(beta: ArrayLike) -> Array:
    """Return -P'(beta), elementwise; 0 where beta <= 0. It is a density. [000, Theorem 1]"""
    x = np.maximum(np.asarray(beta, dtype=float), 0.0)
    result: Array = math.sqrt(2) * x * np.exp(-(x**2) / 2) * erf(x / math.sqrt(2))
    return result


def argument(k: ArrayLike, eta: ArrayLike, steps: ArrayLike, n: int, rho: float = 0.0) -> Array:
    """Return the beta at which P bounds a change of leader in so many steps, elementwise. [000, Theorem 1]

    `k` is the gap at the start; or k - x, when the question is whether it ever falls below x. `eta` is the
    standard deviation of a step in each coordinate, or an upper bound on it, and `rho` the most by which true
    gains shrink the gap in a step. Without noise or without steps beta is infinite: positive if ``k > rho *
    steps``, else negative. A gap that can shrink to a tie counts as lost, because ties may go to another
    coordinate.
    """
    size = np.asarray(steps, dtype=float)
    margin = np.asarray(k, dtype=float) - rho * size
    spread = np.asarray(eta, dtype=float) * np.sqrt(2 * size)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Without noise the answer is certain either way, and 0 / 0 at a tie must count as lost.
        ratio = np.where(spread > 0, margin / spread, np.where(margin > 0, np.inf, -np.inf))
    return ratio - math.sqrt(math.log(2 * n - 2))


def solve(log_p: ArrayLike) -> Array:
    """Return the beta >= 0 with log P(beta) = log_p, elementwise, by bisection to machine precision.

    Near P = 1 the inverse is steep: a relative error e of P moves beta by up to about (2.7 e)^(1/3).
    [000, Appendix A.3]
    """
    # By bisection and not by Newton: P is flat at 0, where its derivative vanishes.
    target = np.asarray(log_p, dtype=float)
    low = np.zeros_like(target)
    high = np.sqrt(2 * (1 - target))  # P(beta) < exp(1 - beta^2 / 2)
    for _ in range(60):
        middle = (low + high) / 2
        below = log_bound(middle) <= target
        low, high = np.where(below, low, middle), np.where(below, middle, high)
    result: Array = high
    return result


def inverse_exact(p: ArrayLike) -> Array:
    """Return beta >= 0 with P(beta) = p in [1e-300, 1], elementwise, by root finding. [000, Appendix A.3]"""
    return solve(np.log(_probability(p)))


def look_up(log_p: ArrayLike) -> Array:
    """Return the beta >= 0 with log P(beta) = log_p, elementwise, from a table. [000, Appendix A.3]

    A monotone cubic through 8193 exact points, with an error below 1e-6. Probabilities outside the table,
    from 1e-300 to 1, are replaced by its nearest end.
    """
    inside = np.minimum(np.maximum(np.asarray(log_p, dtype=float), math.log(_LEAST)), 0.0)
    result: Array = _table()(np.cbrt(-inside))
    return result


@functools.cache
def _table() -> "PchipInterpolator":
    # takes as long to import as all else that the algorithms need
    from scipy.interpolate import PchipInterpolator

    # In the cube root of -log P, beta is nearly straight at 0 (-log P = 0.376 beta^3 there) and smooth
    # everywhere.
    beta = np.linspace(0.0, float(solve(math.log(_LEAST))) + 1e-3, _KNOTS)
    return PchipInterpolator(np.cbrt(-log_bound(beta)), beta)


def _probability(p: ArrayLike) -> Array:
    chances = np.asarray(p, dtype=float)
    if not np.all((chances >= _LEAST) & (chances <= 1)):
        raise InputError(f"probabilities must lie in [{_LEAST}, 1], got {chances.min()} to {chances.max()}")
    return chances
