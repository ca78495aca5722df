"""How far fixed share's weights are from exact ones, by themselves. [mathematics/004.md#rounded-shares]

The range d of ``log(v / w)`` of computed and exact weights stays as it is under common factors and grows in
no projection. So errors of rounds add up: v must be ``max(floor, c v' f)`` of the weights v' before, and sum
to 1.
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
    """Return what is wrong with weights (T, streams, experts), given factors between rounds and the floor."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = weights[1:] / (weights[:-1] * factors)
        # At the floor a weight may be far above what the factor gives; so these bound the constant from one
        # side alone.
        above = weights[1:] > floor
        most = np.where(above, ratio, 0.0).max(axis=-1)
        least = np.where(above, ratio, np.inf).min(axis=-1)
        wrong = np.maximum(most, least) / np.minimum(least, ratio.min(axis=-1)) - 1
    # A weight below the floor breaks the rule however its ratio looks.
    lowest = floor / float(weights.min()) - 1
    rule = max(float(wrong.max(initial=0.0)), lowest, 0.0)
    return Defects(rule if np.isfinite(rule) else np.inf, float(np.abs(weights.sum(axis=-1) - 1).max()))


def relative_error(defects_found: Defects, rounds: int, n: int, floor: float) -> Ball:
    """Return a bound on how far a weight is from the exact one in any round, relative.

    A defect of the sum changes log c by no more than its ratio to what lies above the floor; above 0.01 it
    tells nothing.
    """
    rule, total = ball(defects_found.rule) + gamma(_ROUNDINGS), ball(defects_found.total) + gamma(n)
    of_sum = 2 * (rule + total)
    free = 1 - n * ball(floor) - of_sum
    if not (of_sum < 0.01 and free > 0):
        return ball("nan")
    # Errors of a round add to the range of log(v / w) and are never magnified, hence linear in the rounds.
    of_round = 2 * rule + of_sum / free
    return expm1(2 * rounds * of_round + 2 * total)
