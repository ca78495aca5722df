"""The exact probability of a change of leader, and the batches that follow from it."""

import math

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.papers.p000.exact_rules import exact_rule
from private_experts.walks.delay import log_tolerance
from private_experts.walks.exact_delay import overtaken
from private_experts.walks.levy_bound import sharper_log_bound
from tests.each import each

ETA = 1.5


def test_one_step_is_a_normal_probability() -> None:
    leads, probability = overtaken(1, ETA, 1.0, 12.0)
    expected = [0.5 * math.erfc((lead - 1) / (2 * ETA)) for lead in leads]
    np.testing.assert_allclose(probability[1], expected, rtol=1e-12)


@each("rho", [0.0, 1.0])
def test_the_probability_is_that_of_simulated_walks(rho: float) -> None:
    leads, probability = overtaken(10, ETA, rho, 20.0)
    where = int(np.argmin(np.abs(leads - 8)))
    steps = rng_for(1, "overtaken", rho).normal(-rho, math.sqrt(2) * ETA, (40_000, 10))
    share = ((leads[where] + steps.cumsum(axis=1)).min(axis=1) <= 0).mean()
    assert share == pytest.approx(probability[10, where], abs=0.0125)  # 5 standard errors


def test_without_drift_levys_bound_is_above() -> None:
    leads, probability = overtaken(20, ETA, 0.0, 25.0)
    assert np.all(np.log(probability[20]) <= sharper_log_bound(leads, ETA, 20, 2))


@each("n", [2, 10])
def test_the_rule_spends_the_tolerance_and_no_more(n: int) -> None:
    alpha, rule = 0.01, exact_rule(60, ETA, n, 0.01)
    leads, probability = overtaken(19, ETA, 1.0, 90.0)
    for start, size in ((10, 3), (40, 20)):
        gap = rule[start][size - 1]
        chance = (n - 1) * np.exp(np.interp(gap, leads, np.log(probability[size - 1])))
        assert chance == pytest.approx(math.exp(log_tolerance(n, alpha, start + size)), rel=2e-2)
