import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import erf, erfc

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.walks import gap as module
from private_experts.walks.gap import (
    density,
    distribution,
    leading_gap,
    log_survival,
    shifted_distribution,
    survival,
)
from tests.each import each

FALSE_ALARM = 1e-6


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(1, 5), st.integers(2, 7), st.data())
def test_the_leading_gap_is_largest_minus_second_largest(rows, n, data):
    values = data.draw(
        st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=rows, max_size=rows)
    )
    expected = [sorted(row)[-1] - sorted(row)[-2] for row in values]
    assert leading_gap(np.array(values, dtype=float)).tolist() == expected


@each("n", [3, 20, 21])
def test_many_rows_have_the_gaps_of_each_alone(n):
    values = rng_for(0, "gaps", n).integers(-5, 5, (1000, n)).astype(float)
    first, second = np.sort(values, axis=-1)[:, :-3:-1].T
    np.testing.assert_array_equal(np.stack(module.two_largest(values)), [first, second])


def test_two_coordinates_have_a_closed_form():
    e = np.linspace(0, 30, 301)
    np.testing.assert_allclose(survival(e, 2), erfc(e / 2), rtol=1e-12)
    np.testing.assert_allclose(distribution(e, 2), erf(e / 2), rtol=0, atol=1e-13)
    np.testing.assert_allclose(density(e, 2), np.exp(-((e / 2) ** 2)) / math.sqrt(math.pi), rtol=1e-12)


@each("n", [2, 5, 146, 1000])
def test_halving_the_step_changes_nothing(n):
    e = np.concatenate([np.linspace(0, 36, 73), [1e-6, 1e-3]])
    for power, factors in ((n - 1, 0), (n - 2, 1)):
        coarse = module._log_integral(e, power, factors)
        fine = module._log_integral(e, power, factors, points=2 * module._POINTS - 1)
        kept = fine > -690
        np.testing.assert_allclose(coarse[kept], fine[kept], rtol=0, atol=1e-12)


def between_knots(law, values):
    """Return a law at many values, from a table of steps so small that it is off by less than 1e-5."""
    knots = np.linspace(0, values.max(), 1000)
    return np.interp(values, knots, law(knots))


def test_scales_and_shapes():
    e = np.array([[0.5, 1.0], [2.0, 9.0]])
    np.testing.assert_allclose(survival(2 * e, 7, 2.0), survival(e, 7), rtol=1e-14)
    np.testing.assert_allclose(density(2 * e, 7, 2.0), density(e, 7) / 2, rtol=1e-14)
    assert survival(np.zeros((0, 3)), 4).shape == (0, 3)
    many = np.linspace(0, 5, 5000)  # more than a block
    np.testing.assert_array_equal(log_survival(many, 4)[::1000], log_survival(many[::1000], 4))


def test_no_gap_is_negative():
    assert survival(-1.0, 5) == pytest.approx(1.0, abs=1e-14)
    assert (distribution(-1.0, 5), density(-1.0, 5)) == (pytest.approx(0.0, abs=1e-14), 0.0)


def test_one_coordinate_leads_nobody():
    with pytest.raises(InputError, match="at least 2"):
        leading_gap(np.zeros((3, 1)))


@each(("n", "scale"), [(1, 1.0), (2, 0.0)])
def test_no_gap_of_one_coordinate_or_without_spread(n, scale):
    with pytest.raises(InputError, match=r"^gap: .*: write a (whole number of at least 2|positive number)$"):
        survival(1.0, n, scale)


@each("n", [2, 3, 6, 100])
def test_without_means_the_shifted_law_is_the_law(n):
    e = np.array([-1.0, 0.0, 0.1, 1.0, 4.0])
    expected = np.where(e < 0, 0.0, distribution(e, n))
    np.testing.assert_allclose(shifted_distribution(e, np.full(n, 3.0)), expected, rtol=0, atol=1e-12)


@each("d", [0.0, 1.0, 7.0, 40.0])
def test_two_shifted_coordinates_have_a_closed_form(d):
    e = np.linspace(0, 12, 25)
    normal = stats.norm(d, math.sqrt(2))
    expected = normal.cdf(e) - normal.cdf(-e)
    np.testing.assert_allclose(shifted_distribution(e, np.array([d, 0.0])), expected, rtol=0, atol=1e-12)


def test_the_shifted_law_of_simulated_gaps():
    means = np.array([0.0, 1.5, 1.0, -4.0])
    gaps = leading_gap(means + rng_for(0, "test gap", "shifted").standard_normal((4000, 4)))
    assert (
        stats.kstest(
            gaps, lambda e: between_knots(lambda knots: shifted_distribution(knots, means), e)
        ).pvalue
        > FALSE_ALARM
    )
