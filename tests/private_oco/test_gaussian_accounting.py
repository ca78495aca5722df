"""The accountings in Gaussian levels, against the pieces that they are made of."""

import math

import pytest
from scipy.stats import norm

from private_experts.private_oco.convex_regret import gibbs_regret
from private_experts.private_oco.gaussian_accounting import (
    every_round_regret,
    first_useful,
    lazy_private_parameters,
    lazy_private_regret,
    lazy_scale,
)
from private_experts.private_oco.gaussian_levels import (
    every_round_scale,
    lottery_level,
    play_level,
)
from tests.each import each


def test_a_lottery_at_its_ends():
    assert lottery_level(1.0, 3.0) == 0.0
    assert lottery_level(0.2, 0.0) == 0.0
    assert lottery_level(1e-6, 1e-9) == pytest.approx(1e-9 / norm.pdf(norm.ppf(1e-6)), rel=1e-3)


def test_a_play_adds_squares_of_one_lottery_the_later_ones_and_the_draws():
    u, log_phi, p = 0.01, 0.3, 0.1
    first, later = lottery_level(p, 0.6), lottery_level(p, 2e-4)
    assert play_level(u, 12, log_phi, p, 5) ** 2 == pytest.approx(first**2 + 10 * later**2 + 5 * 4e-4)
    assert play_level(u, 12, log_phi, p, math.inf) == pytest.approx(play_level(u, 12, log_phi, p, 11))
    # what is left of a budget allows one more draw
    assert play_level(u, 12, log_phi, p, 4.1) == play_level(u, 12, log_phi, p, 5)
    assert play_level(u, 12, log_phi, 1.0, math.inf) == pytest.approx(2 * u * math.sqrt(11))


@each("level", [0.02, 5.0])
@each("horizon", [2, 10**12])
def test_scales_have_their_level(level, horizon):
    assert 2 * every_round_scale(horizon, level) * math.sqrt(horizon - 1) == pytest.approx(level)
    assert lazy_scale(horizon, level, 1.0) == pytest.approx(every_round_scale(horizon, level), rel=1e-9)
    beta, lam, *lottery = lazy_private_parameters(horizon, 3, level, lipschitz=2.0, diameter=5.0)
    assert play_level(2 * math.sqrt(beta / lam), horizon, *lottery) == pytest.approx(level, rel=1e-6)


def test_the_bounds_are_those_of_the_gibbs_measures():
    expected = 10 * (math.sqrt(200 + 8 * 3 * 99 * math.log(100) / 0.25) + 1)
    assert every_round_regret(100, 3, 0.5, 2.0, 5.0) == pytest.approx(expected)
    beta, lam, *_ = lazy_private_parameters(100, 3, 0.5, lipschitz=2.0, diameter=5.0)
    extra = lazy_private_regret(100, 3, 0.5, None, 2.0, 5.0) - gibbs_regret(100, 3, beta, lam, 2.0, 5.0)
    assert extra == pytest.approx(0.6)  # 6 G D / T, and next to nothing for the budget


def test_the_first_useful_round_is_the_first():
    assert first_useful(lambda horizon: 10.5) == 11
    assert first_useful(lambda horizon: 1000 * horizon**0.5) == 1_000_001


@each(("horizon", "p"), [(3, 0.4), (10_000, 0.05)])
def test_each_of_many_lotteries_and_draws_counts_in_full(horizon, p):
    u, log_phi, budget = 1e-2, 0.3, 5000

    def lottery(spread):
        return norm.ppf(p + (1 - p) * -math.expm1(-spread)) - norm.ppf(p)

    draws = min(budget, horizon - 1)
    squares = lottery(2 * log_phi) ** 2 + (horizon - 2) * lottery(2 * u**2) ** 2 + draws * (2 * u) ** 2
    assert play_level(u, horizon, log_phi, p, budget) == pytest.approx(math.sqrt(squares), rel=1e-9)
