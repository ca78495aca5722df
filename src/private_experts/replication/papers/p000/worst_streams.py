"""Streams of gains on which the expected regret is as large as can be found.

The worst streams are those for a player who follows the leader of totals with noise N(0, s_t^2 I) in round t:
s_t = eta sqrt(t) for RW-FTPL, a constant for the tree. Against gains that are fixed in advance only these
laws matter, and the expected regret is a sum of Gaussian probabilities. For two experts it depends on the
lead alone, so dynamic programming finds the worst stream. For more experts a family of streams is searched.
[mathematics/000.md#worst-streams]
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array

_SURE = 14.0  # a lead of as many standard deviations is never lost, to 1e-20
_KNOTS = 400


def regret_of_leads(leads: Array, scales: Array) -> float:
    """Return the expected regret for two experts, in units of the gains. [mathematics/000.md#worst-streams]

    A lead (T,) is a round's gain of expert 1 minus that of expert 2, and a scale (T,) the standard deviation
    of the noise of each total before the round's play.
    """
    from scipy.special import ndtr  # few who import this module need it

    total = np.cumsum(leads)
    before = np.concatenate([[0.0], total[:-1]])
    # Expert 1 is played with the probability that its noisy lead is positive; two noises, hence the root of
    # 2.
    return float(max(total[-1], 0.0) - leads @ ndtr(before / (math.sqrt(2) * scales)))


def worst_leads(scales: Array, parts: int = 1) -> Array:
    """Return the stream for two experts whose expected regret is largest. [mathematics/000.md#worst-streams]

    Dynamic programming backwards over the total lead. The first of several best moves is taken. Leads, shape
    (T,), are multiples of ``1 / parts``, and the cost grows like ``T^2 parts^2``.
    """
    from scipy.special import ndtr

    horizon = len(scales)
    reach = horizon * parts
    total = np.arange(-reach, reach + 1) / parts
    value = np.maximum(total, 0.0)
    chosen = np.zeros((horizon, total.size), dtype=np.int8)
    for t in range(horizon - 1, -1, -1):
        # Only totals that can occur: the others would double the work and never be read.
        inside = slice(reach - t * parts, reach + t * parts + 1)  # the totals that t rounds can reach
        play = ndtr(total[inside] / (math.sqrt(2) * scales[t]))
        # Move by move, as to look for the largest of three in each row takes far longer.
        worth = np.full(play.size, -np.inf)
        for move in range(-parts, parts + 1):
            then = value[inside.start + move : inside.stop + move] - play * (move / parts)
            np.copyto(chosen[t, inside], move, where=then > worth)
            np.maximum(worth, then, out=worth)
        value[inside] = worth
    place, leads = reach, np.zeros(horizon)
    for t in range(horizon):
        leads[t] = chosen[t, place] / parts
        place += int(chosen[t, place])
    return leads


def seesaw_then_rise(n: int, horizon: int, rise: int) -> Array:
    """Return the stream of `regret_of_rise`: two halves of the experts gain in turn, then expert 0 alone.

    [mathematics/000.md#worst-streams]
    """
    gains = np.zeros((horizon, n))
    seesaw = horizon - rise
    gains[0:seesaw:2, : n // 2] = 1.0
    gains[1:seesaw:2, n // 2 :] = 1.0
    gains[seesaw:, 0] = 1.0
    return gains


def regret_of_rise(n: int, scales: Array, rise: int) -> float:
    """Return the expected regret on `seesaw_then_rise`, by quadrature; rounds before the rise are even.

    Scales are those of `regret_of_leads`. [mathematics/000.md#worst-streams]
    """
    seesaw, half = len(scales) - rise, n // 2
    ahead = np.minimum(1 / scales[1:seesaw:2], _SURE)  # the first half leads by 1 when the second half gains
    second = (n - half) * _tabled(lambda shift: _mean_of_powers([(0.0, n - half - 1), (-shift, half)]), ahead)
    lead = np.minimum(np.arange(rise) / scales[seesaw:], _SURE)
    lone = _tabled(lambda shift: _mean_of_powers([(shift, n - 1)]), lead)
    pairs = seesaw // 2
    return float(pairs - pairs * half / n - second.sum() + (1 - lone).sum())


def worst_rise(n: int, scales: Array) -> int:
    """Return the rise with the largest regret, of some from a share of the horizon to all of it.

    Ten candidates are tried, from 2 % of the horizon on. [mathematics/000.md#worst-streams]
    """
    horizon = len(scales)
    rises = np.unique((horizon * np.geomspace(0.02, 1.0, 10)).astype(int))
    # The seesaw before the rise needs an even number of rounds, so that it leaves no lead.
    rises = np.unique(rises - (horizon - rises) % 2)
    regrets = [regret_of_rise(n, scales, int(rise)) for rise in rises if rise >= 0]
    return int(rises[np.argmax(regrets)])


def _tabled(function: Callable[[Array], Array], at: Array) -> Array:
    """Return a smooth function's values, from a cubic spline with an error below 1e-7."""
    values, where = np.unique(at, return_inverse=True)
    if values.size <= _KNOTS:
        return function(values)[where]
    from scipy.interpolate import CubicSpline

    # Horizons of a million rounds have a million different leads; the function of a lead is smooth.
    knots = np.linspace(at.min(), at.max(), _KNOTS)
    return np.asarray(CubicSpline(knots, function(knots))(at))


def _mean_of_powers(factors: list[tuple[ArrayLike, int]]) -> Array:
    """Return E prod_j Phi(N + shift_j)^power_j for a standard normal N, elementwise in the shifts."""
    from scipy.special import log_ndtr

    x, step = np.linspace(-9.0, 9.0, 161, retstep=True)
    log = -(x**2) / 2 - math.log(math.sqrt(2 * math.pi))
    for shift, power in factors:
        log = log + power * log_ndtr(x + np.asarray(shift, dtype=float)[..., None])
    return np.asarray(step * np.exp(log).sum(axis=-1))
