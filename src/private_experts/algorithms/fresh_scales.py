"""Scales for `FreshMeta`, and its regret bounds. All are functions of public quantities.

Gains are in [0, 1]. The report of round t carries noise of scale eta_t, and there are m learners, which may
react to past reports. The bounds are on the regret against the best learner in expectation: the largest of
the learners' mean totals, minus the mean total of the choice. Against the best learner in hindsight, the mean
of the largest total, add `hindsight_price`. [mathematics/000.md#theorem-3-fresh]
"""

import functools
import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from private_experts.arrays import Array


def expected_maximum(m: int) -> float:
    """Return the expectation of the largest of m independent standard normals.

    By quadrature; ``1 / sqrt(pi)`` for two. [mathematics/000.md#theorem-3-fresh]
    """
    x, weights = _rule()
    # E max is the integral of P(max > x) - P(max < -x) over x > 0. Beyond 12 that is below 2e-33 m.
    return float(weights @ (1 - ndtr(x) ** m - ndtr(-x) ** m))


def largest_curvature(m: int) -> float:
    """Return a bound on ``v' H v`` for v in [0, 1]^m, with H the Hessian of ``x -> E max_i (x_i + N_i)``.

    It is the smaller one of ``E max N / 2`` and ``(E max N + c) / 4``, with c the integral of the normal
    density's square over the distribution function. [mathematics/000.md#half-divergence]
    """
    x, weights = _rule()
    squares = np.exp(-(x**2)) / (2 * math.pi)
    rest = float(weights @ (squares / ndtr(x) + squares / ndtr(-x)))  # 0.9032
    largest = expected_maximum(m)
    return min(largest / 2, (largest + rest) / 4)


