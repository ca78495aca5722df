"""The worst two learners for the mended RW-Meta, by dynamic programming. [mathematics/000.md#worst-pair]

All that matters is D, the first learner's credited total minus the second's. In each round the pair decides by D: the
first gains d more than the second, or both name the same expert. If they name different experts, the noise of two
reports enters D. The regret against the first learner is a sum over rounds: d, times the probability that the second is
chosen. So its largest mean is found backwards.

It is computed at the points of a grid of D, so that straight lines between them lie above it, and again below it. From
above, d is anything between -1 and 1. From below, the pair makes one choice between two points: it gains 1 or -1, or
names the same expert. Without noise D stays on the grid, and the choice is the best at each of its points.

Two things bound what lies between the points, a step h apart. What is left of the game is a mean over noise, and
`lines` bounds it. The probability that the second is chosen is a normal tail, whose second derivative is at
most ``phi(1) / (2 s^2)``. So it differs from a line by no more than ``h^2 / 8`` times that. Beyond the grid, where D
hardly ever gets, the game is worth no less than 0, and no more than the rounds that are left.
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
    """Return a ball around the largest mean regret of any two learners against the first of them.

    - `scales`, shape (T,): The normal scales of the choice, above 0. They are taken for the binary numbers that they
      are.
    - `eta`: The noise of all reports, at least 0.
    - `per_unit`: Points of the grid in each unit of D.
    - returns: NaN if a scale is not above 0.
    """
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
        above = _above(above, second, noise(above, 1) + bend, per_unit, horizon - t)
        below = _below(below, second, noise(below, -1) - bend if eta else below, per_unit, bool(eta))
    # The argument of the tail has five roundings. What it is multiplied with and added to are three more.
    rounding = (1 + gamma(8)) * (1 + cdf().error(5)) - 1
    off = 1.01 * sizes * (noise.error + rounding * noise.growth) + horizon * (2 * rounding + cdf().lost)
    middle = above.size // 2
    return ball(below[middle] - off.upper()).union(above[middle] + off.upper())


def _above(following: Array, second: Array, blurred: Array, per_unit: int, left: int) -> Array:
    """Return heights of lines above the value of a round, from those above the next, and those after noise.

    With ``y = D + d`` the value is at most ``(y - D) second(D)`` plus a line, whose maximum over y is at a point of the
    grid, or at d = -1 or 1. As a function of D it is more concave than a line by no more than the tail bends, since
    ``second`` falls. So it is below its chords plus what was added to `blurred` for that.
    """
    result = _at(following, second.size, 0).copy()
    for steps in range(-per_unit, per_unit + 1):
        np.maximum(result, steps / per_unit * second + _at(blurred, second.size, steps), out=result)
    result[[0, -1]] = np.maximum(result[[0, -1]], left)
    return result


def _below(following: Array, second: Array, blurred: Array, per_unit: int, between: bool) -> Array:
    """Return heights of lines below the value of a round; if D stays on the grid, below its points alone."""
    choices = np.array(
        [sign * second + _at(blurred, second.size, sign * per_unit) for sign in (1, -1)]
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
