"""The checks of switching and drift give their verdicts on small grids, and others on something wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from private_experts.private_oco.closeness import draw_probability, drift_bound
from private_experts.replication.balls.balls import ball
from private_experts.replication.papers.p001 import draw_rate
from private_experts.replication.papers.p001.chains import joint_laws
from private_experts.replication.papers.p001.draw_rate import (
    allowed,
    draw_chance,
    joint_in,
    lotteries,
)
from tests.each import each
from tests.replication.papers.p001.mutants import put, verdicts
from tests.replication.papers.remembered import remembered

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


@pytest.fixture(autouse=True)
def measures_once() -> Iterator[None]:
    """Compute the exact measures once for all tests."""
    with put(draw_rate, gibbs=GIBBS):
        yield


def test_both_hold() -> None:
    assert verdicts(draw_rate.switching(SWITCHING, 1)) == "holds"
    assert verdicts(draw_rate.lemma_c1(DRIFT, 1)) == "holds"


def test_a_bound_on_the_draws_that_is_too_small_is_caught() -> None:
    with put(draw_rate, draw_chance=lambda *given: 0.7 * draw_chance(*given)):
        assert verdicts(draw_rate.switching(SWITCHING | {"beta_lam": [[10.0, 3.0]]}, 1)) == "fails"


@each(
    ("name", "mutant", "found"),
    [
        ("joint_laws", lambda laws, log_phi, p: joint_laws(laws, log_phi, p) + 3e-12, "holds fails holds"),
        ("lotteries", lambda laws, log_phi, p: lotteries(laws, log_phi, p + 0.02), "fails fails holds"),
        (
            "draw_probability",
            lambda log_phi, p: (1 - 1e-9) * draw_probability(log_phi, p),
            "holds holds fails",
        ),
    ],
)
def test_other_draws_are_caught(name: str, mutant: Any, found: str) -> None:
    with put(draw_rate, **{name: mutant}):
        assert verdicts(draw_rate.switching(SWITCHING, 1), last=2) == found


@each(
    ("name", "mutant", "found"),
    [
        (
            "joint_laws",
            lambda laws, log_phi, p, b: joint_laws(laws, log_phi, p, max(b - 1, 0)),
            "holds fails holds",
        ),
        ("drift_bound", lambda *given: (1 - 1e-9) * drift_bound(*given), "holds holds fails"),
        (
            "draw_probability",
            lambda log_phi, p: (1 - 1e-9) * draw_probability(log_phi, p),
            "holds holds fails",
        ),
        ("joint_in", lambda laws, lots, b, t: joint_in(laws, lots, max(b - 1, 0), t), "fails"),
        ("allowed", lambda rounds, delta, draws: allowed(rounds - 1, delta, draws), "fails"),
    ],
)
def test_another_drift_is_caught(name: str, mutant: Any, found: str) -> None:
    with put(draw_rate, **{name: mutant}):
        assert verdicts(draw_rate.lemma_c1(FEW, 1), last=2).startswith(found)


def test_a_budget_that_is_not_known_is_refused() -> None:
    assert draw_rate._whole(ball(4.2, 4.9)) == 4
    with pytest.raises(ValueError, match="more bits are needed"):
        draw_rate._whole(ball(4.999, 5.001))
