"""Probabilities that totals lead are within their stated errors of integrals in ball arithmetic."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    lower,
    normal_cdf,
    normal_density,
    precision,
    upper,
)
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.papers.p000 import certified_leads, worst_stream_regret
from private_experts.replication.papers.p000.certified_leads import alone, first_leads, other_half, power
from private_experts.replication.papers.p000.worst_streams import regret_of_leads, regret_of_rise
from tests.each import each

CHECKED = certified_leads


@functools.cache
def true(shift: float, level: int, behind: int) -> Ball:
    """Return E Phi(N)^level Phi(N + shift)^behind; beyond 9 standard deviations lies less than 3e-19."""

    def integrand(x: Ball) -> Ball:
        level_ones = normal_cdf(x) ** level if level else 1
        return normal_density(x) * level_ones * normal_cdf(x + shift) ** behind

    return integral(integrand, -9, 9, digits=18) + ball(0, 3e-19)


@each("n", [2, 10, 1000])
def test_whoever_is_alone_leads_as_often_as_an_integral_says(n: int) -> None:
    shifts = np.array([0.0, 0.7, 3.0])
    values, off = alone(shifts, n)
    with precision():
        assert all(
            abs(true(at, 0, n - 1) - value) <= off for at, value in zip(shifts.tolist(), values, strict=True)
        )
    assert off < 1e-8
    assert values[0] == pytest.approx(1 / n, abs=1e-8)


@each("n", [2, 10, 101])
def test_the_half_that_is_behind_leads_as_often_as_an_integral_says(n: int) -> None:
    shifts = np.array([0.0, 0.02, 1.5])
    values, off = other_half(shifts, n)
    half = n // 2
    with precision():
        for at, value in zip(shifts.tolist(), values.tolist(), strict=True):
            assert abs((n - half) * true(-at, n - half - 1, half) - value) <= off
    assert off < 1e-10


@pytest.mark.parametrize("missing", ["trapezoidal", "compound"])
def test_an_error_that_is_not_counted_is_missed(missing: str, put: Any) -> None:
    """With too wide a step, or a rough table, the result is off by what the bounds say, and no less."""
    if missing == "trapezoidal":
        put(stride=lambda n: 70)
    else:
        rough = replace(cdf(), coefficients=cdf().coefficients * (1 + 1e-9), off=cdf().off + 1.1e-9)
        put(cdf=lambda: rough)
    n, shifts = 10, np.array([0.0, 0.7])
    values, off = alone(shifts, n)
    others, apart = other_half(shifts, n)
    put(**{missing: lambda *given: ball(0)})
    less, nearer = alone(shifts, n)[1], other_half(shifts, n)[1]
    with precision():
        first = max(upper(abs(true(s, 0, 9) - x)) for s, x in zip(shifts.tolist(), values, strict=True))
        second = max(upper(abs(5 * true(-s, 4, 5) - x)) for s, x in zip(shifts.tolist(), others, strict=True))
    assert less < first <= off
    assert nearer < second <= apart


def test_between_knots_the_error_is_told() -> None:
    shifts = rng_for(1, "shifts").uniform(0, 15, 500)
    few = shifts[:100]
    for n in (2, 100):
        (coarse, off), (fine, less) = alone(shifts, n), alone(few, n)
        assert np.abs(coarse[:100] - fine).max() <= off + less
        assert np.abs(coarse[:100] - fine).max() > off / 20  # it is no larger than it must be


def test_two_normals_have_a_closed_form() -> None:
    leads = np.array([-3.0, 0.0, 1.0, 20.0])
    values, off = first_leads(leads, 0)
    with precision():
        for lead, value in zip(leads.tolist(), values.tolist(), strict=True):
            exact = normal_cdf(ball(lead) / ball(2).sqrt())
            assert abs(value / exact - 1) <= off
        assert off < 1e-12


@each("exponent", [0, 1, 2, 7, 500, 999])
def test_a_power_is_a_product(exponent: int) -> None:
    x = np.array([0.5, 0.999, 1.0])
    assert np.allclose(power(x, exponent), x**exponent, rtol=1e-13, atol=0)


@each("noise", ["walk", "constant"])
def test_certain_regrets_contain_those_of_the_library(noise: str) -> None:
    scales = worst_stream_regret.scales_of(noise, 120, 1.4142)
    leads = np.repeat([1.0, -1.0, 0.5, 1.0], 30)
    with precision():
        pairs = [
            (worst_stream_regret.certain_regret_of_leads(leads, scales), regret_of_leads(leads, scales)),
            (worst_stream_regret.certain_regret_of_rise(10, scales, 40), regret_of_rise(10, scales, 40)),
            (worst_stream_regret.certain_regret_of_rise(2, scales, 40), regret_of_rise(2, scales, 40)),
        ]
        for found, computed in pairs:
            assert lower(found) - 1e-7 < computed < upper(found) + 1e-7  # of the library's quadrature
            assert upper(found) - lower(found) < 1e-8
