"""One shift of the best expert: its closed-form regret is the recursion's, and tails are binomial."""

import math

import pytest
from scipy.special import bdtrc

from private_experts.replication.balls.balls import ball, log, near, precision
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p004 import one_shift
from private_experts.replication.papers.p004.tracker import regret_without_budget
from tests.each import each
from tests.replication.papers.small_checks import wrong


@each("n", [2, 3, 4, 7])
@each(("horizon", "gap", "eta"), [(2, 1.0, 0.3), (40, 0.8, 0.2), (3000, 1.0, 0.9)])
def test_the_regret_is_that_of_the_recursion(n, horizon, gap, eta) -> None:
    with precision():
        found = one_shift.regret(n, horizon, gap, -log(1 - ball(eta)))
    assert near(found) == pytest.approx(regret_without_budget(n, horizon, 1, gap, eta), rel=1e-11)
    assert 4 * gamma(horizon) * near(found) < found.rad() < 1e-14 * horizon * near(found)


@each(("rounds", "chance", "draws"), [(999, 0.1, 250), (20, 0.3, 18), (50, 0.2, 11)])
def test_the_tail_is_the_binomial_one(rounds, chance, draws) -> None:
    with precision():
        found = near(one_shift.out_of_draws(rounds, ball(chance), draws))
    counts = range(draws, rounds + 1)
    exact = math.fsum(math.comb(rounds, k) * chance**k * (1 - chance) ** (rounds - k) for k in counts)
    assert found == pytest.approx(exact, rel=1e-12)
    assert found == pytest.approx(float(bdtrc(draws - 1, rounds, chance)), rel=1e-9)


def test_what_is_left_out_of_a_tail_is_in_its_ball_and_one_below_the_mean_is_not_known() -> None:
    with precision():
        with wrong(one_shift, "_TERMS", 2):
            found = one_shift.out_of_draws(999, ball(0.1), 110)
        assert found.contains(ball(float(bdtrc(109, 999, 0.1))))
        assert one_shift.out_of_draws(10_000, ball(0.5), 1_000).rad() > 0.49
