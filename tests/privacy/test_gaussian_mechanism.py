import inspect
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, compose
from private_experts.privacy import gaussian_mechanism as curve
from private_experts.privacy.composition import advanced_epsilon, step_within
from private_experts.privacy.exact_composition import delta as exact_delta
from private_experts.privacy.exact_composition import epsilon as exact_epsilon
from tests.each import each

# Decimal digits of the second route; the two terms of delta(epsilon) agree in up to 20 of them.
DIGITS = 90

SEVERAL = settings(deadline=None, max_examples=60, derandomize=True)
LEVELS = st.floats(-6, math.log10(50)).map(lambda x: 10**x)


def precise_log_delta(epsilon, mu):
    """Return log(Phi(-z1) - e^epsilon Phi(-z2)) as an mpmath number."""
    with mpmath.workdps(DIGITS):
        e, m = mpmath.mpf(float(epsilon)), mpmath.mpf(float(mu))
        tails = [mpmath.erfc((e / m + sign * m / 2) / mpmath.sqrt(2)) / 2 for sign in (-1, 1)]
        return mpmath.log(tails[0] - mpmath.exp(e) * tails[1])


# The curve of one mechanism


@SEVERAL
@given(st.floats(1e-12, 1 - 1e-12), st.floats(1e-6, 20))
def test_the_gaussian_curve_is_its_formula(alpha, mu):
    assert curve.tradeoff(alpha, mu) == pytest.approx(stats.norm.cdf(stats.norm.isf(alpha) - mu), rel=1e-10)


def test_the_gaussian_curve_at_its_edges():
    alphas = np.array([0.0, 0.1, 0.7, 1.0])
    np.testing.assert_array_equal(curve.tradeoff(alphas, 0.0), 1 - alphas)
    np.testing.assert_array_equal(curve.tradeoff(alphas, np.inf), 0.0)
    np.testing.assert_array_equal(curve.tradeoff([0.0, 1.0], 1.0), [1.0, 0.0])
    # At mu = 2 c the curve passes through (Phi(-c), Phi(-c)).
    corner = stats.norm.cdf(-np.array([0.1, 1.0, 3.0]))
    np.testing.assert_allclose(curve.tradeoff(corner, [0.2, 2.0, 6.0]), corner, rtol=1e-13)


def test_arguments_broadcast_and_one_number_gives_one_number():
    for function, first, second in (
        (curve.tradeoff, ("alpha", 0.5), "mu"),
        (curve.delta, ("epsilon", 0.5), "mu"),
        (curve.epsilon, ("delta", 0.1), "mu"),
        (curve.calibrate_mu, ("epsilon", 1.0), "delta"),
    ):
        name, value = first
        assert function(**{name: np.full((3, 1), value), second: [0.1, 0.2]}).shape == (3, 2)
        assert isinstance(function(**{name: value, second: 0.1}), float)
    levels = {"epsilon": [2.0, 0.1, 3.0], "mu": [1.5, 3.0, 0.5]}  # of each formula one
    alone = [curve.log_delta(epsilon=e, mu=mu) for e, mu in zip(*levels.values(), strict=True)]
    np.testing.assert_array_equal(curve.log_delta(**levels), alone)


# delta(epsilon) of one mechanism


def grid():
    """Pairs (epsilon, mu) with delta from near 1 down to 1e-300, epsilon up to 1e4, mu from 1e-6 to 50."""
    mus = np.concatenate([np.geomspace(1e-6, 50, 24), [0.1, 0.999, 1.0, 1.0 + 1e-9, 1.001]])
    for mu in mus:
        z = np.concatenate([np.linspace(-mu / 2, min(37, mu / 2), 6), np.linspace(-0.5, 37, 14)])
        epsilon = np.maximum(mu * (z + mu / 2), 0)
        yield from ((e, mu) for e in [0.0, *epsilon[epsilon <= 1e4]])


