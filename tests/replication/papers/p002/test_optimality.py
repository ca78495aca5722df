"""The checks of lower bounds and of Remark 1 give the expected verdicts, and the others on mutants."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import report_noisy_max_law
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import optimality
from tests.each import each

SEED = 1
algorithm_of = optimality.algorithm_of
least = cache(optimality.minimax_regret)


@pytest.fixture(autouse=True)
def solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all tests of a game share the program that finds its least regret."""
    monkeypatch.setattr(optimality, "minimax_regret", least)


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(optimality, name, value)


def at_rate(factor: float) -> Any:
    """Return a function that makes algorithms by name. The paper's selects at so many times its rate."""

    class Mutant(RandomizedPrefix):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return super().law(factor * scores, counts)

    def make(name: str, n: int, epsilon: float, rng: Any) -> DyadicLeader:
        return (
            Mutant(n, PureDP(epsilon, "central"), rng=rng)
            if name == "randomised prefix"
            else algorithm_of(name, n, epsilon, rng)
        )

    return make


LOWER = {"K, T": [[2, 2], [3, 3]], "epsilon": [1.0], "gap": [0.3, 1.0], "rounding": 1e-9}


def test_no_private_algorithm_is_under_the_lower_bound() -> None:
    assert decide(optimality.lower_bound(LOWER, 2, SEED)) == "holds"


def test_a_lower_bound_for_one_percent_more_privacy_is_caught(put: Any) -> None:
    privacy_bound = optimality.privacy_bound
    put("privacy_bound", lambda n, horizon, epsilon, gap: privacy_bound(n, horizon, 0.99 * epsilon, gap))
    assert decide(optimality.lower_bound(LOWER, 2, SEED)) == "fails"


def test_algorithms_with_one_percent_less_privacy_are_caught(put: Any) -> None:
    minimax_regret = optimality.minimax_regret
    put("minimax_regret", lambda n, horizon, epsilon, gap: minimax_regret(n, horizon, 1.01 * epsilon, gap))
    assert decide(optimality.lower_bound(LOWER, 2, SEED)) == "fails"


def test_a_bound_below_that_without_privacy_is_vacuous() -> None:
    points = optimality.lower_bound(LOWER | {"epsilon": [4.0]}, 2, SEED)
    assert {point.where["bound of"] for point in points if point.vacuous} == {"privacy"}


MINIMAX = {"T": [3, 5], "epsilon": [2.0], "gap": [0.3, 1.0], "factor": 2, "rounding": 1e-9}


def test_the_algorithm_has_at_most_twice_the_least_regret() -> None:
    points = optimality.minimax(MINIMAX, 2, SEED)
    assert decide(points) == "holds"
    assert {point.where["gap"] for point in points if point.where["side"] == "at most" and not point.vacuous} == {1.0}


@pytest.mark.parametrize("factor", [0.5, 2.5])
def test_an_algorithm_of_another_rate_has_too_much_regret_or_too_little(factor: float, put: Any) -> None:
    put("algorithm_of", at_rate(factor))  # a smaller rate costs regret, a larger one is not private
    assert decide(optimality.minimax(MINIMAX | {"T": [3, 5], "gap": [1.0]}, 2, SEED)) == "fails"


RATE = {"K, gap": [[2, 0.2], [1000, 1.0]], "epsilon": [0.2], "T": [4095], "factor": 11}


def test_the_regret_is_within_11_of_the_lower_bound() -> None:
    assert decide(optimality.corollary_1(RATE, 2, SEED)) == "holds"


def test_four_fifths_of_the_rate_are_caught(put: Any) -> None:
    put("algorithm_of", at_rate(0.8))
    assert decide(optimality.corollary_1(RATE, 2, SEED)) == "fails"


