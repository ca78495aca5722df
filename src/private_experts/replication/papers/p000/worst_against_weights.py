"""The worst two learners for exponential weights. [mathematics/000.md#independence-worst-pair]

As in `worst_pair`, with three changes. The probability that the second learner is chosen is ``1 / (1 + e^(r
D))``, and its second derivative is at most ``r^2 / (6 sqrt 3)``. A round in which they name different experts
is charged what it costs the theorem: ``2 c p (1 - p)``, whose second derivative in D is at most ``c r^2 /
4``. And the rate is the same in all rounds, so each point of the grid has one probability and one cost, which
balls compute.
"""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, near, sqrt, square
from private_experts.replication.papers.p000.lines import blur
from private_experts.replication.papers.p000.worst_pair import above_next, below_next

_BEND = 0.0121  # more than 1 / (48 sqrt 3)
_REACH = 5  # of the grid, in deviations of the noise so far
_ROUNDING = 1e-14  # more than eight roundings, relative


def steepest(rate: Ball, eta: Ball) -> Ball:
    """Return the factor of the disagreement in the theorem, ``(e^(r + r^2 eta^2) - 1 - r) / (2 r)``."""
    return (expm1(rate + square(rate * eta)) - rate) / (2 * rate)


def worst_against_weights(rate: float, eta: float, rounds: int, per_unit: int, charged: float = 1.0) -> Ball:
    """Return a ball around the largest mean regret of two learners against the first, less rounds' costs.

    - `rate`: Of exponential weights, positive; a binary number.
    - `eta`: The noise of all reports, at least 0.
    - `per_unit`: Points of the grid in each unit of D.
    - `charged`: The share of the theorem's cost that a round is charged.
    """
    noise = blur(sqrt(2) * ball(eta) * per_unit)
    factor = charged * steepest(ball(rate), ball(eta))
    halves = [per_unit * (t + 1 + math.ceil(_REACH * math.sqrt(2 * t) * eta)) for t in range(rounds + 1)]
    every_second, every_cost = _tables(rate, factor, halves[-1], per_unit)
    bend = (_BEND + near(factor) / 32 * 1.01) * (rate / per_unit) ** 2
    above = below = np.zeros(2 * halves[rounds] + 1)
    sizes = 0.0
    for t in range(rounds - 1, -1, -1):
        inner = slice(halves[rounds] - halves[t], halves[rounds] + halves[t] + 1)
        second, cost = every_second[inner], every_cost[inner]
        sizes += max(float(above.max()), -float(below.min())) + bend + 1 + near(factor)
        # Straight lines miss a curve by at most its second derivative over 8: lifted by that, they bound it.
        above = above_next(above, second, noise(above, 1) + bend, per_unit, rounds - t, cost)
        below = below_next(
            below, second, noise(below, -1) - bend if eta else below, per_unit, bool(eta), cost
        )
    off = 1.01 * sizes * (noise.error + _ROUNDING * noise.growth) + rounds * _ROUNDING
    middle = above.size // 2
    return ball(below[middle] - off).union(above[middle] + off)


def _tables(rate: float, factor: Ball, half: int, per_unit: int) -> tuple[Array, Array]:
    """Return the probability of the second learner, and the cost, at each point of the grid."""
    second, cost = np.empty((2, 2 * half + 1))
    for place in range(half + 1):
        # For positive D alone: the other half follows by symmetry without cancellation.
        tail = 1 / (1 + exp(ball(rate) * place / per_unit))
        second[half + place], second[half - place] = near(tail), near(1 - tail)
        cost[half + place] = cost[half - place] = near(2 * factor * tail * (1 - tail))
    return second, cost
