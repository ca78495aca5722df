"""The chain between two bounds: they are around the program's law, and near each other."""

import math

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, exp, near
from private_experts.replication.balls.sums import NORMAL
from private_experts.replication.papers.p001 import exact_chains
from private_experts.replication.papers.p001.chains import closeness, joint_laws, marginals
from tests.each import each

pytestmark = pytest.mark.usefixtures("in_balls")

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(20), beta=10.0, lam=3.0)
LOSSES = np.random.default_rng(1).uniform(-1, 1, (12, 1)) * FAMILY.points[:, 0]


@each("p", [0.0, 0.3])
@each("log_phi", [0.1, 20.0])
@each("budget", [1, 3.5, math.inf])
def test_the_law_lies_between_both_bounds(p: float, log_phi: float, budget: float) -> None:
    laws = exact_chains.between(exact_chains.gibbs(FAMILY.points[:, 0], LOSSES, FAMILY.beta, FAMILY.lam))
    lots = exact_chains.lotteries(laws, log_phi, p)
    law = exact_chains.joint(laws, lots, budget)
    program = FAMILY.laws(LOSSES)
    computed = joint_laws(program, log_phi, p, budget)[-1]
    assert lots.unclipped is (closeness(program, log_phi) == 0.0)
    assert (law.low <= law.high).all()
    np.testing.assert_allclose(law.low, computed, rtol=1e-10, atol=1e-200)
    np.testing.assert_allclose(law.high, computed, rtol=1e-10, atol=1e-200)
    low, high = exact_chains.marginal(law)
    assert low.sum() <= 1 <= high.sum()
    assert high.sum() - low.sum() < 1e-11


def test_a_probability_lies_between_its_floats_and_is_refused_where_few_of_its_digits_are_known() -> None:
    third = ball(1) / 3
    low, high = exact_chains.between([[third]])
    assert ball(float(low[0, 0])) < third < ball(float(high[0, 0]))
    exact_chains.between([[ball(NORMAL), ball(1)]])
    for unknown in (exp(ball(-740)), exp(ball(-760)), ball(0.3, 0.4)):
        with pytest.raises(AssertionError):
            exact_chains.between([[ball(1), unknown]])


def test_sums_count_a_rounding_for_each_number_and_what_is_too_small() -> None:
    ones = np.ones((1, 50))
    low, high = exact_chains.marginal(exact_chains.Between(ones, ones))
    assert low[0] <= 50 * (1 - 50 * 2.0**-53) < 50 * (1 + 50 * 2.0**-53) <= high[0]
    assert exact_chains.marginal(exact_chains.Between(0 * ones, 0 * ones)).high[0] >= 50 * NORMAL


def test_the_drift_of_two_laws_is_half_the_sum_of_differences() -> None:
    one, other = (
        exact_chains.Between(*[np.array(law)] * 2) for law in ([0.5, 0.25, 0.25], [0.125, 0.5, 0.375])
    )
    assert exact_chains.drift(one, other).contains(ball(0.375))


def test_exact_drifts_are_those_of_the_program() -> None:
    laws = exact_chains.gibbs(FAMILY.points[:, 0], LOSSES, FAMILY.beta, FAMILY.lam)
    found = exact_chains.exact_drifts(laws, exact_chains.clipped(laws, 0.1), 0.3, [2, 5, 12])
    program = FAMILY.laws(LOSSES)
    expected = 0.5 * np.abs(marginals(program, 0.1, 0.3)[0] - np.exp(program)).sum(axis=1)[[1, 4, 11]]
    assert expected.min() > 1e-5
    np.testing.assert_allclose([near(distance) for distance in found], expected, rtol=1e-9)
