"""Each check of Gibbs measures gives its verdict on a small grid, and another one on something wrong."""

from typing import Any

import pytest

from private_experts.convex.closeness import log_closeness
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import random_slopes
from private_experts.convex.transport import largest_shift
from private_experts.replication.claims.checks.paper_001 import gibbs
from private_experts.replication.claims.evidence import decide
from tests.each import each

GRID = {
    "set": ["interval", "disc"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "delta": [0.5, 1e-6],
    "cells": {"interval": 3000, "disc": 80},
    "most_cells": {"interval": 3000, "disc": 100},
    "instances": {"interval": 6, "disc": 3},
}
CHECKS = {
    "wasserstein": gibbs.wasserstein,
    "density ratio": gibbs.density_ratio,
    "concentration": gibbs.concentration,
    "second order": gibbs.second_order,
}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(gibbs, name, value)


def other_than_it_says(beta_factor: float, lam_factor: float) -> type[GridGibbs]:
    class Other(GridGibbs):
        """Gibbs measures of another temperature and regulariser than the claims are told."""

        def __init__(self, points: Any, *, beta: float, lam: float) -> None:
            super().__init__(points, beta=beta * beta_factor, lam=lam * lam_factor)
            self.beta, self._true_beta, self.lam = beta, beta * beta_factor, lam

        def log_masses(self, totals: Any) -> Any:
            told, self.beta = self.beta, self._true_beta
            logs = super().log_masses(totals)
            self.beta = told
            return logs

    return Other


@each("name", CHECKS)
def test_it_holds_for(name: str) -> None:
    assert decide(CHECKS[name](GRID, 2, 1)) == "holds"


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_regulariser_ten_percent_off_is_caught_in(name: str, factor: float, put: Any) -> None:
    put("GridGibbs", other_than_it_says(1.0, factor))  # the linear pair misses its value on either side
    assert decide(CHECKS[name](GRID, 2, 1)) == "fails"


@pytest.mark.parametrize("name", ["density ratio", "concentration", "second order"])
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_temperature_ten_percent_off_is_caught_in(name: str, factor: float, put: Any) -> None:
    put("GridGibbs", other_than_it_says(factor, 1.0))
    assert decide(CHECKS[name](GRID, 2, 1)) == "fails"


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_distance_five_percent_off_is_caught(factor: float, put: Any) -> None:
    put("largest_shift", lambda *arguments: factor * largest_shift(*arguments))
    assert decide(gibbs.wasserstein(GRID | {"set": ["interval"]}, 2, 1)) == "fails"


@pytest.mark.parametrize("name", ["wasserstein", "second order"])
def test_losses_steeper_than_stated_are_caught_in(name: str, put: Any) -> None:
    put("random_slopes", lambda pieces, d, lipschitz, rng: random_slopes(pieces, d, 3 * lipschitz, rng))
    assert decide(CHECKS[name](GRID, 2, 1)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda u, delta: 0.8 * log_closeness(u, delta), id="20 percent too small"),
        pytest.param(lambda u, delta: u * u + (log_closeness(u, delta) - u * u) / 2**0.5, id="no 2 under the root"),
    ],
)
def test_a_ratio_bound_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("log_closeness", mutant)
    grid = GRID | {"beta": [0.1, 3.0], "set": ["interval"], "instances": {"interval": 20}}
    assert decide(gibbs.density_ratio(grid, 2, 1)) == "fails"


@each("name", CHECKS)
def test_cases_with_too_many_cells_are_named(name: str) -> None:
    points = CHECKS[name](GRID | {"set": ["disc"], "beta": [3.0, 300.0]}, 2, 1)
    assert {point.notes["not resolved"] for point in points} == {"disc, beta 300, lambda 10"}
    assert all("not resolved" not in point.notes for point in CHECKS[name](GRID | {"set": ["disc"]}, 2, 1))
