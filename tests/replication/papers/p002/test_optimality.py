"""The checks of lower bounds and of Remark 1 give the expected verdicts, and the others on mutants."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from private_experts.privacy.selection import report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p002 import optimality
from private_experts.replication.papers.p002.optimality import (
    _regret,
    corollary_1,
    lower_bound,
    minimax,
    noisy_max_error,
    noisy_max_regret,
    per_action,
    potential_sum,
    privacy_bound,
    remark_1,
    softmax_errors,
)
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

least = cache(optimality.minimax_regret)


@pytest.fixture(autouse=True)
def solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all tests of a game share the program that finds its least regret."""
    monkeypatch.setattr(optimality, "minimax_regret", least)


LOWER = {"K, T": [[2, 2], [3, 3]], "epsilon": [1.0], "gap": [0.3, 1.0], "rounding": 1e-9}
MINIMAX = {"T": [3, 5], "epsilon": [2.0], "gap": [0.3, 1.0], "factor": 2, "rounding": 1e-9}
WIDE = MINIMAX | {"gap": [1.0]}
RATE = {"K, gap": [[2, 0.2], [1000, 1.0]], "epsilon": [0.2], "T": [4095], "factor": 11}
MORE_ERRORS = {"potential_sum": times(1.2, potential_sum)}
REMARK = {"K": [10, 1000], "epsilon": [0.2], "noisy max": 7}


@each(("check", "grid"), [(lower_bound, LOWER), (minimax, MINIMAX), (corollary_1, RATE), (remark_1, REMARK)])
def test_the_checks_hold(check: Any, grid: Any) -> None:
    assert verdict(check, grid) == "holds"


def more_private(n: int, horizon: int, epsilon: float, gap: float) -> Any:
    return privacy_bound(n, horizon, 0.99 * epsilon, gap)


def at_rate(factor: float) -> Any:
    """Return the errors of selections at so many times the rate."""
    return {
        "softmax_errors": lambda kind, n, gap, beta, most: softmax_errors(kind, n, gap, factor * beta, most)
    }


def with_a_second_logarithm(n: int, *rest: Any) -> Any:
    return noisy_max_regret(n, *rest) * float(np.log(n)) / 5


def without_early_rounds(n: int, beta: Any) -> Any:
    return (ball(n + 1).digamma() - ball(2).digamma()) / beta


@each(
    ("check", "grid", "mutant", "column", "fail"),
    [
        (lower_bound, LOWER, {"privacy_bound": more_private}, "bound of", {"privacy"}),
        (minimax, WIDE, at_rate(0.5), "side", {"at most", "library"}),
        (minimax, WIDE, at_rate(2.5), "side", {"at least", "library"}),
        (corollary_1, RATE, at_rate(0.8), "of", {"balls", "library"}),
        (corollary_1, RATE, {"_regret": times(1 + 1e-6, _regret)}, "of", {"library"}),
        (remark_1, REMARK, {"per_action": without_early_rounds}, "sum", {"action by action"}),
        (remark_1, REMARK, MORE_ERRORS, "sum", {"errors", "errors, library"}),
        (
            remark_1,
            REMARK,
            {"noisy_max_regret": with_a_second_logarithm},
            "sum",
            {"report-noisy-max", "report-noisy-max, library"},
        ),
    ],
)
def test_mutants_are_caught_where_they_are_wrong(
    check: Any, grid: Any, mutant: Any, column: str, fail: set[str]
) -> None:
    assert failing(found(check, grid, **mutant), column) == fail


def test_bounds_that_say_nothing_about_privacy_are_vacuous() -> None:
    points = lower_bound(LOWER | {"epsilon": [4.0]})
    assert {point.where["bound of"] for point in points if point.vacuous} == {"privacy"}
    points = minimax(MINIMAX)
    notes = {point.where["gap"]: point.notes["theorem_1"] for point in points if point.notes}
    assert notes == pytest.approx({gap: np.log(2) * (674 / gap + 32 / 2) for gap in (0.3, 1.0)})
    above = [point for point in points if point.where["side"] == "at most"]
    assert {point.where["gap"] for point in above if not point.vacuous} == {1.0}


def test_the_sum_action_by_action_is_that_of_its_terms() -> None:
    ranks, rounds = np.array([2, 3, 4, 5]), np.arange(1000)
    expected = np.minimum(1 / ranks[:, None], np.exp(-0.1 * rounds)).sum()
    with precision():
        assert near(per_action(5, ball(0.1))) == pytest.approx(expected, rel=1e-12)


def test_what_is_left_out_of_an_integral_is_in_its_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    with precision():
        whole = noisy_max_error(50, ball(12.0))
        monkeypatch.setattr(optimality, "_REACH", 5.0)
        assert noisy_max_error(50, ball(12.0)).contains(whole)


@each(("n", "ahead"), [(2, 0.5), (3, 4.0), (1000, 12.0), (50, 100.0)])
def test_report_noisy_max_errs_as_often_as_the_library_says(n: int, ahead: float) -> None:
    law = report_noisy_max_law([ahead, 0.0], 1.0, [1, n - 1])
    with precision():
        error = near(noisy_max_error(n, ball(ahead)))
    assert error == pytest.approx((n - 1) * law[1], abs=1e-11)
    if n == 2:
        assert error == pytest.approx(np.exp(-ahead) * (2 + ahead) / 4, rel=1e-13)
