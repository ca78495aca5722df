"""What the paper says about Table 2, in words and in numbers. [mathematics/000.md#table-2-looks]

Each claim plays the games that it is about, until it is decided. Statements are defined in
`study.statements`; those about the strongest central algorithm are ours.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from private_experts.randomness import rng_for
from private_experts.replication.intervals import CONFIDENCE
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point
from private_experts.replication.ledger.sequential_repetitions import Cell, Totals, looks, once, until_decided
from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.study import published, statements
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value, picked
from private_experts.replication.study.hospital_game import LEARNER, Game, Play, game
from private_experts.replication.study.players import (
    central_learners,
    prefix_sums,
    private_leaders,
    rw_ftpl,
    rw_meta,
    tree_ftpl,
)
from private_experts.replication.study.table_2_columns import estimates

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


def player(who: Sequence[str], grid: Grid, most: int, seed: int, panels: Panels) -> Callable[..., Totals]:
    """Return what plays new games of a cell. Each look has a seed of its own."""

    def play(cell: Cell, look: int, repetitions: int) -> Totals:
        state, mu = cell
        # Games of another look or another cap are independent, so that no verdict leans on the one before.
        own = int(rng_for(seed, "Table 2", state, mu, look, most).integers(2**62))
        match = game(panels[state], state, [mu], repetitions, own, grid["adjacency"])

        def totals(name: str) -> Totals:
            return {
                each.algorithm: each.earned.sum(axis=0) for each in _PLAYERS[name](match, grid["learners"])
            }

        # All that a play depends on: claims that ask for the same one get it from memory.
        asked = (state, mu, own, repetitions, grid["adjacency"], repr(grid["learners"]))
        found: Totals = {}
        for name in who:
            found |= once(panels, (name, *asked), lambda name=name: totals(name))  # type: ignore[misc]
        return found

    return play


def _decided(
    statement: statements.Statement,
    who: Sequence[str],
    grid: Grid,
    most: int,
    seed: int,
    panels: Panels,
    lower: Callable[[Mapping[Cell, Totals]], float] | None = None,
) -> list[Point]:
    """Ask a statement of the games of these players, until it is decided or `most` repetitions are played.

    `lower` says by how much the lower ends of intervals are to be lowered, for an estimate that may be too
    large.
    """
    cells = [(state, mu) for state in panels for mu in map(float, grid["mu"]) if statement.speaks_of(mu)]
    # A mean over cells needs all of them at the same number of repetitions; else each stops on its own.
    groups = [cells] if statement.of_mean else [[cell] for cell in cells]

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        rows = []
        for (state, mu), totals in played.items():
            best = float(panels[state].density.sum(axis=0).max())
            central = [name for name in CENTRAL if name in totals]
            asked = estimates(totals, best, central, exact=mu == math.inf)[statement.estimate]
            size = len(next(iter(totals.values())))
            # Jointly over cells, the intervals that one estimate rests on, and looks, or stopping would
            # choose the verdict.
            z = critical_value(CONFIDENCE, len(groups) * asked.intervals * len(looks(most)), size)
            value, half_width = asked.of(z)
            # The shape of the study's own table, so that one function reads statements from both.
            row = {"state": state, "mu": mu, "repetitions": size}
            rows.append({**row, statement.estimate: value, f"{statement.estimate}_pm": half_width})
        points = _points(statement, pd.DataFrame(rows))
        return (
            [replace(point, low=point.interval[0] - lower(played)) for point in points] if lower else points
        )

    return until_decided(player(who, grid, most, seed, panels), groups, judge, most)


def _points(statement: statements.Statement, table: pd.DataFrame) -> list[Point]:
    """Return a point for each end of a statement's band and each cell, or for the mean over cells."""
    points = []
    for bound, sense in statement.ends():
        for places, value, low, high in statement.measured(table):
            cell = table.iloc[places[0]].to_dict()
            where = (
                {"cells": len(places)} if statement.of_mean else {"state": cell["state"], "mu": cell["mu"]}
            )
            points.append(Point(where, value, bound, low, high, sense, {"repetitions": cell["repetitions"]}))
    return points


