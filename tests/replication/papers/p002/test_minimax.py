"""The linear program has the value that other routes give, and its parts are what they are called."""

import numpy as np
import pytest
from scipy import optimize

from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p002 import minimax
from private_experts.replication.papers.p002.minimax import bayes_bound, minimax_regret, privacy_bound
from tests.each import each
from tests.replication.papers.replaced import put


@each("epsilon", [0.2, 1.0, 3.0])
def test_one_letter_tells_as_much_as_randomised_response(epsilon: float) -> None:
    """Second route: after one letter a private choice follows it with probability e^eps / (1 + e^eps)."""
    truth = 1 / (1 + np.exp(-epsilon))
    for gap in (0.3, 1.0):
        right = truth * (1 + gap) / 2 + (1 - truth) * (1 - gap) / 2
        found, expected = minimax_regret(2, 2, epsilon, gap), gap * (0.5 + 1 - right)
        assert near(found.attained) == pytest.approx(expected, abs=1e-8)
        assert near(found.least) == pytest.approx(expected, abs=1e-8)
        assert found.least.lower() - 1e-15 <= expected <= found.attained.upper() + 1e-15


def test_a_law_that_is_not_private_is_mixed_with_chance_until_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solution for a larger epsilon, mended, has more regret than the best and at most random play's."""
    epsilon, solved = 1.0, {}
    attained = minimax._attained
    monkeypatch.setattr(minimax, "_attained", lambda *given: attained(*solved.setdefault("given", given)))
    for level in (1.5, epsilon):
        minimax_regret(2, 4, level, 0.3)
    with precision():
        *given, _, gap = solved["given"]  # of epsilon 1.5
        private = attained(*given, epsilon, gap)
        monkeypatch.undo()
        found = minimax_regret(2, 4, epsilon, 0.3)
        assert found.attained + 1e-3 < private
        assert private < 0.3 * 4 / 2


def test_a_dual_solution_of_larger_costs_proves_no_more_and_what_rounding_may_move_is_mixed() -> None:
    """With costs that are larger by c the value is larger, at most by c times the 15 words before."""
    true, solve = minimax_regret(2, 4, 1.0, 0.3), optimize.linprog
    with put(optimize, linprog=lambda cost, *rest, **words: solve(cost + 1e-4, *rest, **words)):
        found = minimax_regret(2, 4, 1.0, 0.3)
    assert near(true.least) - 15e-4 < near(found.least) < near(true.attained)
    with put(minimax, gamma=lambda _: ball(1e-3)):
        assert minimax_regret(2, 4, 1.0, 0.3).attained > true.attained + 1e-4


@each(("actions", "horizon"), [(2, 4), (3, 3)])
def test_the_two_sides_meet_to_a_billionth(actions: int, horizon: int) -> None:
    for epsilon in (0.2, 4.0):
        with precision():
            found = minimax_regret(actions, horizon, epsilon, 0.3)
            assert not found.attained < found.least
            assert found.attained <= found.least + 1e-9


def test_bayes_bound_is_that_of_enumeration() -> None:
    """Second route for two actions: the generic sum over all words, used for three or more actions."""
    gap, expected = 0.3, 0.0
    for t in range(7):
        heads = np.array([bin(word).count("1") for word in range(2**t)])
        laws = [((1 + gap) / 2) ** (t - heads) * ((1 - gap) / 2) ** heads]
        laws.append(((1 + gap) / 2) ** heads * ((1 - gap) / 2) ** (t - heads))
        expected += gap * (1 - np.maximum(*laws).sum() / 2)
    assert near(bayes_bound(2, 7, gap)) == pytest.approx(expected, abs=1e-12)


def test_the_rest_of_a_long_sum_lies_in_the_ball() -> None:
    for horizon in (650, 700, 10**6):
        terms = 0.9 * 4 / (4 + (1 + 0.9 * np.expm1(0.1)) ** np.arange(min(horizon, 3000)))
        with precision():
            found = privacy_bound(5, horizon, 0.1, 0.9)
            assert abs(found - float(terms.sum())) < 1e-12
            assert found.rad() < 1e-20