def test_delta_agrees_with_ninety_digits_down_to_1e_minus_300():
    pairs = np.array(list(grid()))
    levels = dict(zip(("epsilon", "mu"), pairs.T, strict=True))
    measured, logs = curve.delta(**levels), curve.log_delta(**levels)
    least = 1.0
    for (epsilon, mu), value, log_value in zip(pairs, measured, logs, strict=True):
        with mpmath.workdps(DIGITS):
            log_exact = precise_log_delta(epsilon, mu)
            if log_exact < mpmath.log(1e-300):
                continue
            exact = mpmath.exp(log_exact)
            least = min(least, float(exact))
            assert abs(mpmath.mpf(float(value)) / exact - 1) < 1e-12, (epsilon, mu)
            # Near the middle of its range delta is right to a few units in the last place.
            assert abs(mpmath.mpf(float(value)) / exact - 1) < 5e-15 - 5e-16 * log_exact, (epsilon, mu)
            assert abs(mpmath.mpf(float(log_value)) - log_exact) < 1e-12, (epsilon, mu)
    assert least < 1e-290


@each(("epsilon", "mu"), [(1e4, 1.0), (1e-3, 1e-6), (1e4, 100.0), (2e9 + 50, 10.0)])
def test_log_delta_goes_on_where_delta_is_too_small_for_a_float(epsilon, mu):
    exact = float(precise_log_delta(epsilon, mu))
    assert curve.log_delta(epsilon=epsilon, mu=mu) == pytest.approx(exact, rel=5e-16)


def test_delta_keeps_its_digits_where_epsilon_over_mu_and_mu_over_2_nearly_cancel():
    mu, z = 1e6 / 7, np.array([1.0, 20.0, 36.9])
    epsilon = mu * (z + mu / 2)
    exact = [float(mpmath.exp(precise_log_delta(one, mu))) for one in epsilon]
    np.testing.assert_allclose(curve.delta(epsilon=epsilon, mu=mu), exact, rtol=1e-12)


def test_log_delta_is_finite_far_out_and_no_warning_is_given():
    far = curve.log_delta(epsilon=[1e10, 1e18, 1e20, 1e5, 1e4], mu=[1.5, 20.0, 20.0, 1e-3, 1e-3])
    np.testing.assert_allclose(far, -0.5 * np.array([1e10 / 1.5, 5e16, 5e18, 1e8, 1e7]) ** 2, rtol=1e-8)
    assert curve.log_delta(epsilon=1e300, mu=1e-300) == -np.inf
    assert curve.delta(epsilon=1.0, mu=1e300) == 1.0


def test_delta_at_its_edges():
    assert curve.delta(epsilon=[0.0, 3.0, 3.0, np.inf], mu=[0.0, 0.0, np.inf, 3.0]).tolist() == [0, 0, 1, 0]
    # delta(0) is the total variation 2 Phi(mu/2) - 1 = erf(mu / sqrt 8).
    mus = np.array([1e-9, 0.1, 1.0, 10.0])
    expected = [math.erf(mu / math.sqrt(8)) for mu in mus]
    np.testing.assert_allclose(curve.delta(epsilon=0.0, mu=mus), expected, rtol=1e-14)
    tiny = curve.delta(epsilon=0.0, mu=1e-300)
    assert tiny == pytest.approx(1e-300 / math.sqrt(2 * math.pi), rel=1e-12)


# Inverses


@SEVERAL
@example(10.0, -1.0)
@given(LEVELS, st.floats(-2, 36))
def test_epsilon_and_calibrate_mu_invert_delta(mu, z):
    epsilon = max(mu * (z + mu / 2), 0.0)
    delta = curve.delta(epsilon=epsilon, mu=mu)
    again = curve.epsilon(delta=delta, mu=mu)
    assert again == pytest.approx(epsilon, rel=1e-12, abs=1e-12 * mu)
    assert curve.delta(epsilon=again, mu=mu) == pytest.approx(delta, rel=1e-12)
    assert curve.calibrate_mu(epsilon=epsilon, delta=delta) == pytest.approx(mu, rel=1e-12)


