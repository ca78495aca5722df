"""What the paper says about Table 2, in words and in numbers, asked of the data at hand.

Each claim plays the games that it is about, until it is decided. The statements are defined in
`private_experts.replication.hospital.statements`, where generality and sensitivity find them as well. Those about the
strongest central algorithm are ours. [mathematics/000.md#table-2-looks]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import Ball, ball, near, precision, rational
from private_experts.replication.claims.certified.boxes import at_point
from private_experts.replication.claims.evidence import NotRunError, Point
from private_experts.replication.claims.repeated import Cell, Totals, looks, once, until_decided
from private_experts.replication.drawing.numbers import in_weeks
from private_experts.replication.hospital.cells import critical_value, estimates, mean, picked
from private_experts.replication.hospital.game import LEARNER, Game, Play, game
from private_experts.replication.hospital.panel import Panel
from private_experts.replication.hospital.players import (
    central_learners,
    prefix_sums,
    private_leaders,
    rw_ftpl,
    rw_meta,
    tree_ftpl,
)
from private_experts.replication.hospital.published import TABLE_2
from private_experts.replication.hospital.statements import (
    BEST,
    BEST_LINEAR,
    BEST_OF_ALL,
    NEGATIVE_REGRET,
    RATIO,
    RATIO_LOCAL,
    RATIO_OF_ALL,
    ROUNDED,
    SECOND,
    SECOND_OF_ALL,
    Statement,
)
from private_experts.replication.intervals import CONFIDENCE

Grid = Mapping[str, Any]
Panels = Mapping[str, Panel]

_CENTRAL = (tree_ftpl, prefix_sums, central_learners, private_leaders)
CENTRAL = [name for player in _CENTRAL for name, shown in player.SHOWN.items() if shown.model == "central"]
_PLAYERS: dict[str, Callable[[Game, Mapping[str, Any]], list[Play]]] = {
    "learners": lambda match, learners: rw_meta.play_variants(match, learners, []),
    "rw-meta": lambda match, learners: rw_meta.play_variants(match, learners, ["rw-meta"]),
    "rw-ftpl": lambda match, _: rw_ftpl.play(match),
    "tree-ftpl": lambda match, _: tree_ftpl.play(match),
    "prefix-sums": lambda match, _: prefix_sums.play(match),
    "central-learners": central_learners.play,
    "private-leaders": lambda match, _: private_leaders.play(match),
}
_ALL_CENTRAL = ("tree-ftpl", "prefix-sums", "central-learners", "private-leaders")


def _player(who: Sequence[str], grid: Grid, most: int, seed: int, panels: Panels) -> Callable[..., Totals]:
    """Return what plays new games of a cell. Each look has a seed of its own."""

    def play(cell: Cell, look: int, repetitions: int) -> Totals:
        state, mu = cell
        own = int(rng_for(seed, "Table 2", state, mu, look, most).integers(2**62))
        match = game(panels[state], state, [mu], repetitions, own, grid["adjacency"])

        def totals(name: str) -> Totals:
            return {each.algorithm: each.earned.sum(axis=0) for each in _PLAYERS[name](match, grid["learners"])}

        asked = (state, mu, own, repetitions, grid["adjacency"], repr(grid["learners"]))
        found: Totals = {}
        for name in who:
            found |= once(panels, (name, *asked), lambda name=name: totals(name))  # type: ignore[misc]
        return found

    return play


def _decided(
    statement: Statement,
    who: Sequence[str],
    grid: Grid,
    most: int,
    seed: int,
    panels: Panels,
    lower: Callable[[Mapping[Cell, Totals]], float] | None = None,
) -> list[Point]:
    """Ask a statement of the games of these players, until it is decided or `most` repetitions are played.

    `lower` says by how much the lower ends of intervals are to be lowered, for an estimate that may be too large.
    """
    cells = [(state, mu) for state in panels for mu in map(float, grid["mu"]) if statement.speaks_of(mu)]
    groups = [cells] if statement.of_mean else [[cell] for cell in cells]

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        rows = []
        for (state, mu), totals in played.items():
            best = float(panels[state].density.sum(axis=0).max())
            central = [name for name in CENTRAL if name in totals]
            asked = estimates(totals, best, central, exact=mu == math.inf)[statement.estimate]
            size = len(next(iter(totals.values())))
            z = critical_value(CONFIDENCE, len(groups) * asked.intervals * len(looks(most)), size)
            value, half_width = asked.of(z)
            row = {"state": state, "mu": mu, "repetitions": size}
            rows.append({**row, statement.estimate: value, f"{statement.estimate}_pm": half_width})
        points = _points(statement, pd.DataFrame(rows))
        return [replace(point, low=point.interval[0] - lower(played)) for point in points] if lower else points

    return until_decided(_player(who, grid, most, seed, panels), groups, judge, most)


def _points(statement: Statement, table: pd.DataFrame) -> list[Point]:
    """Return one point for each end of a statement's band and each cell, or one for the mean over all cells."""
    points = []
    for bound, sense in _ends(statement):
        for cells, value, low, high in statement.measured(table):
            cell = cells.iloc[0].to_dict()
            where = {"cells": len(cells)} if statement.of_mean else {"state": cell["state"], "mu": cell["mu"]}
            points.append(Point(where, value, bound, low, high, sense, {"repetitions": cell["repetitions"]}))
    return points


def _ends(statement: Statement) -> list[tuple[float, Any]]:
    """Return the finite ends of a statement's band, each with the side of it that is right."""
    return [(end, sense) for end, sense in ((statement.low, ">="), (statement.high, "<=")) if math.isfinite(end)]


