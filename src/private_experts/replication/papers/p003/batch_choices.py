"""Hypothesis selection, the batch setting: which distribution is chosen after all reports.

[mathematics/003.md#batch]
"""

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.hadamard_response import HadamardResponse, hadamard
from private_experts.distribution_learning.label_counts import label_counts, without_last_bits
from private_experts.distribution_learning.risk import total_variation
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p003.classes import tilted
from private_experts.replication.study.intervals import mean_interval
from private_experts.ties import TIE


def pairs_of(classes: Array) -> Iterator[tuple[int, int, Array]]:
    """Yield each pair of distributions with Scheffe's set: where the first has more mass, (M,)."""
    for first, second in combinations(range(len(classes)), 2):
        yield first, second, (classes[first] > classes[second]).astype(np.float64)


def tournament(estimates: Array, classes: Array) -> Indices:
    """Return which distribution wins most comparisons by estimated masses of all sets, (repetitions, pairs).

    Of two distributions the one wins whose mass of their set is nearer to the estimate.
    """
    wins = np.zeros((len(estimates), len(classes)))
    for estimate, (first, second, where) in zip(estimates.T, pairs_of(classes), strict=True):
        apart = np.abs(estimate - classes[first] @ where) - np.abs(estimate - classes[second] @ where)
        # A tolerance, so that equal distances go to the first whatever their rounding.
        nearer = apart <= TIE
        wins[:, first] += nearer
        wins[:, second] += ~nearer
    return wins.argmax(axis=1)


def law_of_labels(counts: Ints, mechanism: HadamardResponse) -> Array:
    """Return unbiased estimates (repetitions, M) of the labels' law from report counts, M a power of two."""
    rows = mechanism.labels - 1
    users = counts.sum(axis=1, keepdims=True) / rows
    # Unbiased: a report agrees with the true sign by the contrast, in the share of users that were asked that
    # row.
    signs = (counts[:, :rows] - counts[:, rows:]) / (users * mechanism.contrast)
    # The inverse transform; the first row is constant, and known to be 1 without any report.
    return (1 + signs @ hadamard(mechanism.labels)[1:]) / mechanism.labels


def _compared(
    mechanism: HadamardResponse, classes: Array, truth: int, repetitions: int, rng: np.random.Generator
) -> Array:
    """Return estimates where each user is asked about one random pair alone, by randomised response."""
    sets = np.array([where for *_, where in pairs_of(classes)])
    # A multinomial law of counts instead of each user: reports are exchangeable.
    users = label_counts(rng, np.full(repetitions, mechanism.horizon), np.full(len(sets), 1 / len(sets)))
    chances = without_last_bits((1 + mechanism.contrast * (2 * sets @ classes[truth] - 1)) / 2)
    # Users of one pair have equal chances, so their number of yes is binomial.
    yes = rng.binomial(users, chances)
    return ((2 * yes / np.maximum(users, 1) - 1) / mechanism.contrast + 1) / 2


def _chosen(
    mechanism: HadamardResponse, classes: Array, truth: int, repetitions: int, rng: np.random.Generator
) -> dict[str, Indices]:
    law = classes[truth] @ mechanism.channel
    counts = label_counts(rng, np.full(repetitions, mechanism.horizon), law)
    sets = np.array([where for *_, where in pairs_of(classes)])
    return {
        "posterior": (counts @ mechanism.losses(classes)).argmin(axis=1),
        "tournament": tournament(law_of_labels(counts, mechanism) @ sets.T, classes),
        "comparisons": tournament(_compared(mechanism, classes, truth, repetitions, rng), classes),
    }


def batch(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The posterior's choice is no farther from the truth than a tournament's, in the mean over all truths.

    The tournament is held with the same reports, and with those of users who are each asked about one pair.
    All reports have the same level. Lazy is to choose the first distribution always.
    """
    cells = list(product(grid["K"], grid["eps"], grid["apart"]))
    points = []
    for experts, epsilon, apart in cells:
        # A power of two above K, as Hadamard's matrix needs one and each distribution a row beside the
        # constant.
        size = 1 << int(experts).bit_length()
        mechanism = HadamardResponse(experts, PureDP(epsilon, "local"), labels=size, horizon=grid["T"])
        information = 2 * mechanism.information * grid["T"] / size
        # So far apart that T reports just tell K distributions: nearer all fail, and farther all succeed.
        classes = tilted(experts, math.sqrt(apart * math.log(experts) / information))
        rng = rng_for(seed, "batch", experts, epsilon, apart, repetitions)
        away: dict[str, list[Array]] = {}
        for truth in range(experts):
            for name, choice in _chosen(mechanism, classes, truth, repetitions, rng).items():
                # Over all truths, as ties and orders favour some.
                away.setdefault(name, []).append(total_variation(classes[truth], classes[choice]))
        ours, first = np.mean(away["posterior"], axis=0), float(total_variation(classes, classes[0]).mean())
        for name in ("tournament", "comparisons"):
            theirs, unit = np.mean(away[name], axis=0), float(total_variation(classes[0], classes[1]))
            mean, low, high = (
                float(end) / unit for end in mean_interval(ours - theirs, intervals=2 * len(cells))
            )
            where = {"rival": name, "K": experts, "T": grid["T"], "eps": epsilon, "apart": apart}
            notes = {"wrong": float(ours.mean()) / unit, "rival_wrong": float(theirs.mean()) / unit}
            lazy = (first - float(theirs.mean())) / unit
            points.append(Point(where, mean, 0.0, low, high, notes=notes, lazy=lazy))
    return points
