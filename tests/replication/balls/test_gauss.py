"""Gauss's rule is exact where it should be, and off by as much as is said and not much less."""

from itertools import pairwise

import pytest

from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.balls.gauss import rest, rule


@pytest.mark.parametrize("count", [1, 2, 7])
def test_polynomials_of_twice_the_degree_are_integrated_exactly_and_none_of_more(count: int) -> None:
    with precision():
        nodes, weights = rule(count)
        assert all(one < two for one, two in pairwise(nodes))
        sums = [sum(w * x**k for x, w in zip(nodes, weights, strict=True)) for k in range(2 * count + 1)]
        true = [ball(2 if k % 2 == 0 else 0) / (k + 1) for k in range(2 * count + 1)]
        assert [one.overlaps(two) for one, two in zip(sums, true, strict=True)] == [True] * 2 * count + [
            False
        ]


@pytest.mark.parametrize("count", [3, 8])
@pytest.mark.parametrize("reach", [2.0, 5.0])
def test_the_error_is_at_most_what_is_said_and_breaks_the_bound_of_two_more_nodes(
    count: int, reach: float
) -> None:
    with precision():
        power = 2 * count  # (z / reach)^power has size 1 on the disc
        found = sum(w * (x / reach) ** power for x, w in zip(*rule(count), strict=True))
        off = abs(found - 2 / ball(reach) ** power / (power + 1))
        assert off <= rest(count, reach)
        assert off > rest(count + 2, reach)


def test_the_rule_has_the_precision_that_is_set() -> None:
    for bits in (60, 200):
        with precision(bits):
            assert rule(3)[0][2].rad() < ball(2) ** (8 - bits)
            assert abs(rule(3)[0][2] ** 2 - ball(3) / 5) < ball(2) ** (8 - bits)


def test_a_disc_that_reaches_no_further_than_the_interval_is_refused() -> None:
    with precision(), pytest.raises(ValueError, match=r"radius 1\.0"):
        rest(5, 1.0)
