"""How risks grow with labels, how tight the bounds are, and total variation.

Games are very long, because at common privacy levels the algorithms learn nothing in a million rounds.
"""

import math
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import total_variation
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.classes import needle, split_labels, tilted
from private_experts.replication.papers.p003.closed_form import both_sides, grouped
from private_experts.replication.papers.p003.kl_risk import class_of, mechanism_of
from private_experts.replication.study.intervals import mean_interval, slope_interval


def _risks(
    mechanism: Mechanism, classes: Array, horizon: int, repetitions: int, *key: str | int | float
) -> Array:
    """Return mean KL risks of groups of games."""
    seed, *rest = key
    assert isinstance(seed, int)
    rng = rng_for(seed, "rates", *rest, horizon, repetitions)
    risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng).kl
    # A slope of logarithms needs means well above 0, which single games do not have.
    return grouped(risk)


def labels(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """When labels are split, randomised response's risk grows like it, and Algorithm 2's does not change.

    Measured: the slopes of log(risk) in log(M) between consecutive grid values. The notes have the risks.
    Lazy is never to learn: that risk does not grow.
    """
    base, horizon, epsilon = tilted(grid["K"], grid["amplitude"]), grid["T"], grid["eps"]
    points = []
    for algorithm, (least, most) in grid["slopes"].items():
        risks, notes = [], []
        for number in grid["M"]:
            classes = split_labels(base, number // base.shape[-1])
            mechanism = mechanism_of(algorithm, grid["K"], number, horizon, epsilon)
            risks.append(_risks(mechanism, classes, horizon, repetitions, seed, algorithm, number))
            mean, low, high = (float(end) for end in mean_interval(risks[-1], intervals=2 * len(grid["M"])))
            notes.append(
                {"risk": mean, "risk_low": low, "risk_high": high, "risk_bound": mechanism.risk_bound}
            )
        for at in range(1, len(grid["M"])):
            less, more = grid["M"][at - 1 : at + 1]
            y = np.log(risks[at - 1 : at + 1]).T
            slope, low, high = slope_interval(np.log([less, more]), y, intervals=2 * len(grid["M"]))
            where = {"algorithm": algorithm, "from_M": less, "M": more}
            before = {f"{name}_before": value for name, value in notes[at - 1].items()}
            points += both_sides(where, slope, low, high, least, most, notes[at] | before, lazy=0.0)
    return points


def bound_attained(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On the given classes the KL risk of both algorithms is at least a given share of its bound.

    Lazy is to ignore privacy: the posterior given the labels themselves has a risk of at most log K.
    """
    cells = cells_of(grid, "algorithm", "class", "K", "T", "eps")
    points = []
    for where, algorithm, name, experts, horizon, epsilon in cells:
        classes = class_of(name, experts, horizon, epsilon, seed)
        mechanism = mechanism_of(algorithm, experts, classes.shape[-1], horizon, epsilon)
        rng = rng_for(seed, "attained", algorithm, name, experts, horizon, epsilon, repetitions)
        risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng).kl
        mean, low, high = (float(end) for end in mean_interval(risk, intervals=len(cells)))
        notes = {"upper_bound": mechanism.risk_bound}
        least = grid["share"] * mechanism.risk_bound
        points.append(Point(where, mean, least, low, high, ">=", notes, lazy=math.log(experts)))
    return points


def sample_size(experts: int, epsilon: float, alpha: float) -> int:
    """Return the least T, to a millionth, with ``sqrt(B(T) / (2 T)) <= alpha``; B is Theorem 5's bound."""
    low, high = 0.0, 100.0  # natural logarithms

    def enough(exponent: float) -> bool:
        horizon = max(int(math.exp(exponent)), 2)
        return (
            NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
            <= 2 * horizon * alpha**2
        )

    # In log T, as sample sizes span many decades.
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return int(math.exp(high)) + 1


def theorem_6(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """After T_alpha rounds Algorithm 2's averaged total variation is at most alpha.

    T_alpha is the least T at which sqrt(B(T) / (2 T)) is at most alpha, where B is Theorem 5's bound. In
    every game the averaged total variation is at most the square root of half of the averaged KL risk
    (Pinsker, Cauchy-Schwarz). T_alpha is at most 13 K log^5((K + 1) T_alpha) / (eps^2 alpha^4). Lazy is never
    to learn.
    """
    cells = cells_of(grid, "K", "eps", "alpha")
    points = []
    for where, experts, epsilon, alpha in cells:
        horizon = sample_size(experts, epsilon, alpha)
        mechanism = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon)
        for amplitude in grid["amplitude"]:
            rng = rng_for(seed, "theorem 6", experts, epsilon, alpha, amplitude, repetitions)
            classes = needle(experts, amplitude)
            risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng)
            intervals = len(cells) * len(grid["amplitude"])
            mean, low, high = (float(end) for end in mean_interval(risk.variation, intervals=intervals))
            at, notes = {**where, "amplitude": amplitude}, {"T": horizon}
            lazy = float(total_variation(classes[0], classes.mean(axis=0)))
            points.append(Point({**at, "quantity": "TV"}, mean, alpha, low, high, notes=notes, lazy=lazy))
            # In every game: the inequality is deterministic.
            most = float((risk.variation - np.sqrt(risk.kl / (2 * horizon))).max())
            points.append(Point({**at, "quantity": "TV - sqrt(KL / 2)"}, most, 1e-12, notes=notes))
        most = 13 * experts * math.log((experts + 1) * horizon) ** 5 / (epsilon**2 * alpha**4)
        points.append(
            Point({**where, "amplitude": 0.0, "quantity": "T"}, horizon, most, notes={"T": horizon})
        )
    return points


def subset_variation(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The averaged total variation of a posterior given sets or signs is at most sqrt(M log K / (4 i T)).

    Tilted distributions are so close that the reports of all T rounds together tell them apart by `apart`
    times log K. So the bound is used in part, whatever T is. Lazy is never to learn.
    [mathematics/003.md#subset-variation]
    """
    cells = [
        (name, horizon, *rest)
        for name, horizons in grid["T"].items()
        for horizon, *rest in product(horizons, grid["K"], grid["eps"], grid["apart"])
    ]
    points = []
    for name, horizon, experts, epsilon, apart in cells:
        size = 1 << int(experts).bit_length()
        mechanism = mechanism_of(name, experts, size, horizon, epsilon)
        assert isinstance(mechanism, SubsetSelection | HadamardResponse)
        information = 2 * mechanism.information * horizon / size  # of the amplitude's square
        classes = tilted(experts, math.sqrt(apart * math.log(experts) / information))
        rng = rng_for(seed, "subset variation", name, horizon, experts, epsilon, apart, repetitions)
        risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng).variation
        mean, low, high = (float(end) for end in mean_interval(risk, intervals=len(cells)))
        where = {"mechanism": name, "T": horizon, "K": experts, "eps": epsilon, "apart": apart}
        lazy = float(total_variation(classes[0], classes.mean(axis=0)))
        bound = math.sqrt(size * math.log(experts) / (4 * mechanism.information * horizon))
        points.append(Point(where, mean, bound, low, high, notes={"share_of_bound": mean / bound}, lazy=lazy))
    return points
