"""Exponential weights over learners: the law of the choice, the adaptive rate, and what it counts."""

import math

import numpy as np
import pytest

from private_experts.algorithms import HedgeMeta
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.errors import InputError
from private_experts.learners import Recorded
from private_experts.randomness import rng_for
from tests.algorithms.independence import adaptive_bound
from tests.each import each
from tests.noisy import OPEN, report_of


def meta_of(actions, key="own", **rule):
    return HedgeMeta([Recorded(np.asarray(actions))], OPEN, rng=rng_for(0, "hedge meta", key), **rule)


@each("learners", [2, 5, 40])
@each("rule", [{"rate": 0.3}, {"largest_rate": 2.0}])
def test_noise_is_of_the_rate_for_any_number_of_learners_to_the_digit(learners, rule):
    actions = np.broadcast_to(np.arange(learners)[:, None], (60, learners, 4))
    meta, other = meta_of(actions, "digits", **rule), rng_for(0, "hedge meta", "digits")
    for report in rng_for(0, "credits").random((60, learners)):
        meta._advice()
        extra, rate = meta._extra(), meta.rates[:, None]
        np.testing.assert_allclose(extra, other.gumbel(size=(4, learners)) / rate, rtol=1e-12)
        meta.update(report_of(report, 1.0))
    assert (rate < 1.0).all()


@each("rule", [{"rate": 0.3}, {"largest_rate": 0.5}])
def test_costs_and_rates_by_hand(rule):
    """Of reports with one scale, or one for each expert. In the last round, all learners name one expert."""
    meta = meta_of([[[0], [1], [1]], [[0], [0], [2]], [[1], [1], [1]]], **rule)
    entropy, cost, disagreement, totals = math.log(3), 0.0, 0.0, np.zeros(3)
    for advice, values, scale in (
        ([0, 1, 1], [0.3, 2.0, -1.0], np.array([0.2, 1.0, 30.0])),  # nobody names the last
        ([0, 0, 2], [1.0, 0.0, 0.5], 0.5),
        ([1, 1, 1], [0.0, 1.0, 0.0], 2.0),
    ):
        rate = rule.get("rate", entropy / (entropy / 0.5 + cost))
        assert meta.rates.item() == pytest.approx(rate)
        weights = np.exp(rate * totals) / np.exp(rate * totals).sum()
        law = np.bincount(advice, weights, minlength=3)
        cost += float(round_cost(rate, law, scale))
        disagreement += 1 - law @ law
        totals += np.array(values)[advice]
        meta.update(report_of(values, scale))
        assert meta.cost.item() == pytest.approx(cost)
        assert meta.disagreement.item() == pytest.approx(disagreement)
        assert meta.totals[0] == pytest.approx(totals)
    bound = entropy / 0.3 + cost if "rate" in rule else entropy / 0.5 + 2 * cost
    assert meta.bound.item() == pytest.approx(bound)


@each("scale", [0.0, 0.5, 2.0])
def test_its_own_bound_is_below_that_of_the_theorem(scale):
    rng = rng_for(0, "paths", str(scale))
    meta = meta_of(rng.integers(0, 4, (300, 5, 20)), largest_rate=0.5)
    for gains in rng.random((300, 20, 4)):
        meta.update(report_of(gains + scale * rng.standard_normal((20, 4)), scale))
    for own, disagreement in zip(meta.bound, meta.disagreement, strict=True):
        assert own <= adaptive_bound(scale, 5, disagreement, 0.5)
    assert (meta.disagreement > 20).all()


def test_totals_of_a_long_game_are_no_powers_too_large_for_a_float():
    meta = meta_of([[[0], [1]]] * 3, rate=1.0)
    meta.update(report_of([1000.0, 1001.0], 1.0))
    odds = math.exp(1.0)
    assert meta.probabilities()[0] == pytest.approx([1 / (1 + odds), odds / (1 + odds)])
    meta.update(report_of([0.0, 2000.0], 1.0))
    assert meta.totals[0].tolist() == [1000.0, 3001.0]
    assert np.array_equal(meta._weights(), [[0.0, 1.0]])
    apart = meta_of([[[0, 1], [1, 0]]] * 2, largest_rate=0.5)  # one copy's totals are far from the other's
    apart.update(report_of([[0.0, 1.0], [5000.0, 5001.0]], 1.0))
    assert apart.rates == pytest.approx(math.log(2) / (math.log(2) / 0.5 + apart.cost))
    assert apart._weights()[:, 0] == pytest.approx(1 / (1 + np.exp(apart.rates * [1, -1])))


def test_a_single_learner_is_followed():
    meta = meta_of(np.full((3, 1, 2), 1))
    for _ in range(3):
        assert meta.predict().tolist() == [1, 1]
        meta.update(report_of([0.0, 1.0], 1.0))
    assert (meta.cost == 0).all()


@each(
    "rule",
    [{"rate": 0.0}, {"rate": "fast"}, {"rate": math.inf}, {"largest_rate": 0.0}, {"largest_rate": math.nan}],
)
def test_rates_that_are_not_positive_are_refused(rule):
    with pytest.raises(InputError, match=r"HedgeMeta: (largest_)?rate = .*: write a "):
        meta_of(np.zeros((1, 2, 1), dtype=int), **rule)
