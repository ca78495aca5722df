"""Subset selection and Hadamard response: privacy, information by enumeration, games.

[mathematics/003.md#subset-selection]
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.hadamard_response import HadamardResponse, hadamard
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, precision, smallest
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.classes import dirichlet
from private_experts.replication.papers.p003.kl_risk import mechanism_of, unlearned
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import mean_interval

SUBSETS, SIGNS = "subset selection", "Hadamard response"
_TOLERANCE = 1e-12  # of the library's numbers, relative
_PARTS = 60  # random laws are multiples of 1/60


def _sets(labels: int, size: int, epsilon: Ball) -> list[list[Ball]]:
    """Return the law of a set of labels for each true label, over all sets of the size."""
    likely = size * exp(epsilon)
    kept = likely / (likely + labels - size)
    inside, outside = kept / math.comb(labels - 1, size - 1), (1 - kept) / math.comb(labels - 1, size)
    return [
        [inside if y in chosen else outside for chosen in combinations(range(labels), size)]
        for y in range(labels)
    ]


def _rows(labels: int, epsilon: Ball) -> list[list[Ball]]:
    """Return the law of a row and a sign for each true label."""
    signs = hadamard(1 << (labels - 1).bit_length())[:labels, 1:].tolist()
    true = exp(epsilon) / (1 + exp(epsilon)) / len(signs[0])
    false = 1 / (1 + exp(epsilon)) / len(signs[0])
    return [[true if s == side else false for side in (1, -1) for s in row] for row in signs]


def _laws(labels: int, rng: np.random.Generator) -> list[Fraction]:
    """Return a random distribution in fractions; some labels may have nothing."""
    return [
        Fraction(int(count), _PARTS) for count in rng.multinomial(_PARTS, rng.dirichlet(np.full(labels, 0.5)))
    ]


def _mixed(channel: Sequence[Sequence[Ball]], f: Sequence[Fraction]) -> list[Ball]:
    weights = [ball(mass.numerator) / mass.denominator for mass in f]
    return [
        sum((w * p for w, p in zip(weights, column, strict=True)), ball(0))
        for column in zip(*channel, strict=True)
    ]


def information(grid: Grid, seed: int) -> list[Point]:
    """Reports have the level epsilon, and separate laws by `information` times their distance.

    All reports are enumerated, and their laws are balls. The library's likelihoods are compared with them.
    """
    points = []
    for where, name, labels, epsilon in cells_of(grid, "mechanism", "M", "eps"):
        with precision():
            level = ball(epsilon)
            mechanism = mechanism_of(name, 2, labels, 2, epsilon)
            assert isinstance(mechanism, SubsetSelection | HadamardResponse)
            channel = (
                _sets(labels, mechanism.size, level)
                if isinstance(mechanism, SubsetSelection)
                else _rows(labels, level)
            )
            ratios = [largest(column) / smallest(column) for column in zip(*channel, strict=True)]
            points.append(
                agreement(
                    {**where, "what": "level"}, epsilon, largest(log(ratio) for ratio in ratios), _TOLERANCE
                )
            )
            total = largest(abs(sum(row, ball(0)) - 1) for row in channel)
            points.append(at_point({**where, "what": "sum"}, total, ball(_TOLERANCE)))
            points.append(
                agreement({**where, "what": "true chance"}, *_true_chance(mechanism, channel), _TOLERANCE)
            )
            rng, least, off = rng_for(seed, "information", name, labels, epsilon), [], [ball(0)]
            for _ in range(grid["instances"]):
                f, g = _laws(labels, rng), _laws(labels, rng)
                distance = sum((x - y) ** 2 for x, y in zip(f, g, strict=True))
                if not distance:
                    continue
                first, second = _mixed(channel, f), _mixed(channel, g)
                apart = sum((p * log(p / q) for p, q in zip(first, second, strict=True)), ball(0))
                least.append(apart * distance.denominator / distance.numerator)
                off += _off(mechanism, np.array([f, g], dtype=np.float64), first, second)
            place = {**where, "what": "information"}
            points.append(at_point(place, smallest(least), ball(mechanism.information), sense=">="))
            points.append(at_point({**where, "what": "likelihoods"}, largest(off), ball(1e-9)))
    return points


def _true_chance(
    mechanism: SubsetSelection | HadamardResponse, channel: Sequence[Sequence[Ball]]
) -> tuple[float, Ball]:
    """Return the probability that a report has the true label or sign, by the library and by the law."""
    # these reports are the likelier ones
    likely = [chance for chance in channel[0] if chance * len(channel[0]) > 1]
    return mechanism.inclusion if isinstance(mechanism, SubsetSelection) else 1 - mechanism.flip, sum(
        likely, ball(0)
    )


def _off(
    mechanism: SubsetSelection | HadamardResponse,
    classes: Array,
    first: Sequence[Ball],
    second: Sequence[Ball],
) -> list[Ball]:
    """Return by how much the library's log-likelihood ratios differ from the true ones, by report."""
    if isinstance(mechanism, SubsetSelection):
        sets = list(combinations(range(mechanism.labels), mechanism.size))
        losses = mechanism.losses(
            np.array([np.isin(np.arange(mechanism.labels), chosen) for chosen in sets]), classes
        )
    else:
        losses = mechanism.losses(classes)
    differences = (losses[:, 1] - losses[:, 0]).tolist()
    return [abs(difference - log(p / q)) for difference, p, q in zip(differences, first, second, strict=True)]


