"""How far fixed share's weights are from the exact ones, from the weights themselves, whatever computed them.

Let ``w`` be exact and ``v`` computed, and let d be the range of ``log(v / w)`` over the experts. Multiplying both by
the same factors leaves d as it is, and projecting both makes it no larger: where both are above the floor their ratio
changes by one factor, and elsewhere it moves towards 1, which lies within the range as both sum to 1. So errors of
single rounds add up. That of a round is told by what is computed: v must be ``max(floor, c v' f)`` of the weights v'
before, with one c, and sum to 1. [mathematics/004.md#rounded-shares]
"""

from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, expm1
from private_experts.replication.balls.sums import gamma

_ROUNDINGS = 16  # of a ratio: its two factors and division, the floor, the differences from 1


class Defects(NamedTuple):
    """By how much weights miss the rule in the worst round, relative, and their sum 1."""

    rule: float
    total: float


def defects(weights: Array, factors: Array, floor: float) -> Defects:
    """Return what is wrong with weights (T, streams, experts), given the factors between rounds and the floor.

    Experts above the floor must share a factor c, and c times the others must not be above it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = weights[1:] / (weights[:-1] * factors)
        above = weights[1:] > floor
        most = np.where(above, ratio, 0.0).max(axis=-1)
        least = np.where(above, ratio, np.inf).min(axis=-1)
        wrong = np.maximum(most, least) / np.minimum(least, ratio.min(axis=-1)) - 1
    lowest = floor / float(weights.min()) - 1
    rule = max(float(wrong.max(initial=0.0)), lowest, 0.0)
    return Defects(rule if np.isfinite(rule) else np.inf, float(np.abs(weights.sum(axis=-1) - 1).max()))


def relative_error(found: Defects, rounds: int, n: int, floor: float) -> Ball:
    """Return a bound on how far a weight is from the exact one in any round, relative.

    A defect of the sum changes log c by no more than its ratio to what lies above the floor. Defects above a hundredth
    tell nothing; below, doubling them is more than a logarithm needs.
    """
    rule, total = ball(found.rule) + gamma(_ROUNDINGS), ball(found.total) + gamma(n)
    of_sum = 2 * (rule + total)
    free = 1 - n * ball(floor) - of_sum
    if not (of_sum < 0.01 and free > 0):
        return ball("nan")
    each = 2 * rule + of_sum / free
    return expm1(2 * rounds * each + 2 * total)
