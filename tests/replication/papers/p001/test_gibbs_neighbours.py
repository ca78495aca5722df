"""Each check of Gibbs measures gives its verdict on a small grid, and another one on something wrong."""

from typing import Any

import pytest

from private_experts.private_oco.closeness import log_closeness
from private_experts.private_oco.losses import random_slopes
from private_experts.private_oco.transport import largest_shift
from private_experts.randomness import rng_for
from private_experts.replication.balls import cells, piecewise_gaussian
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import convex_losses, gibbs_neighbours, measures
from private_experts.replication.papers.p001.measures import DOMAINS
from tests.each import each

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
CHECKS = {
    "wasserstein": gibbs_neighbours.wasserstein,
    "density ratio": gibbs_neighbours.density_ratio,
    "concentration": gibbs_neighbours.concentration,
    "second order": gibbs_neighbours.second_order,
}
SETS = ["interval", "disc"]
LOG_PHI = gibbs_neighbours.closeness


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that changes the parameters of the measures by factors, whatever the check is told."""

    def change(of_beta: float, of_lam: float) -> None:
        on_cells = cells.gibbs
        monkeypatch.setattr(
            "private_experts.replication.papers.p001.measures.gibbs",
            lambda loss, beta, lam: piecewise_gaussian.gibbs(loss, beta * of_beta, lam * of_lam),
        )
        monkeypatch.setattr(
            cells, "gibbs", lambda totals, points, beta, lam: on_cells(totals, points, beta * of_beta, lam * of_lam)
        )

    return change


@each("name", CHECKS)
def test_it_holds_for(name: str) -> None:
    points = CHECKS[name](GRID, 2, 1)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert {point.where["set"] for point in points} == {*SETS}


@each("name, where", [(name, where) for name in CHECKS for where in SETS])
def test_evidence_is_narrow(name: str, where: str) -> None:
    for point in CHECKS[name](GRID | {"set": [where]}, 2, 1):
        low, high = point.interval
        assert high - low <= (2.0**-12 + 1e-9 if (name, where) == ("wasserstein", "interval") else 1e-10)


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_regulariser_two_percent_off_is_caught_in(name: str, factor: float, where: str, put: Any) -> None:
    put(1.0, factor)  # the linear pair misses its value on either side
    assert decide(CHECKS[name](GRID | {"set": [where]}, 2, 1)) == "fails"


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", ["density ratio", "concentration", "second order"])
@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_temperature_two_percent_off_is_caught_in(name: str, factor: float, where: str, put: Any) -> None:
    put(factor, 1.0)
    assert decide(CHECKS[name](GRID | {"set": [where]}, 2, 1)) == "fails"


def test_a_regulariser_that_is_a_little_too_weak_is_caught_where_the_bound_is_attained(put: Any) -> None:
    put(1.0, 1 - 1e-14)  # nothing is allowed on the interval
    for name in ("density ratio", "concentration", "second order"):
        assert decide(CHECKS[name](GRID | {"set": ["interval"]}, 2, 1)) == "fails"
    assert (
        decide(gibbs_neighbours.wasserstein(GRID | {"set": ["interval"]}, 2, 1)) == "undecided"
    )  # by less than its steps
    put(1.0, 1 - 1e-8)  # on the disc ten times what is allowed for its cells
    for check in CHECKS.values():
        assert decide(check(GRID | {"set": ["disc"]}, 2, 1)) == "fails"


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", ["wasserstein", "second order"])
def test_losses_steeper_than_stated_are_caught_in(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        convex_losses, "random_slopes", lambda pieces, d, lipschitz, rng: random_slopes(pieces, d, 3 * lipschitz, rng)
    )
    grid = GRID | {"set": [where], "instances": {"interval": 8, "disc": 2}}
    assert decide(CHECKS[name](grid, 2, 1)) == "fails"


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda u, minus_log: 0.8 * LOG_PHI(u, minus_log), id="20 percent too small"),
        pytest.param(lambda u, minus_log: u * u + (LOG_PHI(u, minus_log) - u * u) / 2**0.5, id="no 2 under the root"),
    ],
)
def test_a_ratio_bound_that_is_too_small_is_caught(mutant: Any, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gibbs_neighbours, "closeness", mutant)
    points = gibbs_neighbours.density_ratio(GRID | {"set": [where], "beta": [0.1, 3.0]}, 2, 1)
    assert decide([point for point in points if point.where["quantity"] == "tail / delta"]) == "fails"


@pytest.mark.parametrize("off", [-0.002, 0.002])
def test_a_distance_of_the_library_that_is_off_is_caught(off: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        gibbs_neighbours, "largest_shift", lambda *given: largest_shift(*given) + off
    )  # a hundredth of G / lam
    assert decide(gibbs_neighbours.wasserstein(GRID | {"set": ["interval"]}, 2, 1)) == "fails"


def test_a_ratio_bound_of_the_library_that_is_off_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gibbs_neighbours, "log_closeness", lambda u, delta: (1 + 1e-13) * log_closeness(u, delta))
    assert decide(gibbs_neighbours.density_ratio(GRID | {"set": ["interval"]}, 2, 1)) == "fails"


@each("where", SETS)
def test_a_tail_bound_of_two_fifths_is_caught(where: str) -> None:
    right = gibbs_neighbours.tail_bound  # tails are at most 0.43 of it
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gibbs_neighbours, "tail_bound", lambda *given: 0.42 * right(*given))
        points = gibbs_neighbours.concentration(GRID | {"set": [where]}, 2, 1)
    assert decide([point for point in points if point.where["quantity"] == "tail / bound"]) == "fails"


@each("where", SETS)
def test_both_directions_count(where: str) -> None:
    dimension = DOMAINS[where].dimension
    one, two = (convex_losses.convex(dimension, 2.0, 2.0, 3, rng_for(1, "pair", number)) for number in range(2))
    found = []
    for pair in ((one, two), (two, one)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measures, "pairs", lambda *_, pair=pair: iter([pair]))
            found.append([point.value for point in gibbs_neighbours.density_ratio(GRID | {"set": [where]}, 2, 1)])
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-300)


@each("name", CHECKS)
def test_cases_with_too_many_cells_are_named(name: str) -> None:
    points = CHECKS[name](GRID | {"set": ["disc"], "beta": [3.0, 300.0]}, 2, 1)
    assert {point.notes["not resolved"] for point in points} == {"disc, beta 300, lambda 10"}
    assert all("not resolved" not in point.notes for point in CHECKS[name](GRID | {"set": ["disc"]}, 2, 1))
