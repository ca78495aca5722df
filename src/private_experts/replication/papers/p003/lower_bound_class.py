"""Measured risks on the lower bound's class against T a / 132, and equation (17). [003, Theorem 3, Appendix A]"""

import math
from itertools import product

import numpy as np

from private_experts.distribution_learning.classes import lower_bound_class, lower_bound_gap
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.risk import kl
from private_experts.randomness import rng_for
from private_experts.replication.intervals import mean_interval
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.lower_bound import rounds_of

_CONSTANT = 132
_SIGNS = {"posterior of signs": "Hadamard response"}
_TRUTHS = 4  # members of the class that are tried as the truth: two pairs


def theorem_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For each scheme some member of the lower bound's class has a KL risk of at least T a / 132.

    The value is the largest mean risk over the members that are tried as the truth. The same is tested with multiples
    of the bound. Lazy is to ignore privacy: the posterior given the labels themselves has a risk of at most log 2K.
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
        risks = [play_long(mechanism, classes, truth=truth, repetitions=repetitions, rng=rng).kl for truth in truths]
        mean, low, high = mean_interval(np.array(risks), intervals=len(cells) * len(risks))
        bound, lazy = horizon * gap / _CONSTANT, math.log(len(classes))
        notes = {"T": horizon, "times_the_bound": float(mean.max()) / bound}
        ends = float(low.max()), float(high.max())
        for multiple in grid["multiple"]:
            place = {**where, "multiple": multiple}
            points.append(Point(place, float(mean.max()), multiple * bound, *ends, ">=", notes, 0.0, lazy=lazy))
    return points


def equation_17(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The averaged prediction has at most the averaged KL divergence, in every game that is played."""
    points = []
    for name, pairs, epsilon in product(grid["mechanism"], grid["K"], grid["eps"]):
        horizon = grid["T"]
        classes = lower_bound_class(pairs, lower_bound_gap(pairs, horizon, epsilon))
        mechanism = mechanism_of(name, len(classes), classes.shape[1], horizon, epsilon)
        rng = rng_for(seed, "equation 17", name, pairs, epsilon)
        learner = mechanism.learner(grid["games"])
        average, mean = np.zeros((grid["games"], classes.shape[1])), np.zeros(grid["games"])
        for _ in range(horizon):
            predicted = learner.predict(classes)
            average += predicted / horizon
            mean += kl(classes[0], predicted) / horizon
            labels = np.asarray(rng.choice(classes.shape[1], p=classes[0], size=grid["games"]), dtype=np.intp)
            learner.update(mechanism.privatize(labels, classes, rng))
        excess = float((kl(classes[0], average) - mean).max())
        points.append(Point({"mechanism": name, "K": pairs, "eps": epsilon}, excess, 1e-12))
    return points
