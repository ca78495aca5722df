"""Changes of the leader lie between their bounds: closed forms, the library, and sums term by term."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    lower,
    normal_cdf,
    pi,
    precision,
    sqrt,
    upper,
)
from private_experts.replication.balls.balls import normal_density as phi
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.papers.p000 import certified_switches
from private_experts.replication.papers.p000.certified_switches import change, expected
from private_experts.replication.papers.p000.switching import change_probability
from tests.each import each

CHECKED = certified_switches
ROUGH = replace(cdf(), coefficients=cdf().coefficients * (1 + 1e-9), off=cdf().off + 1.1e-9)


@each("t", [0.25, 1.0, 7.0, 1e6])
def test_two_experts_stay_with_the_probability_of_the_closed_form(t: float) -> None:
    tangent = 1 / (math.sqrt(t) + math.sqrt(t + 1))
    stays, off = certified_switches._stays(tangent, 2)
    with precision():
        assert abs(ball(stays) - (1 - 2 * ball(tangent).atan() / pi())) <= off
        assert change(ball(t), 2).overlaps(1 - ball(stays) + ball(-2 * off, 2 * off))
    assert off < 1e-10


@each("n", [3, 10, 100])
def test_more_experts_change_as_often_as_the_library_says(n: int) -> None:
    with precision():
        for t in (1, 30, 10_000):
            found, computed = change(ball(t), n), float(change_probability(t, n))
            assert lower(found) - 1e-7 * computed < computed < upper(found) + 1e-7 * computed
            assert upper(found) - lower(found) < 1e-8


def test_the_chance_to_be_below_twice_is_that_of_an_integral() -> None:
    tangent, u, v = 0.3, 0.5, 0.75
    r, weights = certified_switches._rule()
    j = [math.exp(-((v - x) ** 2) / 2) + math.exp(-((v + x) ** 2) / 2) for x in r.tolist()]
    below = [0.5 * math.erfc((tangent * x - u) / math.sqrt(2)) for x in r.tolist()]
    found = float(np.array(j) * weights @ np.array(below)) / math.sqrt(2 * math.pi)
    with precision():
        both = integral(lambda x: (phi(v - x) + phi(v + x)) * normal_cdf(u - tangent * x), 0, 18, digits=18)
        assert abs(both - found) <= upper(certified_switches._error_of_rule()) + 1e-15
        assert certified_switches._error_of_rule() < 1e-13


def sides(start: int, end: int, n: int, most: int) -> list[Ball]:
    """Return the bound from below and that from above."""
    values = certified_switches.changes_at_knots(n, most)
    return [
        sum(
            (values[k] * weight for k, weight, _ in certified_switches._weights(start, end, most, below)),
            ball(0),
        )
        for below in (True, False)
    ]


@each(("start", "end"), [(1, 2), (1, 50), (100, 1000), (9_000, 30_000)])
def test_polynomials_bound_the_sum_from_both_sides(start: int, end: int) -> None:
    with precision():
        true = sum(((1 / sqrt(ball(t))).atan() / pi() for t in range(start, end)), ball(0))
        below, above = sides(start, end, 2, end)
        assert below <= true + 1e-12
        assert above >= true - 1e-12
        assert above - below < 1e-3 * true
        assert expected([start, end], 2)[1].overlaps(expected([start], 2)[0] + true)


def test_rounds_that_are_taken_together_are_all_counted_once() -> None:
    for below in (True, False):
        places, lengths = certified_switches._blocks(5, 123_456, below)
        assert lengths.sum() == 123_456 - 5
        assert places[0] == 5
        assert (lengths[places < 9_999] == 1).all()
        assert places[-1] == 123_455 if below else places[-1] < 123_455


def test_knots_are_as_far_apart_as_the_count_of_roundings_says() -> None:
    z = certified_switches._beside_one(np.array(certified_switches._knots(10**6)))
    assert 16 < ((z[:-1] + z[1:]) / np.abs(np.diff(z))).max() <= 17


@pytest.fixture
def anew() -> Iterator[None]:
    """Compute everything again, and forget it afterwards."""
    caches = [
        certified_switches._densities,
        certified_switches._error,
        certified_switches._lowest,
        certified_switches._rule,
    ]
    for each_cache in caches:
        each_cache.cache_clear()
    yield
    for each_cache in caches:
        each_cache.cache_clear()


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize(
    ("coarse", "missing"),
    [
        ({"stride": lambda n: 60}, {"trapezoidal": lambda *given: ball(0)}),
        (
            {"_REACH": 3.0, "stride": lambda n: 4, "_error_of_rule": lambda: ball(0)},
            {"_below": lambda x: ball(0)},
        ),
        ({"_NODES": 3, "_RHO": 4}, {"_error_of_rule": lambda: ball(0)}),
        ({"cdf": lambda: ROUGH}, {"compound": lambda *given: ball(0)}),
    ],
)
def test_an_error_that_is_not_counted_is_missed(
    coarse: dict[str, object], missing: dict[str, object], put: Any
) -> None:
    """With too wide a step, too short a range, few nodes or a rough table, the bound covers the error."""
    t = 0.5
    tangent = 1 / (math.sqrt(t) + math.sqrt(t + 1))
    for name, value in coarse.items():
        put(**{name: value})
    with precision():
        stays, off = certified_switches._stays(tangent, 2)
        error = upper(abs(ball(stays) - (1 - 2 * ball(tangent).atan() / pi())))
        for name, value in missing.items():
            put(**{name: value})
        certified_switches._error.cache_clear()
        assert certified_switches._stays(tangent, 2)[1] < error <= off


def test_a_tangent_that_was_rounded_is_allowed_for(put: Any) -> None:
    put(_stays=lambda tangent, n: (0.5, 0.0))
    put(floats=lambda balls: (np.array([0.3]), ball(1e-9)))
    with precision():
        found = change(ball(2), 30)
        assert found.contains(ball(0.5 - 0.999e-9 * 30**2, 0.5 + 0.999e-9 * 30**2))
        assert upper(found) < 0.5 + 1.001e-9 * 30**2
