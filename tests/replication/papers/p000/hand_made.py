"""Games of the hospital study that are made by hand, for the checks of Table 2; and answers of checks."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point
from tests.replication.papers.small_checks import found
from tests.replication.study.plays import a_panel

GRID: dict[str, Any] = {"mu": [math.inf, 1.0, 0.5], "adjacency": "move"}
GRID["learners"] = {"family": "trend", "windows": [2, 4], "strengths": {"weak": 0.01, "strong": 100.0}}
STATES = {"NM": a_panel(), "PA": a_panel(seed=2)}
Check = Callable[..., list[Point]]
Means = Mapping[str, float]


def asking(check: Check, statement: str) -> Check:
    """Return a check that asks one statement alone, without the label of its points."""

    def asked(grid: Any, repetitions: int, seed: int, panels: Any) -> list[Point]:
        points = check({"more": {}, **grid, "statement": [statement]}, repetitions, seed, panels=panels)
        assert {point.where["statement"] for point in points} == {statement}
        return [
            replace(point, where={key: at for key, at in point.where.items() if key != "statement"})
            for point in points
        ]

    return asked


def ask(put: Any, check: Check, means: Means, changes: Mapping[Any, Means], most: int = 200) -> list[Point]:
    """Ask a check about games whose totals are these means plus small noise, with changes by cell."""

    def player(who: Any, grid: Any, most: int, seed: int, panels: Any) -> Any:
        def play(cell: Any, look: int, repetitions: int) -> dict[str, np.ndarray]:
            rng = rng_for(seed, "test", *cell, look)
            own = {**means, **changes.get(cell, {})}
            return {name: mean + rng.normal(0, 0.1, repetitions) for name, mean in own.items()}

        return play

    put(player=player)
    return points_of(check, GRID, most, 1, panels=STATES)


def ask_where_nothing_varies(put: Any, check: Check, means: Means, **grid: Any) -> list[Point]:
    """Ask a check about games in which all repetitions are equal."""

    def player(who: Any, grid: Any, most: int, seed: int, panels: Any) -> Any:
        return lambda cell, look, repetitions: {
            name: np.full(repetitions, mean) for name, mean in means.items()
        }

    put(player=player)
    return points_of(check, GRID | grid, 100, 1, panels=STATES)


def rows_of_facts(
    check: Check, checks: Mapping[str, str], repetitions: int = 2
) -> dict[str, tuple[Any, ...]]:
    """Return by fact which check a claim of several facts asks, by its name, and with what."""

    def answer(name: str, *given: Any) -> list[Point]:
        return [Point({"asked": (name, *given)}, 0.5, 1.0)]

    answers = {name: partial(answer, name) for name in checks.values()}
    points = found(check, {fact: f"cells of {fact}" for fact in checks}, repetitions, **answers)
    assert len(points) == len(checks)
    return {point.where["fact"]: point.where["asked"] for point in points}