def table_2_best(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """RW-Meta gains more than RW-FTPL, Min Noise and Min Regret, in every cell."""
    return _decided(BEST, ("rw-meta", "rw-ftpl", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_best_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """RW-Meta gains more than every central algorithm, in every cell with privacy."""
    return _decided(BEST_OF_ALL, ("rw-meta", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_ratio(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as Min Noise."""
    return _decided(RATIO, ("rw-meta", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_ratio_to_rw_ftpl(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as RW-FTPL."""
    return _decided(RATIO_LOCAL, ("rw-meta", "rw-ftpl"), grid, repetitions, seed, panels)


def table_2_ratio_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell with privacy RW-Meta gains 1.5 to 3 times as much as the strongest central algorithm."""
    return _decided(RATIO_OF_ALL, ("rw-meta", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_printed_ratio(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for the paper's own figures, whether their last digit was rounded or cut off."""
    points = []
    with precision():
        near_enough = ball(*(rational(repr(end)) for end in ROUNDED))
        for (state, mu), (meta, noise, _, _) in TABLE_2.items():
            ratio, printed = as_printed(meta) / as_printed(noise), rational(repr(meta)) / rational(repr(noise))
            where, notes = {"state": state, "mu": mu}, {"rounds into it": ratio.overlaps(near_enough)}
            for bound, sense in _ends(RATIO):
                points.append(replace(at_point(where, ratio, ball(bound), notes, sense), value=near(printed)))
    return points


def as_printed(figure: float) -> Ball:
    """Return all numbers that may stand behind a figure with two decimals, from 0.005 below it to 0.01 above."""
    printed = rational(repr(figure))
    return ball(printed - rational("0.005"), printed + rational("0.01"))


def table_2_best_linear(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """On average over the cells, RW-Meta gains about 90 % (85 to 95) of what the best linear model gains."""
    return _decided(BEST_LINEAR, ("rw-meta",), grid, repetitions, seed, panels, _lost_by_picking)


def _lost_by_picking(played: Mapping[Cell, Totals]) -> float:
    """Return how much larger the mean ratio to the picked model is than that to the model with the largest mean.

    The largest of several means is too large on average, and the mean of the picked models too small. So the true best
    model lies between.
    """
    lost = []
    for totals in played.values():
        samples = [sample for name, sample in totals.items() if name.startswith(LEARNER)]
        most = max(sample.mean() for sample in samples)
        lost.append(totals["rw-meta"].mean() * (1 / picked(samples).mean() - 1 / most))
    return float(np.mean(lost))


def table_2_negative_regret(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Static regret is negative at no, low and medium privacy."""
    return _decided(NEGATIVE_REGRET, ("rw-meta",), grid, repetitions, seed, panels)


def table_2_runner_up(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Min Noise comes second after RW-Meta: it gains more than RW-FTPL and Min Regret in every cell with privacy."""
    return _decided(SECOND, ("rw-ftpl", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_runner_up_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """The strongest central algorithm gains more than RW-FTPL in every cell with privacy."""
    return _decided(SECOND_OF_ALL, ("rw-ftpl", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_learner_varies(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """No linear model is the best one in all states, at some level; nor at all levels, in some state."""
    states, levels = list(panels), [float(mu) for mu in grid["mu"]]

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        behind = {cell: _behind(cell, played[cell], len(played) * len(looks(repetitions))) for cell in played}
        points = []
        for what, groups in (
            ("state", [[(state, mu) for state in states] for mu in levels]),
            ("level", [[(state, mu) for mu in levels] for state in states]),
        ):
            # A model is behind somewhere in a group; the one for which this is least so; the clearest group.
            value, low, high = np.max(
                [np.min(np.max([behind[cell] for cell in group], axis=0), axis=1) for group in groups], axis=0
            )
            notes = {"repetitions": len(next(iter(played[cells[0]].values())))}
            points.append(Point({"depends on": what}, value, 0.0, low, high, ">=", notes))
        return points

    cells = [(state, mu) for state in states for mu in levels]
    return until_decided(_player(("learners",), grid, repetitions, seed, panels), [cells], judge, repetitions)


def _behind(cell: Cell, totals: Totals, cells: int) -> np.ndarray:
    """Return how far each linear model is behind the best of the others: value, low and high, shape (3, models).

    The intervals hold jointly over so many `cells` and all pairs of models.
    """
    samples = [sample for name, sample in totals.items() if name.startswith(LEARNER)]
    z = critical_value(CONFIDENCE, cells * len(samples) * (len(samples) - 1) // 2, samples[0].size)
    found = []
    for mine in samples:
        pairs = [mean(other - mine, z, cell[1] == math.inf) for other in samples if other is not mine]
        found.append(np.max([(value, value - pm, value + pm) for value, pm in pairs], axis=0))
    return np.array(found).T


def table_2_values(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """The published averages lie in this table's intervals, widened by the spread and rounding of both."""
    if "published_rw_meta" not in table:
        raise NotRunError(f"the data has {in_weeks(table['weeks'])} of the paper's 148")
    points = []
    for row in table.to_dict("records"):
        for name in ("rw_meta", "min_noise", "min_regret", "best_linear"):
            difference = abs(row[name] - row[f"published_{name}"])
            where = {"state": row["state"], "mu": row["mu"], "algorithm": name}
            points.append(Point(where, difference, np.sqrt(2) * row[f"{name}_pm"] + 0.005))
    return points
