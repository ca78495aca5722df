"""Probabilities that totals lead are within their stated errors of integrals in ball arithmetic."""

import functools

import numpy as np
import pytest

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
from private_experts.replication.papers.p000 import certified_leads, worst_stream_regret
from private_experts.replication.papers.p000.certified_leads import alone, other_half
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


def test_between_knots_the_error_is_told() -> None:
    shifts = np.linspace(0, 15, 500)
    for n in (2, 100):
        (coarse, off), (fine, less) = alone(shifts, n), alone(shifts[:100], n)
        assert off / 20 < np.abs(coarse[:100] - fine).max() <= off + less