def test_a_lower_bound_a_tenth_too_small_is_caught(put: Any) -> None:
    for name in ("privacy_bound", "bayes_bound"):
        bound = getattr(optimality, name)
        put(name, lambda *args, bound=bound: 0.9 * bound(*args))
    assert decide(optimality.corollary_1(RATE, 2, SEED)) == "fails"


def test_the_two_forms_are_within_2() -> None:
    grid = {"gap": [0.1, 1.0], "epsilon": [0.1, 0.5]}
    assert decide(optimality.equation_2(grid, 2, SEED)) == "holds"


def test_the_larger_in_the_place_of_the_smaller_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimality, "min", max, raising=False)
    assert decide(optimality.equation_2({"gap": [0.1], "epsilon": [0.5]}, 2, SEED)) == "fails"


REMARK = {"K": [10, 1000], "epsilon": [0.2], "noisy max": 7}


def test_one_sum_has_a_second_logarithm_and_the_other_has_not() -> None:
    assert decide(optimality.remark_1(REMARK, 2, SEED)) == "holds"


def test_the_sum_action_by_action_is_that_of_its_terms() -> None:
    ranks, rounds = np.array([2, 3, 4, 5]), np.arange(1000)
    expected = np.minimum(1 / ranks[:, None], np.exp(-0.1 * rounds)).sum()
    with precision():
        assert near(optimality.per_action(5, ball(0.1))) == pytest.approx(expected, rel=1e-12)


def test_what_is_left_out_of_an_integral_is_in_its_ball(put: Any) -> None:
    with precision():
        whole = optimality.noisy_max_error(50, ball(12.0))
        put("_REACH", 5.0)
        assert optimality.noisy_max_error(50, ball(12.0)).contains(whole)


@each(("n", "ahead"), [(2, 0.5), (3, 4.0), (1000, 12.0), (50, 100.0)])
def test_report_noisy_max_errs_as_often_as_the_library_says(n: int, ahead: float) -> None:
    law = report_noisy_max_law([ahead, 0.0], 1.0, [1, n - 1])
    with precision():
        found = optimality.noisy_max_error(n, ball(ahead))
    assert near(found) == pytest.approx((n - 1) * law[1], abs=1e-11)
    if n == 2:
        assert near(found) == pytest.approx(np.exp(-ahead) * (2 + ahead) / 4, rel=1e-13)


def test_a_sum_without_the_early_rounds_is_caught(put: Any) -> None:
    put("per_action", lambda n, beta: (ball(n + 1).digamma() - ball(2).digamma()) / beta)
    assert decide(optimality.remark_1(REMARK, 2, SEED)) == "fails"


def test_errors_of_a_rate_two_percent_smaller_are_caught(put: Any) -> None:
    put("algorithm_of", at_rate(0.98))
    assert decide(optimality.remark_1(REMARK, 2, SEED)) == "fails"


def test_a_regret_with_a_second_logarithm_is_caught(put: Any) -> None:
    exact = optimality.noisy_max_regret
    put("noisy_max_regret", lambda n, *rest: exact(n, *rest) * float(np.log(n)) / 5)
    points = optimality.remark_1(REMARK, 2, SEED)
    assert decide([point for point in points if point.where["sum"] == "report-noisy-max"]) == "fails"


def test_a_regret_of_the_library_a_millionth_larger_is_caught(put: Any) -> None:
    regret = optimality._regret
    put("_regret", lambda *given: regret(*given) * (1 + 1e-6))
    for check, grid in ((optimality.remark_1, REMARK), (optimality.corollary_1, RATE), (optimality.minimax, MINIMAX)):
        assert decide(check(grid, 2, SEED)) == "fails"


def test_an_exact_regret_of_another_rate_is_caught(put: Any) -> None:
    errors = optimality.softmax_errors
    put("softmax_errors", lambda kind, n, gap, beta, most: errors(kind, n, gap, 0.8 * beta, most))
    points = optimality.corollary_1(RATE, 2, SEED)
    assert decide([point for point in points if point.where["of"] == "balls"]) == "fails"