@SEVERAL
@example(5.0, 0.4)
@given(st.floats(-8, 4).map(lambda x: 10**x), st.floats(-300, -1e-3).map(lambda x: 10**x))
def test_calibrated_levels_spend_what_is_allowed_and_no_more(epsilon, delta):
    mu = curve.calibrate_mu(epsilon=epsilon, delta=delta)
    assert curve.log_delta(epsilon=epsilon, mu=mu) == pytest.approx(math.log(delta), rel=1e-13, abs=1e-13)
    assert curve.log_delta(epsilon=epsilon, mu=mu * (1 + 1e-9)) > math.log(delta)


def test_inverses_at_their_edges():
    inf, equal = math.inf, np.testing.assert_array_equal
    equal(curve.epsilon(delta=[0.0, 1e-9, 1.0], mu=0.0), 0.0)
    equal(curve.epsilon(delta=[0.0, 0.5, 1.0], mu=inf), [inf, inf, 0.0])
    equal(curve.epsilon(delta=[0.0, 0.4, 1.0], mu=1.0), [inf, 0.0, 0.0])  # delta(0) = 0.383
    equal(curve.calibrate_mu(epsilon=[0.0, 2.0], delta=0.0), 0.0)
    equal(curve.calibrate_mu(epsilon=[0.0, 2.0], delta=1.0), inf)
    equal(curve.calibrate_mu(epsilon=inf, delta=[0.0, 0.5]), inf)
    found = curve.calibrate_mu(epsilon=0.0, delta=math.erf(1.5 / math.sqrt(8)))
    assert found == pytest.approx(1.5, rel=1e-14)
    assert curve.epsilon(delta=[], mu=1.0).shape == curve.calibrate_mu(epsilon=[], delta=0.1).shape == (0,)


# Refusals


@each(
    ("function", "given", "text"),
    [
        (curve.tradeoff, {"alpha": 1.5, "mu": 1.0}, "type I error alpha = 1.5: write a number from"),
        (curve.tradeoff, {"alpha": 0.5, "mu": [1.0, -2.0]}, "privacy level mu = -2: write"),
        (curve.delta, {"epsilon": -0.5, "mu": 1.0}, "epsilon = -0.5: write"),
        (curve.delta, {"epsilon": math.nan, "mu": 1.0}, "epsilon = nan: write"),
        (curve.epsilon, {"delta": 1.5, "mu": 1.0}, "delta = 1.5: write a number from 0 to 1"),
        (curve.calibrate_mu, {"epsilon": 1.0, "delta": 1.5}, "delta = 1.5: write a number"),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(function, given, text):
    with pytest.raises(InputError, match=f"^{re.escape(text)}[^\n]*$"):
        function(**given)


@each("mu", [1.4e154, 1e308])
def test_a_level_whose_epsilon_no_float_can_hold_has_an_infinite_one(mu):
    assert curve.epsilon(delta=[1e-300, 1e-6, 0.9], mu=mu).tolist() == [math.inf] * 3
    assert curve.epsilon(delta=[1e-6, 1.0], mu=[1e154, mu]) == pytest.approx([5e307, 0.0])
    assert str(compose(GaussianDP(mu, "local"), delta=1e-6)) == "no privacy"
    assert exact_epsilon(delta=1e-6, mu=mu) == math.inf


@each("largest", [1e300, 1.7976931348623157e308])
def test_the_largest_epsilon_of_all_has_a_level(largest):
    level = math.sqrt(2) * math.sqrt(largest)
    assert curve.calibrate_mu(epsilon=largest, delta=[1e-300, 1e-6, 0.9]) == pytest.approx(level, rel=1e-12)
    assert 0 <= curve.delta(epsilon=largest, mu=level) <= 1  # no nan where a product overflows


@each(
    "function",
    [
        *(getattr(curve, name) for name in ("delta", "log_delta", "epsilon", "calibrate_mu")),
        exact_delta,
        exact_epsilon,
        advanced_epsilon,
        step_within,
    ],
)
def test_levels_that_could_be_swapped_are_given_by_name(function):
    first, second = list(inspect.signature(function).parameters)[:2]
    with pytest.raises(
        TypeError, match=rf"^{function.__name__}\(\): write {first}=..., {second}=... by name$"
    ):
        function(0.5, 0.5)
