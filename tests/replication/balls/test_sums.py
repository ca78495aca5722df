"""Balls around sums in floats contain the true sums, and would not if one rounding less were counted."""

from fractions import Fraction

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, lower, precision, upper
from private_experts.replication.balls.sums import NORMAL, compound, floats, gamma, rounded, signed
from tests.each import each

U = 2.0**-53


def exact(numbers: list[float]) -> Fraction:
    return sum(map(Fraction, numbers), Fraction(0))


def contains(found: Ball, true: Fraction) -> bool:
    with precision(2200):
        return bool(found.contains(ball(true.numerator) / ball(true.denominator)))


@each("count", [1, 2, 3, 40, 50])
def test_a_sum_that_loses_as_much_as_it_can_is_bounded_and_not_by_less(count: int) -> None:
    given = [1.0] + [U] * count  # each is half of the last bit of 1, and is dropped
    assert np.cumsum(given)[-1] == 1.0
    with precision():
        assert contains(rounded(1.0, count), exact(given))
        assert not contains(rounded(1.0, count - 1), exact(given))
        if count > 2:
            both = [*given, -1.0]
            assert contains(signed(0.0, 2.0, count + 1), exact(both))
            assert not contains(signed(0.0, 2.0, count // 2 - 1), exact(both))  # 2 gamma, for 1 and -1


def test_products_in_any_order_are_bounded() -> None:
    rng = rng_for(1, "sums of products")
    for _ in range(20):
        a, b = rng.random((2, 100))
        sign = rng.choice([-1.0, 1.0], 100)
        true, other = (
            sum((Fraction(x) * Fraction(y) for x, y in zip(one, b, strict=True)), Fraction(0))
            for one in (a, sign * a)
        )
        with precision():
            for value in (a @ b, (a * b).sum(), (a * b)[::-1].cumsum()[-1]):
                found = rounded(float(value), 100)
                assert contains(found, true)
                assert upper(found) - lower(found) < 1e-11
            assert contains(signed(float((sign * a) @ b), float(a @ b), 100), other)


def test_errors_of_inputs_are_counted_on_both_sides() -> None:
    with precision():
        error = compound(ball(0.1), 2)
        for factor in (0.9, 1.1):
            assert rounded(factor * factor, 2, error).contains(1)
            assert not rounded(factor * factor, 2, compound(ball(0.09), 2)).contains(1)
            assert signed(factor - 1.0, 1.0 + factor, 1, ball(0.1)).contains(0)
        assert not rounded(1.0, 1, ball(1)).is_finite()  # then nothing is known


def test_what_is_too_small_for_a_float_is_lost_and_told() -> None:
    small = 2.0**-600
    assert small * small == 0.0
    with precision():
        true = ball(small) * small
        assert not rounded(small * small, 1).contains(true)
        assert rounded(small * small, 1, lost=NORMAL).contains(true)
        assert signed(small * small, 0.0, 1, lost=NORMAL).contains(true)
        found, error = floats([exp(ball(-800)), exp(ball(-1))])
    assert found[0] == 0.0
    assert 0 < error <= U * (1 + 1e-9)


def test_floats_are_next_to_their_balls_and_say_how_wide_those_were() -> None:
    with precision():
        found, error = floats([exp(ball(-k)) for k in range(5)])
        assert np.allclose(found, np.exp(-np.arange(5.0)), rtol=1e-15, atol=0)
        assert error <= U * (1 + 1e-9)
        assert floats([ball(1, 1.5)])[1] >= 0.2
        assert floats([ball(0)])[0] == [0.0]
        assert not floats([ball(-1, 1)])[1].is_finite()


def test_so_many_roundings_that_nothing_is_left_are_refused() -> None:
    assert upper(gamma(0)) == 0.0
    with pytest.raises(ValueError, match="leave nothing"):
        gamma(2**53)


def test_what_is_lost_may_be_missing_or_too_much_and_is_added_as_it_is() -> None:
    with precision():
        for found, middle in ((rounded(1.0, 0, 0, ball(0.5)), 1.0), (signed(0.0, 0.0, 1, lost=0.5), 0.0)):
            assert found.contains(ball(middle - 0.5))
            assert found.contains(ball(middle + 0.5))
            assert upper(found) < middle + 0.5005
