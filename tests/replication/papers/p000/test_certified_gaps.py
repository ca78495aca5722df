"""The law of the gap at any means is within its stated error of integrals and closed forms in balls."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, integral, lower, normal_cdf, precision, upper
from private_experts.replication.balls.balls import normal_density as phi
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.papers.p000 import certified_gaps
from private_experts.replication.papers.p000.certified_gaps import slope, survival
from private_experts.replication.papers.p000.certified_laws import gap_survival
from private_experts.walks.gap import shifted_distribution
from tests.each import each

CHECKED = certified_gaps
LEVELS = np.array([0.01, 0.5, 4.0])


@each("n", [2, 3, 50])
def test_equal_means_have_the_law_of_equation_1(n: int) -> None:
    values, off = survival(LEVELS, np.full(n, 0.3))
    with precision():
        assert all(
            abs(gap_survival(ball(e), n) - x) <= off for e, x in zip(LEVELS.tolist(), values, strict=True)
        )
    assert off < 1e-11


def test_two_means_have_a_closed_form() -> None:
    for d in (0.0, 0.7, 30.0):
        values, off = survival(LEVELS, np.array([d, 0.0]))
        with precision():
            for e, value in zip(LEVELS.tolist(), values.tolist(), strict=True):
                true = normal_cdf(ball(d - e) / ball(2).sqrt()) + normal_cdf(-ball(d + e) / ball(2).sqrt())
                assert abs(true - value) <= off


@each("n", [3, 20, 200])
def test_the_library_has_the_same_law_at_any_means(n: int) -> None:
    for scale in (0.3, 8.0):
        v = rng_for(1, "means", n).normal(0, scale, n)
        values, off = survival(LEVELS, v)
        assert np.abs(1 - values - shifted_distribution(LEVELS, v)).max() <= off + 1e-12


def test_the_derivative_is_the_integral_of_the_proof() -> None:
    v, e = np.array([1.0, 0.75, -0.5]), 0.5
    with precision():
        for i, (a, b) in enumerate([(1, 2), (0, 2), (0, 1)]):

            def bracket(x: object, i: int = i, a: int = a, b: int = b) -> object:
                def one(j: int, rest: int) -> object:
                    difference = phi(x - v[i]) * phi(x - e - v[j]) - phi(x - v[j]) * phi(x - e - v[i])
                    return difference * normal_cdf(x - e - v[rest])

                return one(a, b) + one(b, a)

            found, true = slope(v, i, e), integral(bracket, -14, 14, digits=18)
            assert found.contains(true)
            assert upper(found) - lower(found) < 1e-12


@pytest.mark.parametrize("missing", ["trapezoidal", "normal_cdf", "compound"])
def test_an_error_that_is_not_counted_is_missed(missing: str, put: Any) -> None:
    """With too wide a step, a rough table or too short a range, it is off by what the bounds say, no less."""
    if missing == "trapezoidal":
        put(stride=lambda n: 50)
    elif missing == "compound":
        rough = replace(cdf(), coefficients=cdf().coefficients * (1 + 1e-9), off=cdf().off + 1.1e-9)
        put(cdf=lambda: rough)
    else:
        put(_REACH=4.0)
        put(stride=lambda n: 1)
    values, off = survival(LEVELS[:2], np.zeros(2))
    put(**{missing: lambda *given: ball(0)})
    less = survival(LEVELS[:2], np.zeros(2))[1]
    with precision():
        errors = [
            upper(abs(gap_survival(ball(e), 2) - x)) for e, x in zip(LEVELS.tolist(), values, strict=False)
        ]
    assert less < max(errors) <= off


def test_a_derivative_with_too_wide_a_step_is_as_far_off_as_is_said_and_no_less(put: Any) -> None:
    v, e = np.array([0.0, 0.75]), 0.5
    true = slope(v, 0, e)
    put(stride=lambda n: 56)
    wide = slope(v, 0, e)
    put(trapezoidal=lambda *given: ball(0))
    with precision():
        assert wide.contains(true)
        assert not slope(v, 0, e).overlaps(true)
