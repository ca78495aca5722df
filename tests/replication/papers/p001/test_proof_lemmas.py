"""The checks of the lemmas give their verdicts on small grids, and others on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p001 import proof_lemmas
from private_experts.replication.papers.p001.proof_lemmas import (
    _adaptive_delta,
    _btl_sides,
    _least,
    be_the_leader,
    composition,
    variational,
)
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

COMPOSITION = {
    "unit": [0.3],
    "failure": [0.0, 1e-5],
    "spent": [0.01],
    "formula": ["companion", "derived"],
    "sizes": [1, 2, 3],
    "squares": 20,
}
FAILING = COMPOSITION | {"spent": [1e-5], "failure": [1e-3], "squares": 36}
LEADER = {"T": [5, 12], "n": [3], "instances": 30}
VARIATIONAL = {"n": [2, 4], "beta": [1.0], "instances": 3, "allowed": 1e-8}


def fails_more(unit: Any, squares: int, sizes: Any, failure: Any, *rest: Any) -> Any:
    return _adaptive_delta(unit, squares, sizes, 11 * failure / 10, *rest)


def moves_cost(share: float) -> Any:
    return lambda *given: (_btl_sides(*given)[0], share * _btl_sides(*given)[1], _btl_sides(*given)[2])


@each(
    ("check", "grid", "mutants", "found"),
    [
        (composition, COMPOSITION, {}, "holds"),
        (composition, COMPOSITION, {"_composed": lambda squares, spent, name: 0.5 * squares}, "fails"),
        (composition, FAILING, {}, "holds"),
        (composition, FAILING, {"_adaptive_delta": fails_more}, "fails"),
        (be_the_leader, LEADER, {}, "holds"),
        (be_the_leader, LEADER, {"_btl_sides": moves_cost(0.999)}, "fails"),
        (be_the_leader, LEADER, {"_btl_sides": moves_cost(1.001)}, "fails"),
        (variational, VARIATIONAL, {}, "holds"),
        (variational, VARIATIONAL, {"_least": times(1 + 1e-6, _least)}, "fails"),
    ],
)
def test_they_hold_and_what_is_wrong_is_caught(check: Any, grid: Any, mutants: Any, found: str) -> None:
    assert verdict(check, grid, **mutants) == found


def test_the_adversarys_delta_is_that_of_three_steps_any_of_which_may_fail() -> None:
    unit, failure, epsilon = 0.3, 0.01, 0.2
    truth = 1 / (1 + np.exp(-unit))
    three, two = truth**3, 3 * truth**2 * (1 - truth)  # steps that tell the truth; with fewer no loss is left
    shown = three * (1 - np.exp(epsilon - 3 * unit)) + two * (1 - np.exp(epsilon - unit))
    with precision():
        found = near(_adaptive_delta(ball(unit), 3, [1], ball(failure), ball(epsilon)))
    assert found == pytest.approx(1 - (1 - failure) ** 3 * (1 - shown), rel=1e-12)


def test_points_whose_epsilon_is_the_sum_of_all_costs_say_nothing() -> None:
    grid = COMPOSITION | {"unit": [0.3, 1.0], "failure": [1e-5], "formula": ["derived"]}
    assert [point.vacuous for point in proof_lemmas.composition(grid)] == [False, True]
