"""The least gaps of batches are the program's, and those of Corollary 1's condition."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import lower, near, precision, upper
from private_experts.replication.papers.p000 import certified_laws
from private_experts.replication.papers.p000.walks import batch_fits
from private_experts.walks.batch_rules import paper_rule
from private_experts.walks.leader_change import solve
from tests.each import each

CHECKED = certified_laws


@each(("eta", "alpha"), [(0.5, 1.0), (2.0, 0.01)])
def test_least_gaps_are_the_programs_and_those_of_the_condition(eta: float, alpha: float) -> None:
    with precision():
        gaps = certified_laws.least_gaps(9, eta, alpha)
    rule = paper_rule(9, eta, 2, alpha)
    for start, row in enumerate(gaps):
        np.testing.assert_allclose([near(gap) for gap in row], rule[start], rtol=1e-11)
        for size in {2, len(row)} if len(row) > 1 else ():
            low, high = lower(row[size - 1]), upper(row[size - 1])
            assert high - low < 1e-14 * high
            assert [batch_fits(gap, eta, 2, alpha, start, 1.0, size) for gap in (low, high)] == [False, True]


def test_a_gap_that_is_not_the_conditions_is_not_enclosed(put: Any) -> None:
    put(solve=lambda log_p: 1.0001 * solve(log_p))  # too far for Newton's step
    with precision(), pytest.raises(ArithmeticError, match="no ball"):
        certified_laws.least_gaps(5, 1.0, 1.0)


def test_a_tolerance_of_1_has_no_argument(put: Any) -> None:
    def nothing(log_p: Any) -> float:
        return 0.0

    put(solve=nothing)
    with precision(), pytest.raises(ArithmeticError, match="no ball"):
        certified_laws.least_gaps(2, 1.0, 3.0)
