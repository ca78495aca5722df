"""Balls contain the true number: against mpmath, inverse pairs, and the ends of wide balls."""

import builtins
import math
from typing import Any

import mpmath
import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls import balls
from private_experts.replication.balls.balls import ball, lower, near, precision, rational, upper
from private_experts.replication.ledger.evidence import NotRunError
from tests.each import each

SECOND_ROUTE = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "expm1": mpmath.expm1,
    "log1p": mpmath.log1p,
    "square": lambda x: x * x,
    "normal_density": mpmath.npdf,
    "normal_cdf": mpmath.ncdf,
}
POINTS = [1e-12, 0.1, 0.5, 1.0, 2.75, 11.0, 40.0]


def contains(enclosure: Any, number: Any) -> bool:
    """Tell whether a ball contains a number of 60 digits, which is known up to its own rounding."""
    low, high = (mpmath.mpf(str(end.str(70, radius=False))) for end in balls.ends(enclosure))
    slack = abs(number) * mpmath.mpf(10) ** -50
    return bool(low - slack <= number <= high + slack)


@each("name", SECOND_ROUTE)
def test_a_function_agrees_with_mpmath_also_on_wide_balls_and_in_its_series(name: str) -> None:
    function, route = getattr(balls, name), SECOND_ROUTE[name]
    with precision(terms=4), mpmath.workdps(60):
        for x in POINTS + ([-0.3, -3.0, -12.0] if name not in ("log", "sqrt", "log1p") else []):
            found = function(ball(x))
            assert contains(found, route(mpmath.mpf(x))), x
            assert float(found.rad()) <= 1e-30 * abs(float(found.mid())), x
        wide = function(ball(0.5, 3.0))
        values = [near(function(ball(x))) for x in np.linspace(0.5, 3.0, 50).tolist()]
        assert lower(wide) <= min(values)
        assert upper(wide) >= max(values)
        if name != "normal_density":  # a product, and no monotone function
            assert upper(wide) - lower(wide) <= (max(values) - min(values)) * 1.001
            series = function(balls.flint().arb_series([ball(0.7), 1]))
            for k, true in enumerate(mpmath.taylor(route, mpmath.mpf(0.7), 3)):
                assert abs(near(series[k]) - float(true)) < 1e-12


@each(
    ("there", "back"),
    [
        (balls.exp, balls.log),
        (balls.expm1, balls.log1p),
        (balls.square, balls.sqrt),
        (balls.normal_quantile, balls.normal_cdf),
        (balls.normal_cdf, balls.normal_quantile),
        (lambda x: balls.power(x, rational("1/3")), lambda x: x * x * x),
    ],
)
def test_inverse_pairs_return_to_where_they_began(there: Any, back: Any) -> None:
    with precision():
        for x in rng_for(1, "inverse pairs").uniform(0.01, 0.99, 20).tolist():
            again = back(there(ball(x)))
            assert again.contains(ball(x))
            assert float(again.rad()) < 1e-30


def test_the_square_of_a_ball_around_zero_is_not_negative() -> None:
    assert lower(balls.square(ball(-1, 2))) >= -1e-8
    assert near(balls.square(ball(-1, 2))) == pytest.approx(2)


def test_a_wide_quantile_lies_between_those_of_its_ends() -> None:
    with precision():
        low, high = map(near, balls.ends(balls.normal_quantile(ball(0.25, 0.975))))
    assert (low, high) == pytest.approx((-0.6744897501960817, 1.959963984540054), abs=1e-7)


def test_integrals_and_geometric_series() -> None:
    with precision(terms=4):
        total, powers = balls.integral(balls.normal_density, -20, 20), balls.geometric(ball(0.5))
    assert total.overlaps(ball(1))
    assert float(total.rad()) < 1e-18
    assert [near(powers[k]) for k in range(4)] == [1.0, 0.5, 0.25, 0.125]


def test_decimals_are_what_they_say_and_floats_what_they_are() -> None:
    with precision():
        assert (rational("0.1") * 10).contains(ball(1))
        assert not (ball(0.1) * 10).contains(ball(1))
        assert (rational("1/3") * 3).contains(ball(1))


def test_the_largest_of_balls_that_overlap_contains_every_one_that_may_be_it() -> None:
    middle_is_larger, end_is_larger = ball(1.0, 1.2), ball(0.5, 1.5)
    assert upper(balls.largest([middle_is_larger, end_is_larger])) >= 1.5
    assert lower(balls.largest([middle_is_larger, end_is_larger])) >= 0.999
    assert lower(balls.smallest([middle_is_larger, end_is_larger])) <= 0.5
    assert near(balls.largest(map(ball, [1.0, 3.0, 2.0]))) == 3.0


@each("number", ["1/3", "1e-400", "4.18874e-322", "2.3e-308"])
def test_floats_around_a_ball_are_outside_of_it_and_next_to_it_also_where_it_is_nearly_0(number: str) -> None:
    with precision():
        for exact in (rational(number), -rational(number)):
            assert ball(lower(exact)) < exact < ball(upper(exact))
            assert math.isclose(lower(exact), near(exact), abs_tol=1e-323)
    assert lower(rational(number)) >= 0
    assert lower(ball(0)) == upper(ball(0)) == 0


def test_precision_is_as_before_afterwards() -> None:
    context = balls.flint().ctx
    before = context.prec, context.cap
    with precision(200, 7):
        assert (context.prec, context.cap) == (200, 7)
    assert (context.prec, context.cap) == before


def test_without_the_package_a_check_is_not_run_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    really = builtins.__import__

    def refuse(name: str, *words: Any) -> Any:
        if name == "flint":
            raise ImportError(name)
        return really(name, *words)

    monkeypatch.setattr(builtins, "__import__", refuse)
    balls.flint.cache_clear()
    with pytest.raises(NotRunError, match="python-flint is not installed"):
        ball(1.0)
