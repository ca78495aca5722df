"""The checks of the lemmas give their verdicts on small grids, and others on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, log, near, precision, sqrt
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import proof_lemmas

COMPOSITION = {
    "unit": [0.3],
    "failure": [0.0, 1e-5],
    "spent": [0.01],
    "formula": ["companion", "derived"],
    "sizes": [1, 2, 3],
    "squares": 20,
}
LEADER = {"T": [5, 12], "n": [3], "instances": 30}
VARIATION = {"n": [2, 8], "instances": 20}
VARIATIONAL = {"n": [2, 4], "beta": [1.0], "instances": 3, "allowed": 1e-8}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(proof_lemmas, name, value)


def test_they_hold() -> None:
    for check, grid in (
        (proof_lemmas.composition, COMPOSITION),
        (proof_lemmas.be_the_leader, LEADER),
        (proof_lemmas.variation, VARIATION),
        (proof_lemmas.variational, VARIATIONAL),
    ):
        assert decide(check(grid, 2, 1)) == "holds"


@pytest.mark.parametrize(
    "formula",
    [
        pytest.param(lambda squares, spent: 0.5 * squares, id="the mean alone"),
        pytest.param(lambda squares, spent: sqrt(squares * log(1 / spent) / 2), id="no mean, half the root"),
    ],
)
def test_an_epsilon_that_is_too_small_is_caught(formula: Any, put: Any) -> None:
    put("_composed", lambda squares, spent, name: formula(squares, spent))
    assert decide(proof_lemmas.composition(COMPOSITION, 2, 1)) == "fails"


def test_a_bound_without_the_failures_is_caught(put: Any) -> None:
    grid = COMPOSITION | {"spent": [1e-5], "failure": [1e-3], "squares": 36}
    assert decide(proof_lemmas.composition(grid, 2, 1)) == "holds"
    exact = proof_lemmas._adaptive_delta
    put(
        "_adaptive_delta",
        lambda unit, squares, sizes, failure, *rest: exact(unit, squares, sizes, 11 * failure / 10, *rest),
    )
    assert decide(proof_lemmas.composition(grid, 2, 1)) == "fails"


def test_the_adversarys_delta_is_that_of_two_steps_any_of_which_may_fail() -> None:
    unit, failure, epsilon = 0.3, 0.01, 0.2
    both = (1 / (1 + np.exp(-unit))) ** 2 * (1 - np.exp(epsilon - 2 * unit))
    with precision():
        found = near(proof_lemmas._adaptive_delta(ball(unit), 2, [1], ball(failure), ball(epsilon)))
    assert found == pytest.approx(1 - (1 - failure) ** 2 * (1 - both), rel=1e-12)


def test_points_whose_epsilon_is_the_sum_of_all_costs_say_nothing() -> None:
    grid = COMPOSITION | {"unit": [0.3, 1.0], "failure": [1e-5], "formula": ["derived"]}
    assert [point.vacuous for point in proof_lemmas.composition(grid, 2, 1)] == [False, True]


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_moves_that_cost_less_or_more_are_caught(share: float, put: Any) -> None:
    sides = proof_lemmas._btl_sides

    def mutant(losses: Any, regulariser: Any) -> tuple[Any, Any]:
        regret, cost = sides(losses, regulariser)
        return regret, share * cost

    put("_btl_sides", mutant)
    assert decide(proof_lemmas.be_the_leader(LEADER, 2, 1)) == "fails"


def test_laws_that_are_no_laws_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sign = np.sign
    monkeypatch.setattr(np, "sign", lambda x: 0.999 * sign(x))
    assert decide(proof_lemmas.variation(VARIATION, 2, 1)) == "fails"


def test_another_least_value_is_caught(put: Any) -> None:
    least = proof_lemmas._least
    put("_least", lambda prior, f, beta: least(prior, f, beta) * (1 + 1e-6))
    assert decide(proof_lemmas.variational(VARIATIONAL, 2, 1)) == "fails"
