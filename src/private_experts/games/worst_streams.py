"""Streams that are as bad as can be found for a perturbed leader, and its exact expected regret on them.

The player follows the leader of totals with noise N(0, s_t^2 I) in round t: s_t = eta sqrt(t) for RW-FTPL, a constant
for the tree. Against gains that are fixed in advance only these laws matter, and the expected regret is a sum of
Gaussian probabilities. For two experts it depends on the lead alone, so dynamic programming finds the worst stream.
For more experts a family of streams is searched. [mathematics/000.md#worst-streams]
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline
from scipy.special import log_ndtr, ndtr

from private_experts.arrays import Array

_SURE = 14.0  # a lead of as many standard deviations is never lost, to 1e-20
_KNOTS = 400


def regret_of_leads(leads: Array, scales: Array) -> float:
    """Return the expected regret for two experts on a stream. [mathematics/000.md#worst-streams]

    Parameters
    ----------
    leads : ndarray, shape (T,)
        Each round's gain of expert 1 minus that of expert 2.
    scales : ndarray, shape (T,)
        Standard deviation of the noise of each total, before each round's play; positive.

    Returns
    -------
    float
        In units of the gains.

    Examples
    --------
    Four rounds of RW-FTPL with noise 1. Expert 1 gains in all of them, or expert 2 catches up:

    >>> import numpy as np
    >>> from private_experts.games.worst_streams import regret_of_leads
    >>> scales = np.sqrt(np.arange(1, 5))
    >>> [round(regret_of_leads(np.array(leads), scales), 3) for leads in ([1, 1, 1, 1], [1, 1, -1, -1])]
    [1.16, 0.24]
    """
    total = np.cumsum(leads)
    before = np.concatenate([[0.0], total[:-1]])
    return float(max(total[-1], 0.0) - leads @ ndtr(before / (math.sqrt(2) * scales)))


def worst_leads(scales: Array, parts: int = 1) -> Array:
    """Return the stream for two experts whose expected regret is largest. [mathematics/000.md#worst-streams]

    Dynamic programming backwards over the total lead. The first of several best moves is taken.

    Parameters
    ----------
    scales : ndarray, shape (T,)
        Standard deviation of the noise of each total, before each round's play; positive.
    parts : int
        Leads are multiples of ``1 / parts``. With 1 the gains are 0 or 1. The cost grows like ``T^2 parts^2``.

    Returns
    -------
    ndarray, shape (T,)
        Each round's gain of expert 1 minus that of expert 2.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.worst_streams import regret_of_leads, worst_leads
    >>> scales = np.sqrt(np.arange(1, 13))
    >>> leads = worst_leads(scales)
    >>> leads.astype(int).tolist(), round(regret_of_leads(leads, scales), 3)
    ([-1, 1, -1, 1, -1, 1, -1, -1, -1, -1, -1, -1], 2.265)
    """
    horizon = len(scales)
    reach = horizon * parts
    total = np.arange(-reach, reach + 1) / parts
    moves = np.arange(-parts, parts + 1)
    value = np.maximum(total, 0.0)
    chosen = np.zeros((horizon, total.size), dtype=np.int8)
    for t in range(horizon - 1, -1, -1):
        inside = slice(reach - t * parts, reach + t * parts + 1)  # the totals that t rounds can reach
        play = ndtr(total[inside] / (math.sqrt(2) * scales[t]))
        then = np.lib.stride_tricks.sliding_window_view(value[inside.start - parts : inside.stop + parts], moves.size)
        worth = then - play[:, None] * (moves / parts)
        best = worth.argmax(axis=1)
        chosen[t, inside] = moves[best]
        value[inside] = np.take_along_axis(worth, best[:, None], axis=1)[:, 0]
    place, leads = reach, np.zeros(horizon)
    for t in range(horizon):
        leads[t] = chosen[t, place] / parts
        place += int(chosen[t, place])
    return leads


def seesaw_then_rise(n: int, horizon: int, rise: int) -> Array:
    """Return the stream of `regret_of_rise`: two halves of the experts gain in turn, then expert 0 alone.

    [mathematics/000.md#worst-streams]

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    horizon : int
        Number of rounds T.
    rise : int
        Number of rounds at the end in which expert 0 alone gains, 0 to T.

    Returns
    -------
    ndarray, shape (T, n)

    Examples
    --------
    >>> from private_experts.games.worst_streams import seesaw_then_rise
    >>> seesaw_then_rise(n=3, horizon=4, rise=2).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    gains = np.zeros((horizon, n))
    seesaw = horizon - rise
    gains[0:seesaw:2, : n // 2] = 1.0
    gains[1:seesaw:2, n // 2 :] = 1.0
    gains[seesaw:, 0] = 1.0
    return gains


def regret_of_rise(n: int, scales: Array, rise: int) -> float:
    """Return the expected regret on `seesaw_then_rise`, by quadrature. [mathematics/000.md#worst-streams]

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    scales : ndarray, shape (T,)
        Standard deviation of the noise of each total, before each round's play; positive.
    rise : int
        Number of rounds at the end in which expert 0 alone gains. The number of rounds before them is even.

    Returns
    -------
    float
        In units of the gains.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.worst_streams import regret_of_rise
    >>> scales = np.sqrt(np.arange(1, 101))  # 100 rounds of RW-FTPL with noise 1
    >>> [round(regret_of_rise(8, scales, rise), 2) for rise in (0, 50, 100)]
    [3.61, 14.75, 4.2]
    """
    seesaw, half = len(scales) - rise, n // 2
    ahead = np.minimum(1 / scales[1:seesaw:2], _SURE)  # the first half leads by 1 when the second half gains
    second = (n - half) * _tabled(lambda shift: _mean_of_powers([(0.0, n - half - 1), (-shift, half)]), ahead)
    lead = np.minimum(np.arange(rise) / scales[seesaw:], _SURE)
    lone = _tabled(lambda shift: _mean_of_powers([(shift, n - 1)]), lead)
    pairs = seesaw // 2
    return float(pairs - pairs * half / n - second.sum() + (1 - lone).sum())


def worst_rise(n: int, scales: Array, candidates: int = 10) -> int:
    """Return the rise with the largest regret, of some from a share of the horizon to all of it.

    [mathematics/000.md#worst-streams]

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    scales : ndarray, shape (T,)
        Standard deviation of the noise of each total, before each round's play; positive.
    candidates : int
        How many rises to try, from 2 % of the horizon on.

    Returns
    -------
    int
        Number of rounds at the end in which expert 0 alone gains.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.worst_streams import regret_of_rise, worst_rise
    >>> scales = np.sqrt(np.arange(1, 101))
    >>> rise = worst_rise(8, scales)
    >>> rise, round(regret_of_rise(8, scales, rise), 2)
    (26, 16.3)
    """
    horizon = len(scales)
    rises = np.unique((horizon * np.geomspace(0.02, 1.0, candidates)).astype(int))
    rises = np.unique(rises - (horizon - rises) % 2)
    regrets = [regret_of_rise(n, scales, int(rise)) for rise in rises if rise >= 0]
    return int(rises[np.argmax(regrets)])


def _tabled(function: Callable[[Array], Array], at: Array) -> Array:
    """Return a smooth function's values, from a cubic spline with an error below 1e-7."""
    values, where = np.unique(at, return_inverse=True)
    if values.size <= _KNOTS:
        return function(values)[where]
    knots = np.linspace(at.min(), at.max(), _KNOTS)
    return np.asarray(CubicSpline(knots, function(knots))(at))


def _mean_of_powers(factors: list[tuple[ArrayLike, int]], points: int = 161) -> Array:
    """Return E prod_j Phi(N + shift_j)^power_j for a standard normal N, elementwise in the shifts."""
    x, step = np.linspace(-9.0, 9.0, points, retstep=True)
    log = -(x**2) / 2 - math.log(math.sqrt(2 * math.pi))
    for shift, power in factors:
        log = log + power * log_ndtr(x + np.asarray(shift, dtype=float)[..., None])
    return np.asarray(step * np.exp(log).sum(axis=-1))
