"""Scales of the fresh noise, and the bounds that they give."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from private_experts.algorithms import fresh_scales
from private_experts.algorithms.fresh_scales import (
    expected_maximum,
    gumbel_scales,
    hindsight_price,
    largest_curvature,
    regret_bound,
    scales_for_any_horizon,
    scales_for_horizon,
)
from tests.each import each

NOISE = {
    "none": np.zeros(60),
    "constant": np.full(147, 0.5),
    "large": np.full(30, 4.0),
    "uneven": np.array([0.3, 2.0, 0.0, 1.0, 0.5] * 20),
    "one round": np.array([1.0]),
}
every_noise = each("noise", list(NOISE.values()))


def spread(noise):
    """A_T, the sum of 1 + 2 eta_t^2."""
    return float((1 + 2 * noise**2).sum())


@each(("m", "value"), [(1, 0.0), (2, 1 / math.sqrt(math.pi)), (3, 1.5 / math.sqrt(math.pi))])
def test_the_expected_maximum_of_few_is_known(m, value):
    assert expected_maximum(m) == pytest.approx(value, abs=1e-12)


@each("m", [5, 13, 1000])
def test_the_expected_maximum_is_the_mean_of_its_density(m):
    density = integrate.quad(
        lambda x: x * m * stats.norm.pdf(x) * stats.norm.cdf(x) ** (m - 1), -9, 12, epsabs=1e-12, limit=200
    )[0]
    assert expected_maximum(m) == pytest.approx(density, abs=1e-9)
    assert expected_maximum(m) <= math.sqrt(2 * math.log(m))


def test_scales_of_fractions_are_those_of_their_floats():
    np.testing.assert_array_equal(scales_for_horizon([Fraction(1, 2)] * 4), scales_for_horizon([0.5] * 4))


def test_the_bound_is_its_formula_by_hand():
    found = regret_bound([2.0, 1.0], [1.0, 3.0], 2)
    expected = 2 + 1 / 8 + 1 / 4 + 0 + (3 - 1)  # sqrt(1 + 1) < 2, and hypot(0, 3) - 1
    assert found == pytest.approx(expected / math.sqrt(math.pi))


@each("m", [2, 3, 4, 1000])
def test_the_curvature_is_half_the_expected_maximum_or_a_quarter_and_a_constant(m):
    rest = integrate.quad(lambda x: np.exp(2 * stats.norm.logpdf(x) - stats.norm.logcdf(x)), -20, 20)[0]
    largest = expected_maximum(m)
    expected = largest / 2 if m < 4 else (largest + rest) / 4
    assert largest_curvature(m) == pytest.approx(expected, abs=1e-9)


@every_noise
def test_the_known_horizon_plays_out_the_noise_to_come_and_its_fixed_part_is_the_best(noise):
    scales = scales_for_horizon(noise)
    fixed = scales[-1] ** 2 - noise[-1] ** 2
    to_come = np.array([(noise[t:] ** 2).sum() for t in range(noise.size)])
    assert fixed >= -1e-12
    np.testing.assert_allclose(scales**2 - to_come, fixed, atol=1e-9 * (1 + scales[0] ** 2))
    best = regret_bound(scales, noise, 3)
    for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0):
        assert best <= regret_bound(np.sqrt(factor * fixed + 1e-12 + to_come), noise, 3) + 1e-6


@every_noise
def test_a_known_horizon_is_never_worse_than_a_constant_scale(noise):
    constant = np.full(noise.size, math.sqrt(spread(noise)) / 2)
    closed = expected_maximum(13) * math.sqrt(spread(noise))
    assert regret_bound(scales_for_horizon(noise), noise, 13) <= regret_bound(constant, noise, 13) + 1e-9
    assert regret_bound(constant, noise, 13) <= closed + 1e-9


def test_without_noise_the_scale_is_half_the_root_of_the_rounds():
    np.testing.assert_allclose(scales_for_horizon(np.zeros(60)), math.sqrt(60) / 2, rtol=1e-6)
    assert regret_bound(scales_for_horizon(np.zeros(60)), np.zeros(60), 2) == pytest.approx(
        math.sqrt(60 / math.pi)
    )


@every_noise
def test_any_horizon_looks_at_the_past_alone_and_costs_at_most_the_root_of_two_over_a_constant_scale(noise):
    scales = list(scales_for_any_horizon(noise))
    assert scales[: len(scales) // 2] == list(scales_for_any_horizon(noise[: len(scales) // 2]))
    assert regret_bound(scales, noise, 3) <= expected_maximum(3) * math.sqrt(2 * spread(noise)) + 1e-9


@every_noise
def test_gumbel_scales_give_the_better_of_two_closed_forms(noise):
    b, scales, bound = gumbel_scales(noise, 13)
    total = float((noise**2).sum())
    np.testing.assert_allclose(scales**2, [(noise[t:] ** 2).sum() for t in range(noise.size)], atol=1e-9)
    added = math.sqrt(noise.size * math.log(13) / 2) + expected_maximum(13) * math.sqrt(total)
    joined = math.sqrt(math.log(13) * (noise.size / 2 + 2 * total))
    assert bound <= min(added, joined) + 1e-9
    price = min(expected_maximum(13) * math.sqrt(total), total / (2 * b))
    assert bound == pytest.approx(b * math.log(13) + noise.size / (8 * b) + price)


def test_gumbel_noise_is_better_without_noise_and_worse_with_much():
    for noise, better in ((np.zeros(147), True), (np.full(147, 2.0), False)):
        assert (gumbel_scales(noise, 13)[2] < regret_bound(scales_for_horizon(noise), noise, 13)) is better


def test_the_price_of_hindsight_is_the_spread_of_all_noise():
    assert hindsight_price([3.0, 4.0], 2) == pytest.approx(5 / math.sqrt(math.pi))
    assert fresh_scales.hindsight_price(np.zeros(4), 9) == 0
