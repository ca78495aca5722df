"""The checks of switching and drift give their verdicts on small grids, and others on something wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.chains import joint_laws
from private_experts.private_oco.closeness import draw_probability, drift_bound
from private_experts.replication.balls.balls import ball, exp
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import draw_rate
from private_experts.replication.papers.p001.exact_chains import Between
from tests.replication.papers.remembered import remembered

COMMON = {"losses": ["linear", "constant"], "beta_lam": [[1.0, 30.0]], "T": [20], "p": [0.0, 0.1], "cells": 20}
SWITCHING = COMMON | {"log_phi": [0.02, 1.0]}
DRIFT = COMMON | {
    "beta_lam": [[1.0, 30.0], [10.0, 3.0]],
    "delta": [0.0, 1e-3],
    "budget": ["inf", "3 p~ T", 4],
    "t": [2, 5, 10, 20],
}
FEW = DRIFT | {"losses": ["linear"]}  # enough to show that something is wrong


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(draw_rate, name, value)


GIBBS = remembered(draw_rate.gibbs)


@pytest.fixture(autouse=True)
def measures_once(put: Any) -> None:
    """Compute the exact measures once for all tests."""
    put("gibbs", GIBBS)


def test_both_hold() -> None:
    assert decide(draw_rate.switching(SWITCHING, 2, 1)) == "holds"
    assert decide(draw_rate.lemma_c1(DRIFT, 2, 1)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda laws, log_phi, p: joint_laws(laws, log_phi, p + 0.02), id="p 0.02 higher"),
        pytest.param(lambda laws, log_phi, p: joint_laws(laws, 1.1 * log_phi, p), id="log Phi 10 percent higher"),
        pytest.param(lambda laws, log_phi, p: joint_laws(laws, 0.9 * log_phi, p), id="log Phi 10 percent lower"),
        pytest.param(lambda laws, log_phi, p: joint_laws(laws[:-1], log_phi, p), id="a round less"),
        pytest.param(lambda laws, log_phi, p: joint_laws(laws, log_phi, p) + 3e-12, id="3e-12 off"),
    ],
)
def test_a_program_with_other_chances_of_a_draw_is_caught(mutant: Any, put: Any) -> None:
    put("joint_laws", mutant)
    *points, program, _ = draw_rate.switching(SWITCHING, 2, 1)
    assert (decide(points), decide([program])) == ("holds", "fails")


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda laws, log_phi, p: LOTTERIES(laws, log_phi, p + 0.02), id="p 0.02 higher"),
        pytest.param(lambda laws, log_phi, p: LOTTERIES(laws, 1.1 * log_phi, p), id="log Phi 10 percent higher"),
        pytest.param(lambda laws, log_phi, p: LOTTERIES(laws, 0.9 * log_phi, p), id="log Phi 10 percent lower"),
    ],
)
def test_other_chances_of_a_draw_are_caught(mutant: Any, put: Any) -> None:
    put("lotteries", mutant)
    *points, program, _ = draw_rate.switching(SWITCHING, 2, 1)
    assert (decide(points), decide([program])) == ("fails", "fails")


LOTTERIES = draw_rate.lotteries


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda log_phi, p: 1 - exp(-ball(log_phi)) + p, id="1 - 1 / Phi"),
        pytest.param(lambda log_phi, p: 0.7 * CHANCE(log_phi, p), id="30 percent too small"),
        pytest.param(lambda log_phi, p: CHANCE(log_phi, 0.0), id="without p"),
    ],
)
def test_a_bound_on_the_draws_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("draw_chance", mutant)
    assert decide(draw_rate.switching(SWITCHING | {"beta_lam": [[10.0, 3.0]]}, 2, 1)) == "fails"


CHANCE = draw_rate.draw_chance


def late_draws(laws: Any, log_phi: float, p: float, budget: float = math.inf) -> Any:
    """Run a chain that draws from the measure of the round before."""
    return joint_laws(np.concatenate([laws[:1], laws[:-1]]), log_phi, p, budget)


def no_lottery(laws: Any, log_phi: float, p: float, budget: float = math.inf) -> Any:
    """Run a chain that never draws."""
    return joint_laws(laws, log_phi, p, 0.0)


def smaller_scale(laws: Any, log_phi: float, p: float, budget: float = math.inf) -> Any:
    """Run a chain whose Phi is too small for the closeness that is stated."""
    return joint_laws(laws, 0.8 * log_phi, p, budget)


def smaller_budget(laws: Any, log_phi: float, p: float, budget: float = math.inf) -> Any:
    """Run a chain that stops one draw too early."""
    return joint_laws(laws, log_phi, p, max(budget - 1, 0))


@pytest.mark.parametrize("mutant", [late_draws, no_lottery, smaller_scale, smaller_budget])
def test_a_program_with_another_chain_is_caught(mutant: Any, put: Any) -> None:
    put("joint_laws", mutant)
    *points, program, _ = draw_rate.lemma_c1(FEW, 2, 1)
    assert (decide(points), decide([program])) == ("holds", "fails")


def a_round_late(laws: Between, *rest: Any) -> Any:
    """Draw from the measure of the round before."""
    return JOINT(Between(*(np.concatenate([end[:1], end[:-1]]) for end in laws)), *rest)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("lotteries", lambda laws, log_phi, p: LOTTERIES(laws, 0.8 * log_phi, p), id="Phi too small"),
        pytest.param("clipped", lambda laws, log_phi: CLIPPED(laws, 0.8 * log_phi), id="the same in balls"),
        pytest.param("joint_in", a_round_late, id="late draws"),
        pytest.param("joint_in", lambda laws, lots, b, t: JOINT(laws, lots, max(b - 1, 0), t), id="smaller budget"),
    ],
)
def test_another_chain_drifts_too_far(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    *points, _, _ = draw_rate.lemma_c1(FEW, 2, 1)
    assert decide(points) == "fails"


JOINT, CLIPPED, ALLOWED = draw_rate.joint_in, draw_rate.clipped, draw_rate.allowed


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda rounds, delta, draws: 0.3 * ALLOWED(rounds, delta, draws), id="0.9 delta"),
        pytest.param(lambda rounds, delta, draws: ALLOWED(1, delta, draws), id="not growing"),
        pytest.param(lambda rounds, delta, draws: ALLOWED(rounds - 1, delta, draws), id="a round less"),
    ],
)
def test_a_drift_bound_that_is_too_small_is_caught(mutant: Any, put: Any) -> None:
    put("allowed", mutant)
    assert decide(draw_rate.lemma_c1(FEW, 2, 1)) == "fails"


def test_a_bound_of_the_program_that_is_too_small_is_caught(put: Any) -> None:
    put("draw_probability", lambda log_phi, p: (1 - 1e-9) * draw_probability(log_phi, p))
    assert decide(draw_rate.switching(SWITCHING, 2, 1)[-1:]) == "fails"
    assert decide(draw_rate.lemma_c1(FEW, 2, 1)[-1:]) == "fails"


def test_a_drift_bound_of_the_program_that_is_too_small_is_caught(put: Any) -> None:
    put("drift_bound", lambda rounds, delta, draws: (1 - 1e-9) * drift_bound(rounds, delta, draws))
    assert decide(draw_rate.lemma_c1(FEW, 2, 1)[-1:]) == "fails"


def test_a_budget_that_is_not_known_is_refused() -> None:
    assert draw_rate._whole(ball(4.2, 4.9)) == 4
    with pytest.raises(ValueError, match="more bits are needed"):
        draw_rate._whole(ball(4.999, 5.001))
