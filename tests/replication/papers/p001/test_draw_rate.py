"""The checks of switching and drift give their verdicts on small grids, and others on something wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from private_experts.private_oco.closeness import draw_probability, drift_bound
from private_experts.replication.balls.balls import ball
from private_experts.replication.papers.p001 import draw_rate
from private_experts.replication.papers.p001.chains import joint_laws
from private_experts.replication.papers.p001.draw_rate import allowed, draw_chance, joint_in, lotteries
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import times, verdict

COMMON = {
    "losses": ["linear", "constant"],
    "beta_lam": [[1.0, 30.0]],
    "T": [20],
    "p": [0.0, 0.1],
    "cells": 20,
}
SWITCHING = COMMON | {"log_phi": [0.02, 1.0]}
DRIFT = COMMON | {
    "beta_lam": [[1.0, 30.0], [10.0, 3.0]],
    "delta": [0.0, 1e-3],
    "budget": ["inf", "3 p~ T", 4],
    "t": [2, 5, 10, 20],
}
FEW = DRIFT | {"losses": ["linear"]}  # enough to show that something is wrong
GIBBS = remembered(draw_rate.gibbs)
TOO_SMALL = {"draw_probability": times(1 - 1e-9, draw_probability)}


@pytest.fixture(autouse=True)
def measures_once() -> Iterator[None]:
    """Compute the exact measures once for all tests."""
    with put(draw_rate, gibbs=GIBBS):
        yield


@each(
    ("grid", "mutants", "found"),
    [
        (SWITCHING, {}, "holds holds holds"),
        (SWITCHING | {"beta_lam": [[10.0, 3.0]]}, {"draw_chance": times(0.7, draw_chance)}, "fails"),
        (SWITCHING, {"joint_laws": lambda *given: joint_laws(*given) + 3e-12}, "holds fails holds"),
        (SWITCHING, {"lotteries": lambda laws, phi, p: lotteries(laws, phi, p + 0.02)}, "fails fails holds"),
        (SWITCHING, TOO_SMALL, "holds holds fails"),
    ],
)
def test_draws_are_as_seldom_as_is_claimed_and_others_are_caught(grid: Any, mutants: Any, found: str) -> None:
    assert verdict(draw_rate.switching, grid, last=2, **mutants).startswith(found)


def one_draw_less(laws: Any, log_phi: float, p: float, budget: float) -> Any:
    return joint_laws(laws, log_phi, p, max(budget - 1, 0))


@each(
    ("grid", "mutants", "found"),
    [
        (DRIFT, {}, "holds holds holds"),
        (
            FEW,
            {"joint_laws": one_draw_less},
            "holds fails holds",
        ),
        (FEW, {"drift_bound": times(1 - 1e-9, drift_bound)}, "holds holds fails"),
        (FEW, TOO_SMALL, "holds holds fails"),
        (FEW, {"joint_in": lambda laws, lots, b, t: joint_in(laws, lots, max(b - 1, 0), t)}, "fails"),
        (FEW, {"allowed": lambda rounds, delta, draws: allowed(rounds - 1, delta, draws)}, "fails"),
    ],
)
def test_the_law_drifts_no_further_than_is_claimed_and_another_drift_is_caught(
    grid: Any, mutants: Any, found: str
) -> None:
    assert verdict(draw_rate.lemma_c1, grid, last=2, **mutants).startswith(found)


def test_a_budget_that_is_not_known_is_refused() -> None:
    assert draw_rate._whole(ball(4.2, 4.9)) == 4
    with pytest.raises(ValueError, match="more bits are needed"):
        draw_rate._whole(ball(4.999, 5.001))