def _quotients(
    name: str,
    classes: Array,
    horizon: int,
    epsilon: float,
    grid: Grid,
    repetitions: int,
    intervals: int,
    *key: str | int | float,
) -> list[Point]:
    """Return the points that say how large the risk is beside that of other reports, in the same game."""
    seed, *rest = key
    assert isinstance(seed, int)

    def risk_of(name: str) -> tuple[float, float, float]:
        mechanism = mechanism_of(name, len(classes), classes.shape[1], horizon, epsilon)
        rng = rng_for(seed, "rivals", name, *rest, horizon, epsilon, repetitions)
        risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng).kl
        mean, low, high = (float(end) for end in mean_interval(risk, intervals=intervals))
        return mean, max(low, 0.0), high

    own, lazy, points = risk_of(name), horizon * unlearned(classes), []
    for rival, most in grid["rivals"].items():
        other = risk_of(rival)
        where = {"mechanism": name, "rival": rival, "M": classes.shape[1], "T": horizon, "eps": epsilon}
        ends = own[1] / other[2], own[2] / other[1] if other[1] > 0 else math.inf
        notes = {"risk": own[0], "rival_risk": other[0], "never_learning": lazy}
        points.append(Point(where, own[0] / other[0], most, *ends, notes=notes, lazy=lazy / other[0]))
    return points


def rivals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With many labels the risk is at most a given share of that of other reports at the same level.

    Lazy are weights that stay equal.
    """
    cells = [
        (name, labels, epsilon, times * labels)
        for name, own in grid["games"].items()
        for labels, epsilon, times in product(own["M"], own["eps"], own["T_over_M"])
    ]
    intervals = len(cells) * (1 + len(grid["rivals"]))
    points = []
    for name, labels, epsilon, horizon in cells:
        classes = dirichlet(grid["K"], labels, 0.5, rng_for(seed, "rivals' class", grid["K"], labels))
        points += _quotients(name, classes, horizon, epsilon, grid, repetitions, intervals, seed, labels)
    return points


def hospital_shares(panel: Panel, weeks: int) -> Array:
    """Return a class (K, M): in K weeks, evenly apart, the shares of a state's patients in each hospital."""
    assert panel.beds is not None
    patients = panel.density * panel.beds
    some = patients[np.linspace(0, len(patients) - 1, weeks).round().astype(int)]
    return np.asarray(some / some.sum(axis=1, keepdims=True))


def wide_panels(grid: Grid, panels: Mapping[str, Panel]) -> list[tuple[str, Panel]]:
    """Return the states that have as many hospitals as a grid asks for."""
    if any(panel.beds is None for panel in panels.values()):
        raise NotRunError("the panels have no beds of each hospital: make them again")
    wide = [(state, panel) for state, panel in panels.items() if len(panel.hospitals) >= grid["least_M"]]
    if not wide:
        raise NotRunError(f"no panel has {grid['least_M']} hospitals")
    return wide


def rivals_hospital(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The same where a label is a patient's hospital, and candidates are hospitals' shares in some weeks."""
    wide = dict(wide_panels(grid, panels))
    intervals = len(wide) * len(grid["eps"]) * len(grid["T"]) * (1 + len(grid["rivals"]))
    points = []
    for (state, panel), epsilon, horizon in product(wide.items(), grid["eps"], grid["T"]):
        classes = hospital_shares(panel, grid["K"])
        quotients = _quotients(SIGNS, classes, horizon, epsilon, grid, repetitions, intervals, seed, state)
        points += [Point(**{**vars(point), "where": {"state": state, **point.where}}) for point in quotients]
    return points
