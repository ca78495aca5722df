"""The theorems' formulas, against the pieces they are made of."""

import math

import pytest

from private_experts.private_oco.closeness import draw_probability, drift_bound, log_closeness
from private_experts.private_oco.convex_regret import gibbs_parameters, gibbs_regret
from private_experts.private_oco.parameters import lazy_parameters, lazy_regret, private_parameters
from private_experts.private_oco.private_accounting import (
    advanced_epsilon,
    careful_epsilon,
    closed_scale,
    mended_cost,
    mended_epsilon,
    private_scale,
)
from tests.each import each


@each("u", [1e-6, 0.1])
@each("horizon", [30, 1e15])
def test_the_mended_cost_covers_the_sum_of_squares(u, horizon):
    delta, p = 1e-6, horizon ** (-1 / 3)
    log_phi = 2 * log_closeness(3 * u, delta / (60 * horizon**2))
    budget = 3 * draw_probability(log_phi, p) * horizon
    exactly = (2 * log_phi / p) ** 2 + 2 * budget * log_phi**2 + 2 * horizon * (3 * u * u / p) ** 2
    assert exactly <= mended_cost(u, horizon, delta)
    if log_phi < 0.05:
        assert exactly > 0.9 * mended_cost(u, horizon, delta)


def test_the_careful_accounting_never_spends_more():
    for u in (1e-6, 1e-4, 1e-2):
        for horizon in (30, 1e4, 1e9):
            assert 0 < careful_epsilon(u, horizon, 1e-6) < mended_epsilon(u, horizon, 1e-6)


def test_the_careful_accounting_counts_each_lottery_and_draw():
    u, horizon, delta = 1e-3, 1e6, 1e-6
    log_phi, p = log_closeness(u, 1e-18), 0.01
    budget = math.floor(3 * draw_probability(log_phi, p) * horizon)
    squares = (2 * log_phi / p) ** 2 + horizon * (2 * u * u / p) ** 2
    squares += budget * log_closeness(2 * u, delta / (2 * budget)) ** 2
    spent = squares / 2 + math.sqrt(2 * squares * math.log(2 / delta))
    assert careful_epsilon(u, horizon, delta) == pytest.approx(spent)


def test_the_best_lambda_is_best():
    beta, lam = gibbs_parameters(1000, 3, 0.02, 2.0, 5.0)
    assert 2.0 * math.sqrt(beta / lam) == pytest.approx(0.02)
    least = gibbs_regret(1000, 3, beta, lam, 2.0, 5.0)
    assert least == pytest.approx(10 * (math.sqrt(2000 + 6 * math.log(1000) / 0.02**2) + 1))
    for factor in (0.8, 1.2):  # at the same scale u
        assert gibbs_regret(1000, 3, beta * factor, lam * factor, 2.0, 5.0) > least


@each("accounting", ["mended", "careful"])
def test_the_scale_by_bisection_spends_epsilon_and_no_more(accounting):
    spend = {"mended": mended_epsilon, "careful": careful_epsilon}[accounting]
    for horizon, epsilon, delta in (
        (100, 1.0, 1e-2),
        (1e6, 0.1, 1e-6),
        (1e12, 1e-3, 1e-12),
        (1e60, 1.0, 1e-6),
    ):
        u = private_scale(horizon, epsilon, delta, accounting)
        assert spend(u, horizon, delta) <= epsilon < spend(u * (1 + 1e-3), horizon, delta)
        assert u > closed_scale(horizon, epsilon, delta)


def test_private_parameters_are_those_of_the_theorem():
    for accounting in ("closed", "mended"):
        beta, lam, log_phi, p, budget = private_parameters(1000, 2, 0.5, 1e-6, 2.0, 3.0, accounting)
        u = private_scale(1000, 0.5, 1e-6, accounting)
        assert 2.0 * math.sqrt(beta / lam) == pytest.approx(u)
        assert log_phi == pytest.approx(18 * u * u + 6 * u * math.sqrt(2 * math.log(120 * 1e6 / 1e-6)))
        assert p == pytest.approx(0.1)
        assert budget == math.floor(3 * (p + 1 - math.exp(-2 * log_phi)) * 1000)
    log_phi, p, budget = private_parameters(1000, 2, 0.5, 1e-6, accounting="careful")[2:]
    assert budget == math.floor(3 * draw_probability(log_phi, p) * 1000)


def test_the_lazy_parameters_and_bound_are_those_of_the_regret_theorem():
    for horizon, switches, dimension in ((3, 1, 1), (1000, 50, 2), (10**6, 10**4, 7)):
        beta, lam, log_phi, p, budget = lazy_parameters(horizon, dimension, switches, 2.0, 3.0)
        delta = 2 / horizon**2
        assert (p, budget) == (0.0, math.inf)
        assert log_phi == pytest.approx(log_closeness(2.0 * math.sqrt(beta / lam), delta))
        exactly = gibbs_regret(horizon, dimension, beta, lam, 2.0, 3.0) + 6 * 6 * delta * horizon**2
        assert 0.5 * lazy_regret(horizon, dimension, switches, 2.0, 3.0) < exactly
        assert exactly <= lazy_regret(horizon, dimension, switches, 2.0, 3.0)


def test_composition_is_lemma_a1_and_closeness_the_lemmas():
    assert advanced_epsilon(0.04, 2e-3) == pytest.approx(0.06 + math.sqrt(0.24 * math.log(1e3)))
    assert log_closeness(0.3, 0.02) == pytest.approx(0.09 + 0.3 * math.sqrt(2 * math.log(100)))
    assert drift_bound(9, 0.01) == pytest.approx(0.27)
    assert drift_bound(9, 0.01, 3.0) == pytest.approx(0.27 + math.exp(-3))
