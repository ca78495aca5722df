"""Balls contain the true number: against mpmath, inverse pairs, and the ends of wide balls."""

import builtins
import math
from typing import Any

import mpmath
import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls import balls
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import NotRunError

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


@pytest.mark.parametrize("name", SECOND_ROUTE)
def test_a_function_agrees_with_mpmath_to_thirty_digits(name: str) -> None:
    function = getattr(balls, name)
    with balls.precision(), mpmath.workdps(60):
        for x in POINTS + ([-0.3, -3.0, -12.0] if name not in ("log", "sqrt", "log1p") else []):
            found, true = function(ball(x)), SECOND_ROUTE[name](mpmath.mpf(x))
            assert contains(found, true), x
            assert float(found.rad()) <= 1e-30 * abs(float(found.mid())), x


@pytest.mark.parametrize("name", SECOND_ROUTE)
def test_a_wide_ball_contains_what_its_members_give_and_little_more(name: str) -> None:
    function, low, high = getattr(balls, name), 0.5, 3.0
    with balls.precision():
        wide = function(ball(low, high))
        values = [balls.near(function(ball(x))) for x in np.linspace(low, high, 50).tolist()]
    assert balls.lower(wide) <= min(values)
    assert balls.upper(wide) >= max(values)
    if name != "normal_density":  # a product, and no monotone function
        assert balls.upper(wide) - balls.lower(wide) <= (max(values) - min(values)) * 1.001


def test_inverse_pairs_return_to_where_they_began() -> None:
    with balls.precision():
        for x in rng_for(1, "inverse pairs").uniform(0.01, 0.99, 20).tolist():
            for there, back in [
                (balls.exp, balls.log),
                (balls.expm1, balls.log1p),
                (balls.square, balls.sqrt),
                (balls.normal_quantile, balls.normal_cdf),
                (balls.normal_cdf, balls.normal_quantile),
            ]:
                again = back(there(ball(x)))
                assert again.contains(ball(x))
                assert float(again.rad()) < 1e-30


def test_the_square_of_a_ball_around_zero_is_not_negative() -> None:
    assert balls.lower(balls.square(ball(-1, 2))) >= -1e-8
    assert balls.near(balls.square(ball(-1, 2))) == pytest.approx(2)


def test_a_wide_quantile_lies_between_those_of_its_ends() -> None:
    with balls.precision():
        low, high = (balls.near(end) for end in balls.ends(balls.normal_quantile(ball(0.25, 0.975))))
    assert (low, high) == pytest.approx((-0.6744897501960817, 1.959963984540054), abs=1e-7)


@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "erf", "erfc", "expm1", "log1p", "normal_cdf", "square"]
)
def test_a_series_has_the_derivatives_of_the_function(name: str) -> None:
    function = getattr(balls, name)
    with balls.precision(terms=4), mpmath.workdps(40):
        series = function(balls.flint().arb_series([ball(0.7), 1]))
        for k, true in enumerate(mpmath.taylor(SECOND_ROUTE[name], mpmath.mpf(0.7), 3)):
            assert abs(balls.near(series[k]) - float(true)) < 1e-12


def test_powers_and_integrals() -> None:
    with balls.precision():
        assert balls.power(ball(9), balls.rational("1/2")).contains(ball(3))
        total = balls.integral(balls.normal_density, -20, 20)
    assert total.overlaps(ball(1))
    assert float(total.rad()) < 1e-18
    with balls.precision(terms=4):
        powers = balls.geometric(ball(0.5))
        assert [balls.near(powers[k]) for k in range(4)] == [1.0, 0.5, 0.25, 0.125]


def test_decimals_are_what_they_say_and_floats_what_they_are() -> None:
    with balls.precision():
        assert (balls.rational("0.1") * 10).contains(ball(1))
        assert not (ball(0.1) * 10).contains(ball(1))
        assert (balls.rational("1/3") * 3).contains(ball(1))


def test_the_largest_of_balls_that_overlap_contains_every_one_that_may_be_it() -> None:
    middle_is_larger, end_is_larger = ball(1.0, 1.2), ball(0.5, 1.5)
    assert balls.upper(balls.largest([middle_is_larger, end_is_larger])) >= 1.5
    assert balls.lower(balls.largest([middle_is_larger, end_is_larger])) >= 0.999
    assert balls.lower(balls.smallest([middle_is_larger, end_is_larger])) <= 0.5
    assert balls.near(balls.largest(map(ball, [1.0, 3.0, 2.0]))) == 3.0


def test_floats_around_a_ball_are_outside_of_it() -> None:
    with balls.precision():
        third = balls.rational("1/3")
        assert ball(balls.lower(third)) < third < ball(balls.upper(third))
        assert balls.near(third) == 1 / 3
        assert math.isclose(balls.lower(-third), -1 / 3)


@pytest.mark.parametrize("number", ["1e-400", "4.18874e-322", "2.3e-308"])
def test_floats_around_a_ball_that_is_nearly_0_are_outside_of_it(number: str) -> None:
    with balls.precision():
        for tiny in (balls.rational(number), -balls.rational(number)):
            assert ball(balls.lower(tiny)) < tiny < ball(balls.upper(tiny))
    assert balls.lower(ball(0)) == balls.upper(ball(0)) == 0
    assert balls.lower(balls.rational(number)) >= 0


def test_precision_is_as_before_afterwards() -> None:
    context = balls.flint().ctx
    before = context.prec, context.cap
    with balls.precision(200, 7):
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
