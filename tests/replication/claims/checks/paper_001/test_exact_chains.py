"""The chain between two bounds: they are around the program's law, and near each other."""

import math

import numpy as np
import pytest

from private_experts.convex.chains import closeness, joint_laws
from private_experts.convex.domains import Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.replication.claims.certified.balls import ball, exp, precision
from private_experts.replication.claims.certified.sums import NORMAL
from private_experts.replication.claims.checks.paper_001 import exact_chains

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(20), beta=10.0, lam=3.0)
LOSSES = np.random.default_rng(1).uniform(-1, 1, (12, 1)) * FAMILY.points[:, 0]


@pytest.mark.parametrize("p", [0.0, 0.3])
@pytest.mark.parametrize("log_phi", [0.1, 20.0])
@pytest.mark.parametrize("budget", [1, 3.5, math.inf])
def test_the_law_lies_between_both_bounds(p: float, log_phi: float, budget: float) -> None:
    with precision():
        laws = exact_chains.measures(FAMILY.points[:, 0], LOSSES, FAMILY.beta, FAMILY.lam)
        lots = exact_chains.lotteries(laws, log_phi, p)
        law = exact_chains.joint(laws, lots, budget)
    program = FAMILY.laws(LOSSES)
    computed = joint_laws(program, log_phi, p, budget)[-1]
    assert lots.unclipped is (closeness(program, log_phi) == 0.0)
    assert (law.low <= law.high).all()
    np.testing.assert_allclose(law.low, computed, rtol=1e-10, atol=1e-200)
    np.testing.assert_allclose(law.high, computed, rtol=1e-10, atol=1e-200)
    low, high = exact_chains.totals(law)
    assert low.sum() <= 1 <= high.sum()
    assert high.sum() - low.sum() < 1e-11


def test_probabilities_that_have_few_digits_as_floats_are_refused() -> None:
    with precision():
        exact_chains.between([[ball(NORMAL), ball(1)]])
        for exponent in (-740, -760):
            with pytest.raises(AssertionError):
                exact_chains.between([[ball(1), exp(ball(exponent))]])


def test_a_third_lies_between_its_floats() -> None:
    with precision():
        third = ball(1) / 3
        low, high = exact_chains.between([[third]])
        assert ball(float(low[0, 0])) < third < ball(float(high[0, 0]))
