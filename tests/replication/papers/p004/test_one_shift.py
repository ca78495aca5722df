"""One shift of the best expert: its closed-form regret is the recursion's, and tails are binomial."""

import math

import pytest
from scipy.special import bdtrc

from private_experts.replication.balls.balls import ball, log, near, precision
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p004 import one_shift
from private_experts.replication.papers.p004.tracker import regret_without_budget


@pytest.mark.parametrize("n", [2, 3, 4, 7])
@pytest.mark.parametrize(("horizon", "gap", "eta"), [(2, 1.0, 0.3), (40, 0.8, 0.2), (3000, 1.0, 0.9)])
def test_the_regret_is_that_of_the_recursion(n: int, horizon: int, gap: float, eta: float) -> None:
    with precision():
        found = one_shift.regret(n, horizon, gap, -log(1 - ball(eta)))
    assert near(found) == pytest.approx(regret_without_budget(n, horizon, 1, gap, eta), rel=1e-11)
    assert 4 * gamma(horizon) * near(found) < found.rad() < 1e-14 * horizon * near(found)


@pytest.mark.parametrize(("rounds", "chance", "draws"), [(999, 0.1, 250), (20, 0.3, 18), (50, 0.2, 11)])
def test_the_tail_is_the_binomial_one(rounds: int, chance: float, draws: int) -> None:
    with precision():
        found = one_shift.out_of_draws(rounds, ball(chance), draws)
    exact = math.fsum(
        math.comb(rounds, k) * chance**k * (1 - chance) ** (rounds - k) for k in range(draws, rounds + 1)
    )
    assert near(found) == pytest.approx(exact, rel=1e-12)
    assert near(found) == pytest.approx(float(bdtrc(draws - 1, rounds, chance)), rel=1e-9)


def test_what_is_left_out_of_a_tail_is_in_its_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_shift, "_TERMS", 2)
    with precision():
        assert one_shift.out_of_draws(999, ball(0.1), 110).contains(ball(float(bdtrc(109, 999, 0.1))))


def test_a_tail_below_the_mean_is_not_known() -> None:
    with precision():
        assert one_shift.out_of_draws(10_000, ball(0.5), 1_000).rad() > 0.49
