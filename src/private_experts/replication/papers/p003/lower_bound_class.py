"""Measured risks on the lower bound's class against T a / 132, mechanisms at their level. [003, Theorem 3]"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from private_experts.distribution_learning.long_run import play_long
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.drawn_samples import attack_points
from private_experts.replication.papers.p003.classes import lower_bound_class, lower_bound_gap
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.lower_bound import rounds_of
from private_experts.replication.study.intervals import mean_interval

_CONSTANT = 132
_SIGNS = {"posterior of signs": "Hadamard response"}
_TRUTHS = 4  # members of the class that are tried as the truth: two pairs
_BINS = 16


def theorem_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For each scheme some member of the lower bound's class has a KL risk of at least T a / 132.

    The value is the largest mean risk over the members that are tried as the truth. The same is tested with
    multiples of the bound. Lazy is to ignore privacy: the posterior given the labels themselves has a risk of
    at most log 2K.
    """
    cells = cells_of(grid, "mechanism", "K", "T_over_least", "eps")
    # The risks of all truths, and two chances of the test that attacks a mechanism.
    intervals = len(cells) * _TRUTHS + 2 * len(grid["mechanism"])
    points = list(_levels(grid, intervals // 2, seed))
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
        mean, low, high = mean_interval(np.array(risks), intervals=intervals)
        bound, lazy = horizon * gap / _CONSTANT, math.log(len(classes))
        notes = {"T": horizon, "times_the_bound": float(mean.max()) / bound}
        # The largest of true means lies between the largest ends.
        ends = float(low.max()), float(high.max())
        for multiple in grid["multiple"]:
            place = {"aspect": "risk", **where, "multiple": multiple}
            points.append(
                Point(place, float(mean.max()), multiple * bound, *ends, ">=", notes, 0.0, lazy=lazy)
            )
    return points


def _levels(grid: Grid, tests: int, seed: int) -> Iterator[Point]:
    """Attack what `play_long` adds up for each mechanism: the theorem is about those that keep their level.

    All distributions are sure of a label, so that two truths are two labels of the user. The attacker looks
    at the losses of distributions that are sure of either.
    """
    pairs, epsilon, copies = grid["K"][0], grid["level"]["eps"], grid["level"]["copies"]
    horizon, labels = rounds_of(pairs, epsilon, grid["level"]["T_over_least"]), pairs + 1
    known = np.arange(2 * pairs) % labels  # the label that a distribution is sure of
    for name in grid["mechanism"]:
        mechanism = mechanism_of(_SIGNS.get(name, name), known.size, labels, horizon, epsilon)
        rng = rng_for(seed, "theorem 3, level", name, pairs, epsilon, copies)
        one = np.ones(copies, dtype=np.int64)
        speaks = [
            mechanism.total_losses(one, truth, np.eye(labels)[known], rng)
            @ (1.0 * (known == 1) - (known == 0))
            for truth in (0, 1)
        ]
        speaks = [side.round(9) for side in speaks]
        # The half from which the attacker learns; 0 says nothing of either label, and has an outcome of its
        # own.
        learnt = np.concatenate([side[::2] for side in speaks])
        edges = np.quantile(learnt[learnt != 0], np.linspace(0, 1, _BINS), method="inverted_cdf")
        edges = np.unique([*edges, 0.0, np.nextafter(0, 1)])
        first, second = (np.digitize(side, edges) for side in speaks)
        where = {"aspect": "level", "mechanism": name, "K": pairs, "eps": epsilon}
        allowed, _ = attack_points(where, first, second, PureDP(epsilon, "local"), least=0.0, cells=tests)
        yield replace(allowed, where=where)