def table_2_best(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """RW-Meta gains more than RW-FTPL, Min Noise and Min Regret, in every cell."""
    return _decided(statements.BEST, ("rw-meta", "rw-ftpl", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_best_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """RW-Meta gains more than every central algorithm, in every cell with privacy."""
    return _decided(statements.BEST_OF_ALL, ("rw-meta", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_ratio(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as Min Noise."""
    return _decided(statements.RATIO, ("rw-meta", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_ratio_to_min_regret(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as Min Regret."""
    return _decided(statements.RATIO_REGRET, ("rw-meta", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_ratio_to_rw_ftpl(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as RW-FTPL."""
    return _decided(statements.RATIO_LOCAL, ("rw-meta", "rw-ftpl"), grid, repetitions, seed, panels)


def table_2_ratio_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell with privacy RW-Meta gains 1.5 to 3 times as much as the strongest central algorithm."""
    return _decided(statements.RATIO_OF_ALL, ("rw-meta", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_best_linear(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """In every cell RW-Meta gains about 90 % (85 to 95) of what the best linear model gains."""
    return _decided(statements.BEST_LINEAR, ("rw-meta",), grid, repetitions, seed, panels, _lost_by_picking)


def table_2_best_linear_mean(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """On average over the cells, RW-Meta gains about 90 % (85 to 95) of what the best linear model gains."""
    return _decided(
        statements.BEST_LINEAR_MEAN, ("rw-meta",), grid, repetitions, seed, panels, _lost_by_picking
    )


def _lost_by_picking(played: Mapping[Cell, Totals]) -> float:
    """Return by how much the mean ratio to the picked model exceeds that to the one of the largest mean."""
    # The largest of several means is too large, and the mean of the picked models too small: the truth lies
    # between.
    lost = []
    for totals in played.values():
        samples = [sample for name, sample in totals.items() if name.startswith(LEARNER)]
        most = max(sample.mean() for sample in samples)
        lost.append(totals["rw-meta"].mean() * (1 / picked(samples).mean() - 1 / most))
    return float(np.mean(lost))


def table_2_negative_regret(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Static regret is negative at no, low and medium privacy."""
    return _decided(statements.NEGATIVE_REGRET, ("rw-meta",), grid, repetitions, seed, panels)


def table_2_runner_up(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Min Noise comes second after RW-Meta: it gains more than Min Regret in every cell."""
    return _decided(statements.SECOND, ("tree-ftpl",), grid, repetitions, seed, panels)


def table_2_runner_up_to_rw_ftpl(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Min Noise gains more than RW-FTPL in every cell with privacy."""
    return _decided(statements.SECOND_LOCAL, ("rw-ftpl", "tree-ftpl"), grid, repetitions, seed, panels)


def table_2_runner_up_of_all(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """The strongest central algorithm gains more than RW-FTPL in every cell with privacy."""
    return _decided(statements.SECOND_OF_ALL, ("rw-ftpl", *_ALL_CENTRAL), grid, repetitions, seed, panels)


def table_2_values(grid: Grid, table: pd.DataFrame) -> list[Point]:
    """The published averages lie in this table's intervals, widened by the spread and rounding of both."""
    if "published_rw_meta" not in table:
        raise NotRunError(f"the data has {in_weeks(table['weeks'])} of the paper's 148")
    points = []
    for row in table.to_dict("records"):
        for name in published.COLUMNS:
            difference = abs(row[name] - row[f"published_{name}"])
            where = {"state": row["state"], "mu": row["mu"], "algorithm": name}
            # Two means with the same spread differ by sqrt 2 of it; two decimals hide 0.005.
            points.append(Point(where, difference, np.sqrt(2) * row[f"{name}_pm"] + 0.005))
    return points
