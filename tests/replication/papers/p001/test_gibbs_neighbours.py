"""Each check of Gibbs measures gives its verdict on a small grid, and another one on something wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from private_experts.private_oco.closeness import log_closeness
from private_experts.randomness import rng_for
from private_experts.replication.balls import cells, piecewise_gaussian
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import gibbs_neighbours, measures
from private_experts.replication.papers.p001.convex_losses import convex
from private_experts.replication.papers.p001.gibbs_neighbours import closeness, tail_bound
from private_experts.replication.papers.p001.measures import DOMAINS
from private_experts.replication.papers.p001.transport import largest_shift
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import times

GRID = {
    "set": ["interval", "disc"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "delta": [0.5, 1e-6],
    "cells": {"disc": 80},
    "most_cells": {"disc": 100},
    "instances": {"interval": 4, "disc": 2},
}
CHECKS = ["wasserstein", "density_ratio", "concentration", "second_order"]
SETS = ["interval", "disc"]
ON_CELLS = cells.gibbs


def points_of(name: str, *sets: str, **changed: Any) -> Any:
    return getattr(gibbs_neighbours, name)(GRID | changed | ({"set": sets} if sets else {}), 1)


@contextmanager
def scaled(of_beta: float, of_lam: float) -> Iterator[None]:
    """Change the parameters of the measures by factors, whatever the check is told."""

    def on_interval(loss: Any, beta: float, lam: float) -> Any:
        return piecewise_gaussian.gibbs(loss, beta * of_beta, lam * of_lam)

    def on_cells(totals: Any, points: Any, beta: float, lam: float) -> Any:
        return ON_CELLS(totals, points, beta * of_beta, lam * of_lam)

    with put(measures, gibbs=on_interval), put(cells, gibbs=on_cells):
        yield


@each("name", CHECKS)
def test_it_holds_by_narrow_evidence_on_both_sets(name: str) -> None:
    points = points_of(name)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert {point.where["set"] for point in points} == {*SETS}
    for point in points:
        low, high = point.interval
        stepped = (name, point.where["set"]) == ("wasserstein", "interval")
        assert high - low <= (2.0**-12 + 1e-9 if stepped else 1e-10)


@each("where", SETS)
@each("name", CHECKS)
def test_parameters_two_percent_too_large_are_caught(name: str, where: str) -> None:
    with scaled(1.0, 1.02):
        assert decide(points_of(name, where)) == "fails"
    with scaled(1.02, 1.0):  # the distance does not depend on the temperature
        assert name == "wasserstein" or decide(points_of(name, where)) == "fails"


def test_a_regulariser_that_is_a_little_too_weak_is_caught_where_the_bound_is_attained() -> None:
    with scaled(1.0, 1 - 1e-14):  # nothing is allowed on the interval
        found = [decide(points_of(name, "interval")) for name in CHECKS]
        assert found == ["undecided", "fails", "fails", "fails"]  # the first, by less than its steps
    with scaled(1.0, 1 - 1e-8):  # on the disc ten times what is allowed for its cells
        assert [decide(points_of(name, "disc")) for name in CHECKS] == ["fails"] * 4


@each("where", SETS)
@each(
    ("check", "quantity", "mutant"),
    [
        ("density_ratio", "tail / delta", {"closeness": times(0.8, closeness)}),
        # tails are at most 0.43 of their bound
        ("concentration", "tail / bound", {"tail_bound": times(0.42, tail_bound)}),
    ],
)
def test_a_bound_that_is_too_small_is_caught(check: str, quantity: str, mutant: Any, where: str) -> None:
    with put(gibbs_neighbours, **mutant):
        points = points_of(check, where, beta=[0.1, 3.0])
    assert decide([point for point in points if point.where["quantity"] == quantity]) == "fails"


@each(
    ("check", "mutant"),
    [  # the former by a hundredth of G / lam
        ("wasserstein", {"largest_shift": lambda *given: largest_shift(*given) - 0.002}),
        ("wasserstein", {"largest_shift": lambda *given: largest_shift(*given) + 0.002}),
        ("density_ratio", {"log_closeness": times(1 + 1e-13, log_closeness)}),
    ],
)
def test_a_library_that_is_off_is_caught(check: str, mutant: Any) -> None:
    with put(gibbs_neighbours, **mutant):
        assert decide(points_of(check, "interval")) == "fails"


@each("where", SETS)
def test_both_directions_count(where: str) -> None:
    one, two = (convex(DOMAINS[where].dimension, 2.0, 2.0, 3, rng_for(1, "pair", k)) for k in range(2))
    found = []
    for pair in ((one, two), (two, one)):
        with put(measures, pairs=lambda *_, pair=pair: iter([pair])):
            found.append([point.value for point in points_of("density_ratio", where)])
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-300)


@each("name", CHECKS)
def test_cases_with_too_many_cells_are_named(name: str) -> None:
    points = points_of(name, "disc", beta=[3.0, 300.0])
    assert {point.notes["not resolved"] for point in points} == {"disc, beta 300, lambda 10"}
    assert all("not resolved" not in point.notes for point in points_of(name, "disc"))
