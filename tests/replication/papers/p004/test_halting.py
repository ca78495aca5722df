"""The law of halting: what is integrated by hand, and the program's quadrature."""

import numpy as np
import pytest

from private_experts.privacy.above_threshold import halting_law
from private_experts.replication.balls.balls import ball, near
from private_experts.replication.papers.p004.halting import _piece, in_units, none_above
from tests.each import each


def test_a_query_of_zero_is_above_half_of_the_time_and_two_as_by_hand() -> None:
    """Given r, a query of 0 is below with 1 - v / 2 or v / 2. The second moment of these is 7 / 24."""
    for count, chance in ((1, ball(1) / 2), (2, ball(7) / 24)):
        assert abs(none_above([(ball(0), count)]) - chance) < 1e-15


@each("runs", [[(-8.0, 3), (5.0, 2)], [(2.0, 4), (-3.0, 1)], [(0.0, 2), (-6.0, 300)]])
def test_none_of_several_queries_is_above_as_by_quadrature(runs) -> None:
    queries = np.repeat([query for query, _ in runs], [count for _, count in runs])
    exact = none_above([(in_units(ball(query), 0.5, 2.0), count) for query, count in runs])
    assert near(exact) == pytest.approx(float(halting_law(queries, 0.5, 2.0)[-1]), abs=1e-13)
    assert exact.rad() < 1e-12


def test_no_query_is_never_above() -> None:
    assert none_above([(ball(3), 0)]) == 1


def test_a_coefficient_that_may_be_0_is_counted() -> None:
    """With u = s v the integral of v (1 - s v / 2) from 0 to 1 is 1/2 - s/6."""
    found = _piece([(ball(-0.5, 0.5), 1, 1)], ball(0), ball(1))
    assert all(found.contains(ball(1) / 2 - ball(size) / 6) for size in (-0.49, 0.0, 0.49))