@functools.cache
def _rule() -> tuple[Array, Array]:
    """Return nodes from 0 to 12 and their weights, which take longer to find than the quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    return 6 * (nodes + 1), 6 * weights


def scales_for_horizon(noise_scales: ArrayLike) -> Array:
    """Return s_t for a game whose noise scales are all known beforehand. [mathematics/000.md#fresh-scales]

    ``s_t^2 = s^2 + eta_t^2 + ... + eta_T^2``: a fixed part, and the noise of the reports that are still to
    come. Of all s, the one is taken that minimises `regret_bound` for two or three learners. For more the
    best s is smaller, and its bound hardly is: by 0.9 % for 13 learners, and 2.6 % for a thousand.

    Parameters
    ----------
    noise_scales : array_like, shape (T,)
        Standard deviation eta_t of the noise of each round's report, at least 0. It is public.

    Returns
    -------
    ndarray, shape (T,)
        Standard deviations, which never grow.

    Examples
    --------
    >>> from private_experts.algorithms import scales_for_horizon
    >>> scales_for_horizon([0.5] * 4).round(3).tolist()
    [1.278, 1.176, 1.064, 0.939]
    """
    from scipy.optimize import brentq  # its import takes as long as that of all other algorithms

    # From the back: s_t^2 - s_{t+1}^2 = eta_t^2, so that the terms of growth in `regret_bound` vanish.
    to_come = np.square(np.asarray(noise_scales, dtype=np.float64))[::-1].cumsum()[::-1]

    def slope(square: float) -> float:  # it has the sign of minus the bound's derivative, and falls
        return math.sqrt(square + to_come[0]) * float(((square + to_come) ** -1.5).sum()) / 4 - 1

    most = (to_come.size + 2 * to_come[0]) / 4
    least = 1e-9 * most
    # The bound rises from the start: the noise of the reports alone hides enough.
    if slope(least) <= 0:
        result: Array = np.sqrt(to_come)
        return result
    result = np.sqrt((brentq(slope, least, most) if slope(most) < 0 else most) + to_come)
    return result


def scales_for_any_horizon(noise_scales: Iterable[float]) -> Iterator[float]:
    """Yield s_t, which depends on noise scales up to round t alone: ``s_t^2 = sum_{k<=t} (1/2 + eta_k^2)``.

    [mathematics/000.md#fresh-scales]

    Parameters
    ----------
    noise_scales : iterable of float
        Standard deviation eta_t of the noise of each round's report, at least 0. It may have no end.

    Yields
    ------
    float
        The standard deviation s_t of the coming round.

    Examples
    --------
    >>> from itertools import islice, repeat
    >>> from private_experts.algorithms import scales_for_any_horizon
    >>> [round(scale, 3) for scale in islice(scales_for_any_horizon(repeat(0.5)), 4)]
    [0.866, 1.225, 1.5, 1.732]
    """
    square = 0.0
    for scale in noise_scales:
        square += 0.5 + scale**2
        yield math.sqrt(square)


def regret_bound(scales: ArrayLike, noise_scales: ArrayLike, m: int) -> float:
    """Return the bound on the regret of `FreshMeta` for normal scales that do not depend on the data.

    It is ``E max N`` times ``s_1 + sum_t (sqrt(s_{t+1}^2 + eta_t^2) - s_t)_+``, where N are m standard
    normals and s_{T+1} = 0, and `largest_curvature` times ``sum_t 1/(2 s_t)``. `noise_scales` are the eta_t;
    the bound is in units of the gains. [mathematics/000.md#theorem-3-fresh]
    """
    now, noise = np.asarray(scales, dtype=np.float64), np.asarray(noise_scales, dtype=np.float64)
    # s_{T+1} = 0: after the last round nothing is chosen, so no noise has to be left.
    following = np.append(now[1:], 0.0)
    growth = np.maximum(np.hypot(following, noise) - now, 0.0)
    spread = expected_maximum(m) * float(now[0] + growth.sum())
    return spread + largest_curvature(m) * float((0.5 / now).sum())


def hindsight_price(noise_scales: ArrayLike, m: int) -> float:
    """Return what a bound grows by against the best learner in hindsight: ``E max N`` times the total noise.

    [mathematics/000.md#theorem-3-fresh]
    """
    return expected_maximum(m) * float(np.linalg.norm(np.asarray(noise_scales, dtype=np.float64)))


def gumbel_scales(noise_scales: ArrayLike, m: int) -> tuple[float, Array, float]:
    """Return scales for exponential weights, and the bound on the regret. [mathematics/000.md#fresh-gumbel]

    With ``s_t^2 = eta_t^2 + ... + eta_T^2`` the bound is ``b log m + T/(8 b) + min(E max N s_1, s_1^2/(2
    b))``. Each member of the minimum has its best b; the better of the two is taken.

    Parameters
    ----------
    noise_scales : array_like, shape (T,)
        Standard deviation eta_t of the noise of each round's report, at least 0.
    m : int
        Number of learners, at least 2.

    Returns
    -------
    gumbel : float
        The Gumbel scale b.
    scales : ndarray, shape (T,)
        The normal scales s_t.
    bound : float
        The bound on the expected regret, in units of the gains.

    Examples
    --------
    >>> from private_experts.algorithms import gumbel_scales
    >>> gumbel, scales, bound = gumbel_scales([0.5] * 100, m=13)
    >>> round(gumbel, 2), scales[[0, 99]].tolist(), round(bound, 1)
    (3.12, [5.0, 0.5], 16.0)
    """
    to_come = np.square(np.asarray(noise_scales, dtype=np.float64))[::-1].cumsum()[::-1]
    horizon, total = to_come.size, float(to_come[0])
    price = expected_maximum(m) * math.sqrt(total)

    def bound(b: float) -> float:
        return b * math.log(m) + horizon / (8 * b) + min(price, total / (2 * b))

    # Each member of the minimum makes the bound a sum b A + B / b, which is least at sqrt(B / A).
    best = min(
        (math.sqrt(square / math.log(m)) for square in (horizon / 8, horizon / 8 + total / 2)), key=bound
    )
    return best, np.sqrt(to_come), bound(best)
