"""What the paper says about Table 2, in words and in numbers. [mathematics/000.md#table-2-looks]

Each statement plays the games that it is about, until it is decided. Statements are defined in
`study.statements`; those about the strongest central algorithm are ours.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point, labelled
from private_experts.replication.ledger.sequential_repetitions import Cell, Totals, looks, once, until_decided
from private_experts.replication.papers.p000.panel_shapes import compared_shapes
from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.study import published, statements
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value, picked
from private_experts.replication.study.hospital_game import LEARNER, Game, Play, game
from private_experts.replication.study.intervals import CONFIDENCE
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


def player(players: Sequence[str], grid: Grid, most: int, seed: int, panels: Panels) -> Callable[..., Totals]:
    """Return what plays new games of a cell. Each look has a seed of its own."""

    def play(cell: Cell, look: int, repetitions: int) -> Totals:
        state, mu = cell
        # Games of another look or another cap are independent, so that no verdict leans on the one before.
        own = int(rng_for(seed, "Table 2", state, mu, look, most).integers(2**62))
        match = game(panels[state], state, [mu], repetitions, own, grid["adjacency"])
        key = (state, mu, own, repetitions)
        return totals_of(players, lambda name: _PLAYERS[name](match, grid["learners"]), grid, panels, key)

    return play


def totals_of(
    players: Iterable[str],
    play: Callable[[str], Iterable[Play]],
    grid: Grid,
    panels: Panels,
    key: tuple[Any, ...],
) -> Totals:
    """Return the total gains in one game of all algorithms that players stand for, by algorithm."""

    def new_game(name: str) -> Totals:
        return {played.algorithm: played.earned.sum(axis=0) for played in play(name)}

    totals: Totals = {}
    for name in players:
        # All that a play depends on: claims that need the same one get it from memory.
        whole = (name, *key, grid["adjacency"], repr(grid["learners"]))
        totals |= once(panels, whole, partial(new_game, name))
    return totals


def _decided(
    statement: statements.Statement, grid: Grid, most: int, seed: int, panels: Panels
) -> list[Point]:
    """Ask a statement of the games that decide it, until it is decided or `most` repetitions are played."""
    cells = [(state, mu) for state in panels for mu in map(float, grid["mu"]) if statement.speaks_of(mu)]
    # A mean over cells needs all of them at the same number of repetitions; else each stops on its own.
    groups = [cells] if statement.of_mean else [[cell] for cell in cells]

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        rows = []
        for (state, mu), totals in played.items():
            best = float(panels[state].density.sum(axis=0).max())
            central = [name for name in CENTRAL if name in totals]
            estimate = estimates(totals, best, central, exact=mu == math.inf)[statement.estimate]
            size = len(next(iter(totals.values())))
            # Jointly over cells, the intervals that one estimate rests on, and looks, or stopping would
            # choose the verdict.
            z = critical_value(CONFIDENCE, len(groups) * estimate.intervals * len(looks(most)), size)
            value, half_width = estimate.of(z)
            # The shape of the study's own table, so that one function reads statements from both.
            row = {"state": state, "mu": mu, "repetitions": size}
            rows.append({**row, statement.estimate: value, f"{statement.estimate}_pm": half_width})
        points = _points(statement, pd.DataFrame(rows))
        if statement.estimate != statements.BEST_LINEAR.estimate:
            return points
        lost = _lost_by_picking(played)
        return [replace(point, low=point.interval[0] - lost) for point in points]

    return until_decided(player(_PLAYED_FOR[statement], grid, most, seed, panels), groups, judge, most)


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


# Which games decide a statement.
_PLAYED_FOR = {
    statements.BEST: ("rw-meta", "rw-ftpl", "tree-ftpl"),
    statements.BEST_OF_ALL: ("rw-meta", *_ALL_CENTRAL),
    statements.RATIO: ("rw-meta", "tree-ftpl"),
    statements.RATIO_REGRET: ("rw-meta", "tree-ftpl"),
    statements.RATIO_LOCAL: ("rw-meta", "rw-ftpl"),
    statements.RATIO_OF_ALL: ("rw-meta", *_ALL_CENTRAL),
    statements.BEST_LINEAR: ("rw-meta",),
    statements.BEST_LINEAR_MEAN: ("rw-meta",),
    statements.NEGATIVE_REGRET: ("rw-meta",),
    statements.SECOND: ("tree-ftpl",),
    statements.SECOND_LOCAL: ("rw-ftpl", "tree-ftpl"),
    statements.SECOND_OF_ALL: ("rw-ftpl", *_ALL_CENTRAL),
}


def table_2_words(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """What the paper says in words of its Table 2 is so in every cell here, as `study.statements` define it.

    A statement that `more` names may play so many times as many repetitions.
    """
    named = {statement.name: statement for statement in _PLAYED_FOR}
    return labelled(
        "statement",
        {
            name: _decided(named[name], grid, repetitions * grid["more"].get(name, 1), seed, panels)
            for name in grid["statement"]
        },
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


def table_2_values(grid: Grid, panels: Panels, table: pd.DataFrame) -> list[Point]:
    """The published averages are reproduced, on panels of the paper's hospitals, weeks and bed counts."""
    compared = {
        "printed averages": lambda: _averages(table),
        "hospitals and weeks": lambda: compared_shapes(panels),
    }
    return labelled("statement", {name: compared[name]() for name in grid["statement"]})


def _averages(table: pd.DataFrame) -> list[Point]:
    """Return how far the published averages are from these, against the spread and rounding of both."""
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
