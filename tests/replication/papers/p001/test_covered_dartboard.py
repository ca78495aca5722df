"""The dartboard on a cover keeps its bound, and something wrong does not."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dartboard_law import dartboard_law
from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.replication.balls.balls import ball, near, power, precision
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import covered_dartboard
from private_experts.replication.papers.p001.exact_chains import Between, Lotteries


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the check uses."""
    return lambda name, value: monkeypatch.setattr(covered_dartboard, name, value)


COVER = {"losses": ["constant", "linear"], "T": [100], "n": [20], "eta_p": [[0.1, 0.3]]}


def test_the_dartboard_keeps_its_bound_on_a_cover() -> None:
    assert decide(covered_dartboard.dartboard_on_cover(COVER, 2, 1)) == "holds"


def verdicts() -> tuple[str, str, str]:
    """Return the verdicts on the regret, on the program's law, and on its bound."""
    *points, law, bound = covered_dartboard.dartboard_on_cover(COVER, 2, 1)
    return decide(points), decide([law]), decide([bound])


def backwards(laws: Between, lots: Lotteries, budget: float) -> Between:
    law = POINT_LAWS(laws, lots, budget)
    return Between(law.low[:, ::-1], law.high[:, ::-1])


POINT_LAWS, REGRET_BOUND = covered_dartboard.point_laws, covered_dartboard.regret_bound


def test_a_dartboard_that_is_thrown_backwards_is_caught(put: Any) -> None:
    put("point_laws", backwards)
    assert verdicts() == ("fails", "fails", "holds")


def test_half_the_bound_is_caught(put: Any) -> None:
    put("regret_bound", lambda *game: 0.45 * REGRET_BOUND(*game))
    assert verdicts() == ("fails", "holds", "fails")


def test_a_program_with_another_budget_is_caught(put: Any) -> None:
    put("dartboard_law", lambda losses, eta, p, budget: dartboard_law(losses, eta, p, budget // 4))
    assert verdicts() == ("holds", "fails", "holds")


def test_a_program_with_another_bound_is_caught(put: Any) -> None:
    put("theorem_2_regret", lambda *game: (1 + 1e-8) * theorem_2_regret(*game))
    assert verdicts() == ("holds", "holds", "fails")


@pytest.mark.parametrize("eta", [0.01, 0.3])
def test_factors_are_powers_with_the_error_that_is_stated(eta: float) -> None:
    losses = np.linspace(0, 1, 41)
    with precision():
        exact = [power(1 - ball(eta), ball(each)) for each in losses.tolist()]
        off = [
            abs(one / other - 1)
            for one, other in zip(covered_dartboard.factors(losses, eta).tolist(), exact, strict=True)
        ]
        assert all(each < gamma(covered_dartboard._STEPS) for each in off)


def test_bounds_are_around_the_programs_regret_and_near_each_other() -> None:
    losses = np.random.default_rng(1).uniform(-1, 1, (30, 8))
    scaled = losses - losses.min(axis=1, keepdims=True)
    scaled /= scaled.max()
    with precision():
        regret = covered_dartboard.expected(POINT_LAWS(*covered_dartboard.chain(scaled, 0.2, 0.3), 8), losses)
        regret -= covered_dartboard.best_total(losses)
    law = dartboard_law(scaled, 0.2, 0.3, 9).sum(axis=-1)
    assert near(regret) == pytest.approx(float((law * losses).sum() - losses.sum(axis=0).min()), rel=1e-9)
    assert regret.rad() < 1e-9


def test_the_error_of_the_best_total_grows_with_the_losses_and_not_with_their_sum() -> None:
    half = 2.0**-53  # of the last bit of 1, which is dropped
    with precision():
        assert covered_dartboard.best_total(np.array([[1.0], [half], [half], [-1.0]])).contains(ball(2 * half))


def test_the_bound_is_the_dartboards_own_and_half_a_cell_for_each_round() -> None:
    point = covered_dartboard.dartboard_on_cover(COVER, 2, 1)[0]
    assert point.bound == pytest.approx(theorem_2_regret(0.1, 0.3, 100, 20) + 100 / 40, rel=1e-12)
