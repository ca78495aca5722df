"""The worst two learners for the mended RW-Meta, by dynamic programming. [mathematics/000.md#worst-pair]

All that matters is D, the first learner's credited total minus the second's: by it the pair decides in each
round that the first gains d more, or that both name the same expert; else the noise of two reports enters D.
The regret is a sum of d times the probability that the second is chosen, so its largest mean is found
backwards, on a grid of D, by straight lines above it, for any d in [-1, 1], and below it, for one choice
between two points: d = 1, -1, or the same expert.

Between points, h apart, `lines` bounds what is left of the game, a mean over noise; the normal tail by which
the second is chosen differs from a line by at most ``h^2 / 8 phi(1) / (2 s^2)``. Beyond the grid the game is
worth from 0 to what is left.
"""

import math
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, sqrt
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p000.lines import blur

_BEND = 0.0152  # more than phi(1) / 16
_REACH = 5  # of the grid, in deviations of the noise so far


def worst_pair(scales: Sequence[float], eta: float, per_unit: int) -> Ball:
    """Return a ball around the largest mean regret of two learners against the first; NaN at scale 0."""
    if not all(scale > 0 for scale in scales):
        return ball("nan")
    noise, horizon = blur(sqrt(2) * ball(eta) * per_unit), len(scales)
    halves = [per_unit * (t + 1 + math.ceil(_REACH * math.sqrt(2 * t) * eta)) for t in range(horizon + 1)]
    above = below = np.zeros(2 * halves[horizon] + 1)
    sizes = 0.0
    for t in range(horizon - 1, -1, -1):
        unit = math.sqrt(2) * scales[t] * per_unit
        second = cdf()(np.arange(-halves[t], halves[t] + 1) * (-1 / unit))
        bend = _BEND * (1 / (scales[t] * per_unit)) ** 2
        sizes += max(float(above.max()), -float(below.min())) + bend
        above = above_next(above, second, noise(above, 1) + bend, per_unit, horizon - t)
        below = below_next(below, second, noise(below, -1) - bend if eta else below, per_unit, bool(eta))
    # The argument of the tail has five roundings. What it is multiplied with and added to are three more.
    rounding = (1 + gamma(8)) * (1 + cdf().error(5)) - 1
    off = 1.01 * sizes * (noise.error + rounding * noise.growth) + horizon * (2 * rounding + cdf().lost)
    middle = above.size // 2
    return ball(below[middle] - off.upper()).union(above[middle] + off.upper())


def above_next(
    following: Array, second: Array, blurred: Array, per_unit: int, left: int, cost: Array | float = 0.0
) -> Array:
    """Return heights of lines above the value of a round, from those above the next, and those after noise.

    A round in which the two name different experts is charged `cost`, a number for each point.

    With ``y = D + d`` the value is at most ``(y - D) second(D)`` plus a line, largest at a point of the grid,
    or at d = -1 or 1. As `second` falls, it is more concave in D than a line by no more than the tail bends,
    which was added to `blurred`.
    """
    result = _at(following, second.size, 0).copy()
    for steps in range(-per_unit, per_unit + 1):
        np.maximum(result, steps / per_unit * second + _at(blurred, second.size, steps) - cost, out=result)
    result[[0, -1]] = np.maximum(result[[0, -1]], left)
    return result


def below_next(
    following: Array, second: Array, blurred: Array, per_unit: int, between: bool, cost: Array | float = 0.0
) -> Array:
    """Return heights of lines below the value of a round; if D stays on the grid, below its points alone."""
    choices = np.array(
        [sign * second + _at(blurred, second.size, sign * per_unit) - cost for sign in (1, -1)]
        + [_at(following, second.size, 0)]
    )
    if not between:
        result: Array = choices.max(axis=0)
    else:
        chosen = (choices[:, :-1] + choices[:, 1:]).argmax(axis=0)
        cell = np.arange(chosen.size)
        result = np.append(choices[chosen, cell], np.inf)
        result[1:] = np.minimum(result[1:], choices[chosen, cell + 1])
    result[[0, -1]] = np.minimum(result[[0, -1]], 0.0)
    return result


def _at(values: Array, size: int, steps: int) -> Array:
    """Return the middle of some values, so many steps further on."""
    start = (values.size - size) // 2 + steps
    return values[start : start + size]
