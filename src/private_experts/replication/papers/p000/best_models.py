"""Which linear model performs best, and on what that depends. [mathematics/000.md#best-models]"""

from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point, labelled
from private_experts.replication.ledger.sequential_repetitions import Cell, Totals, looks, until_decided
from private_experts.replication.papers.p000.study import Panels, player
from private_experts.replication.study.estimates import Estimate, critical_value, mean, ratio
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.intervals import CONFIDENCE

_SIDE = 3  # of twelve models, the middle of the pack has so many before it and so many behind it


def table_2_best_models(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """Which linear model is best depends on state and level, the level more, and is as the paper names it."""
    checks = {
        "the best model varies": _varies,
        "the best models by name": _named_models,
        "it varies more with the level": _level_varies_more,
    }
    return labelled(
        "statement", {name: checks[name](grid, repetitions, seed, panels) for name in grid["statement"]}
    )


def _varies(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """No linear model is the best one in all states, at some level; nor at all levels, in some state."""
    states, levels = list(panels), [float(mu) for mu in grid["mu"]]
    cells = list(product(states, levels))

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        behind = {cell: _behind(leads) for cell, leads in _compared(played, _lead, repetitions).items()}
        points = []
        for what, groups in (
            ("state", [[(state, mu) for state in states] for mu in levels]),
            ("level", [[(state, mu) for mu in levels] for state in states]),
        ):
            # A model is behind somewhere in a group; the one for which this is least so; the clearest group.
            # max over groups of min over models of max over cells: some group, in which every model is behind
            # somewhere.
            value, low, high = np.max(
                [np.min(np.max([behind[cell] for cell in group], axis=0), axis=1) for group in groups], axis=0
            )
            points.append(Point({"depends on": what}, value, 0.0, low, high, ">=", _notes(played)))
        return points

    return until_decided(player(("learners",), grid, repetitions, seed, panels), [cells], judge, repetitions)


def _named_models(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """At high privacy w8-strong is best in PA, in the middle in NM, where a model of window 64 is best."""
    if missing := {"NM", "PA"} - {*panels}:
        raise NotRunError(f"the statement speaks of {' and '.join(sorted(missing))} as well")
    cells = [(state, min(float(mu) for mu in grid["mu"])) for state in ("PA", "NM")]

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        leads = _compared(played, _lead, repetitions)
        pennsylvania, new_mexico = (leads[cell] for cell in cells)
        names = [name for name in played[cells[0]] if name.startswith(LEARNER)]
        named = names.index(f"{LEARNER}w8-strong")
        wide = np.array([name.startswith(f"{LEARNER}w64-") for name in names])
        ahead = np.sort(np.delete(new_mexico[:, :, named], named, axis=1), axis=1)
        behind = np.sort(np.delete(new_mexico[:, named, :], named, axis=1), axis=1)
        found = {
            ("PA", "w8-strong is best"): -_behind(pennsylvania)[[0, 2, 1], named],
            ("NM", "a model of window 64 is best"): new_mexico[:, wide][:, :, ~wide].min(axis=2).max(axis=1),
            ("NM", f"{_SIDE} models are ahead of w8-strong"): ahead[:, -_SIDE],
            ("NM", f"{_SIDE} models are behind w8-strong"): behind[:, -_SIDE],
        }
        return [
            Point({"state": state, "says": statement}, value, 0.0, low, high, ">=", _notes(played))
            for (state, statement), (value, low, high) in found.items()
        ]

    return until_decided(player(("learners",), grid, repetitions, seed, panels), [cells], judge, repetitions)


def _level_varies_more(grid: Grid, repetitions: int, seed: int, panels: Panels) -> list[Point]:
    """One model for two cells costs more for two levels of a state than for two states at a level.

    The cost is the share of the best model's gain that is lost, in the worse of the two cells, by the model
    for which this is least. It is averaged over all such pairs.
    """
    states, levels = list(panels), [float(mu) for mu in grid["mu"]]
    if min(len(states), len(levels)) < 2:
        raise NotRunError("there are no two states or no two levels to be compared")
    cells = list(product(states, levels))

    def judge(played: Mapping[Cell, Totals]) -> list[Point]:
        lost = {cell: shares.max(axis=2) for cell, shares in _compared(played, _lost, repetitions).items()}
        between_levels, between_states = (
            np.mean([np.max([lost[one], lost[other]], axis=0).min(axis=1) for one, other in pairs], axis=0)
            for pairs in (
                [
                    ((state, one), (state, other))
                    for state in states
                    for one, other in combinations(levels, 2)
                ],
                [((one, mu), (other, mu)) for mu in levels for one, other in combinations(states, 2)],
            )
        )
        # The ends of a difference are crossed: low less high, and high less low.
        value, low, high = between_levels - between_states[[0, 2, 1]]
        costs = {"between levels": float(between_levels[0]), "between states": float(between_states[0])}
        return [Point({"cells": len(cells)}, value, 0.0, low, high, ">=", _notes(played) | costs)]

    return until_decided(player(("learners",), grid, repetitions, seed, panels), [cells], judge, repetitions)


def _compared(
    played: Mapping[Cell, Totals], by: Callable[[Array, Array, float, bool], Estimate], most: int
) -> dict[Cell, Array]:
    """Return how each model compares with each, (3, models, models), jointly over cells, pairs and looks."""
    found = {}
    for (state, mu), totals in played.items():
        samples = [sample for name, sample in totals.items() if name.startswith(LEARNER)]
        count, size = len(samples), samples[0].size
        # Every ordered pair of models, in each cell, at each look.
        z = critical_value(CONFIDENCE, len(played) * count * (count - 1) * len(looks(most)), size)
        found[state, mu] = np.zeros((3, count, count))
        for one, other in np.argwhere(~np.eye(count, dtype=bool)):
            value, half_width = by(samples[one], samples[other], z, mu == np.inf)
            found[state, mu][:, one, other] = value, value - half_width, value + half_width
    return found


def _lead(one: Array, other: Array, z: float, exact: bool) -> Estimate:
    """Return by how much one model gains more than another."""
    return mean(one - other, z, exact)


def _lost(one: Array, other: Array, z: float, exact: bool) -> Estimate:
    """Return what share of another model's gain one model loses."""
    value, half_width = ratio(one, other, z, exact)
    return 1 - value, half_width


def _behind(leads: Array) -> Array:
    """Return how far each model is behind the best of the others: value, low and high, shape (3, models)."""
    count = leads.shape[1]
    others: Array = np.where(np.eye(count, dtype=bool), -np.inf, leads).max(axis=1)
    return others


def _notes(played: Mapping[Cell, Totals]) -> dict[str, Any]:
    return {"repetitions": len(next(iter(next(iter(played.values())).values())))}
