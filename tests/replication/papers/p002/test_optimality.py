"""The checks of lower bounds and of Remark 1 give the expected verdicts, and the others on mutants."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from private_experts.privacy.selection import report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p002 import optimality
from private_experts.replication.papers.p002.optimality import (
    corollary_1,
    lower_bound,
    minimax,
    noisy_max_error,
    per_action,
    remark_1,
)
from tests.each import each
from tests.replication.papers.p002.streams import at_rate, instead
from tests.replication.papers.small_checks import failing, verdict

RIGHT = {name: getattr(optimality, name) for name in ("privacy_bound", "bayes_bound", "_regret")}
RIGHT |= {name: getattr(optimality, name) for name in ("softmax_errors", "noisy_max_regret")}
least = cache(optimality.minimax_regret)


@pytest.fixture(autouse=True)
def solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all tests of a game share the program that finds its least regret."""
    monkeypatch.setattr(optimality, "minimax_regret", least)


def times(name: str, factor: float) -> Any:
    """Return a function of the module with so many times its value."""
    return lambda *given: RIGHT[name](*given) * factor


LOWER = {"K, T": [[2, 2], [3, 3]], "epsilon": [1.0], "gap": [0.3, 1.0], "rounding": 1e-9}
MINIMAX = {"T": [3, 5], "epsilon": [2.0], "gap": [0.3, 1.0], "factor": 2, "rounding": 1e-9}
WIDE = MINIMAX | {"gap": [1.0]}
RATE = {"K, gap": [[2, 0.2], [1000, 1.0]], "epsilon": [0.2], "T": [4095], "factor": 11}
REMARK = {"K": [10, 1000], "epsilon": [0.2], "noisy max": 7}


@each(
    ("check", "grid"),
    [
        (lower_bound, LOWER),
        (minimax, MINIMAX),
        (corollary_1, RATE),
        (remark_1, REMARK),
    ],
)
def test_the_checks_hold(check: Any, grid: Any) -> None:
    assert verdict(check, grid) == "holds"


def another_level(name: str, factor: float) -> Any:
    """Return a function of (K, T, epsilon, gap) in the module, at so many times epsilon."""
    right = {"privacy_bound": RIGHT["privacy_bound"], "minimax_regret": least}[name]
    return lambda n, horizon, epsilon, gap: right(n, horizon, factor * epsilon, gap)


def without_early_rounds(n: int, beta: Any) -> Any:
    return (ball(n + 1).digamma() - ball(2).digamma()) / beta


@pytest.mark.parametrize(
    ("check", "grid", "mutants"),
    [
        pytest.param(
            lower_bound, LOWER, {"privacy_bound": another_level("privacy_bound", 0.99)}, id="1 % more private"
        ),
        pytest.param(
            lower_bound, LOWER, {"minimax_regret": another_level("minimax_regret", 1.01)}, id="1 % less"
        ),
        pytest.param(minimax, WIDE, {"algorithm_of": instead(at_rate(0.5))}, id="half the rate costs regret"),
        pytest.param(
            minimax, WIDE, {"algorithm_of": instead(at_rate(2.5))}, id="2.5 times the rate is not private"
        ),
        pytest.param(
            minimax, MINIMAX, {"_regret": times("_regret", 1 + 1e-6)}, id="minimax, regret of the library"
        ),
        pytest.param(
            corollary_1, RATE, {"algorithm_of": instead(at_rate(0.8))}, id="four fifths of the rate"
        ),
        pytest.param(
            corollary_1,
            RATE,
            {name: times(name, 0.9) for name in ("privacy_bound", "bayes_bound")},
            id="a lower bound a tenth too small",
        ),
        pytest.param(
            corollary_1, RATE, {"_regret": times("_regret", 1 + 1e-6)}, id="corollary, regret of the library"
        ),
        pytest.param(
            remark_1, REMARK, {"per_action": without_early_rounds}, id="a sum without the early rounds"
        ),
        pytest.param(
            remark_1, REMARK, {"algorithm_of": instead(at_rate(0.98))}, id="errors of a rate 2 % smaller"
        ),
        pytest.param(
            remark_1, REMARK, {"_regret": times("_regret", 1 + 1e-6)}, id="remark, regret of the library"
        ),
    ],
)
def test_mutants_are_caught(check: Any, grid: Any, mutants: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, mutant in mutants.items():
        monkeypatch.setattr(optimality, name, mutant)
    assert verdict(check, grid) == "fails"


def test_a_regret_with_a_second_logarithm_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = RIGHT["noisy_max_regret"]
    monkeypatch.setattr(
        optimality, "noisy_max_regret", lambda n, *rest: exact(n, *rest) * float(np.log(n)) / 5
    )
    assert "report-noisy-max" in failing(remark_1(REMARK), "sum")


def test_an_exact_regret_of_another_rate_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = RIGHT["softmax_errors"]
    monkeypatch.setattr(
        optimality, "softmax_errors", lambda *given: errors(*given[:3], 0.8 * given[3], given[4])
    )
    assert "balls" in failing(corollary_1(RATE), "of")


def test_bounds_that_say_nothing_about_privacy_are_vacuous() -> None:
    points = lower_bound(LOWER | {"epsilon": [4.0]})
    assert {point.where["bound of"] for point in points if point.vacuous} == {"privacy"}
    points = minimax(MINIMAX)
    assert {
        point.where["gap"] for point in points if point.where["side"] == "at most" and not point.vacuous
    } == {1.0}


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
        found = near(noisy_max_error(n, ball(ahead)))
    assert found == pytest.approx((n - 1) * law[1], abs=1e-11)
    if n == 2:
        assert found == pytest.approx(np.exp(-ahead) * (2 + ahead) / 4, rel=1e-13)
