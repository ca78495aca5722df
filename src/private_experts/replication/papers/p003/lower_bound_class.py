"""Measured risks on the lower bound's class against T a / 132. [003, Theorem 3]"""

import math

import numpy as np

from private_experts.distribution_learning.classes import lower_bound_class, lower_bound_gap
from private_experts.distribution_learning.long_run import play_long
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.lower_bound import rounds_of
from private_experts.replication.study.intervals import mean_interval

_CONSTANT = 132
_SIGNS = {"posterior of signs": "Hadamard response"}
_TRUTHS = 4  # members of the class that are tried as the truth: two pairs


def theorem_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For each scheme some member of the lower bound's class has a KL risk of at least T a / 132.

    The value is the largest mean risk over the members that are tried as the truth. The same is tested with
    multiples of the bound. Lazy is to ignore privacy: the posterior given the labels themselves has a risk of
    at most log 2K.
    """
    cells = cells_of(grid, "mechanism", "K", "T_over_least", "eps")
    points = []
    for where, name, pairs, factor, epsilon in cells:
        horizon = rounds_of(pairs, epsilon, factor)
        gap = lower_bound_gap(pairs, horizon, epsilon)
        classes = lower_bound_class(pairs, gap)
        mechanism = mechanism_of(_SIGNS.get(name, name), len(classes), classes.shape[1], horizon, epsilon)
        truths = range(min(len(classes), _TRUTHS))
        rng = rng_for(seed, "theorem 3", name, pairs, factor, epsilon, repetitions)
        # The theorem is about the worst member; a few suffice, as any of them proves the bound from below.
        risks = [
            play_long(mechanism, classes, truth=truth, repetitions=repetitions, rng=rng).kl
            for truth in truths
        ]
        mean, low, high = mean_interval(np.array(risks), intervals=len(cells) * len(risks))
        bound, lazy = horizon * gap / _CONSTANT, math.log(len(classes))
        notes = {"T": horizon, "times_the_bound": float(mean.max()) / bound}
        # The largest of true means lies between the largest ends.
        ends = float(low.max()), float(high.max())
        for multiple in grid["multiple"]:
            place = {**where, "multiple": multiple}
            points.append(
                Point(place, float(mean.max()), multiple * bound, *ends, ">=", notes, 0.0, lazy=lazy)
            )
    return points
