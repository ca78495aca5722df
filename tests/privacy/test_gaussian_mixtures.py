import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from private_experts.errors import InputError
from private_experts.privacy import gaussian_mechanism as curve
from private_experts.privacy.gaussian_mixtures import (
    mixture_delta,
    mixture_epsilon,
    mixture_errors,
    mixture_log_delta,
    mixture_tradeoff,
)
from tests import duality
from tests.each import each

SEVERAL = settings(deadline=None, max_examples=25, derandomize=True)
UNIT = st.floats(0, 1)
# Two components of every kind: no information, little, much.
MIXTURES = [
    ([1.0], [1.0]),
    ([0.25, 0.75], [2.0, 0.3]),
    ([0.5, 0.3, 0.2], [1e-3, 1.0, 6.0]),
    ([0.4, 0.6], [0.0, 1.5]),
    ([0.2, 0.3, 0.5], [0.0, 0.7, 2.5]),
]


@st.composite
def mixtures(draw, zero=True):
    size = draw(st.integers(1, 6))
    raw = np.array(draw(st.lists(st.floats(0.01, 1), min_size=size, max_size=size)))
    levels = st.floats(-2, 0.7).map(lambda x: 10**x)
    mus = draw(st.lists(levels | st.just(0.0) if zero else levels, min_size=size, max_size=size))
    return raw / raw.sum(), np.array(mus)


def test_arguments_broadcast_and_one_number_gives_one_number():
    assert mixture_delta(np.zeros((3, 1)), np.full((2, 4), 0.25), [1.0, 2.0, 3.0, 4.0]).shape == (3, 2)
    assert mixture_tradeoff(np.zeros((3, 1)), np.full((2, 4), 0.25), 1.0).shape == (3, 2)
    assert mixture_epsilon([0.1, 0.2, 0.3], [0.5, 0.5], [1.0, 2.0]).shape == (3,)
    assert isinstance(mixture_tradeoff(0.5, [1.0], [1.0]), float)


@SEVERAL
@given(mixtures(), st.floats(0, 4))
def test_a_mixture_of_levels_has_at_most_the_delta_of_the_largest(mixture, epsilon):
    weights, mus = mixture  # so batches never cost privacy, whatever their law [000, Section 3.1.2]
    most = curve.delta(epsilon=epsilon, mu=mus.max()) if mus.max() else 0.0
    assert mixture_delta(epsilon, weights, mus) <= most * (1 + 1e-12)
    assert mixture_delta(epsilon, weights, mus * 2) >= mixture_delta(epsilon, weights, mus)


def test_rows_of_a_batch_of_mixtures_are_what_each_gives_alone():
    weights, mus = np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([[1.0, 0.0], [0.2, 3.0]])
    x = np.array([0.02, 0.4])
    for function in (mixture_tradeoff, mixture_epsilon, mixture_delta):
        together = function(x, weights, mus)
        alone = [function(x[i], weights[i], mus[i]) for i in range(2)]
        np.testing.assert_allclose(together, alone, rtol=1e-13)


@SEVERAL
@given(mixtures(), st.floats(-8, 8), UNIT)
def test_the_curve_passes_through_the_errors_of_every_threshold(mixture, threshold, gamma):
    for s in (threshold, 0.0):
        first, second = mixture_errors(s, *mixture, gamma)
        # A rounding of alpha moves beta by e^s times as much.
        assert mixture_tradeoff(first, *mixture) == pytest.approx(
            second, abs=1e-15 * math.exp(abs(s)) + 1e-13
        )


def test_no_error_is_larger_than_1_although_the_weights_sum_to_a_rounding_more():
    weights = np.array([0.5 + 2.0**-50, 0.5])
    assert weights.sum() > 1
    for s in (-1.0, 1.0):
        first, second = mixture_errors(s, weights, np.zeros(2))
        assert max(first, second) == 1
        assert mixture_tradeoff(first, weights, np.zeros(2)) == pytest.approx(second, abs=1e-15)


def test_a_component_of_level_0_is_accepted_above_threshold_0_rejected_below_and_randomised_at_it():
    weights, mus = [0.3, 0.5, 0.2], [0.0, 1.0, math.inf]  # at level inf the test is always right
    corner = 0.5 * stats.norm.cdf(-0.5)
    for s, rejected in ((1e-12, 0.0), (-1e-12, 0.3)):
        np.testing.assert_allclose(
            mixture_errors(s, weights, mus), [corner + rejected, corner + 0.3 - rejected], atol=1e-11
        )
    for gamma in (0.0, 0.25, 1.0):
        np.testing.assert_allclose(
            mixture_errors(0.0, weights, mus, gamma),
            [corner + 0.3 * gamma, corner + 0.3 * (1 - gamma)],
            rtol=1e-14,
        )
    alpha = corner + np.array([0.0, 0.1, 0.3])
    np.testing.assert_allclose(mixture_tradeoff(alpha, weights, mus), corner + np.array([0.3, 0.2, 0.0]))


def test_the_smallest_error_of_all_has_a_curve():
    """5e-324 is one digit: a share of it has an error of a half."""
    for share in (1 / 3, 0.9, 1e-3):
        found = mixture_tradeoff(5e-324, [share, 1 - share], [1.0, 0.0])
        assert found == pytest.approx(1.0, abs=1e-12)


def test_components_of_level_inf_are_always_told_apart():
    assert mixture_epsilon(1e-6, [1.0], [1e12]) < mixture_epsilon(1e-6, [1.0], [1.001e12]) == np.inf
    weights, mus = [0.3, 0.2, 0.5], [1.0, 0.0, np.inf]
    alphas = np.array([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
    # Only half of the time is there anything to decide, with the curve of the other two on that half.
    rest = 0.5 * mixture_tradeoff(np.minimum(2 * alphas, 1), [0.6, 0.4], [1.0, 0.0])
    np.testing.assert_allclose(mixture_tradeoff(alphas, weights, mus), rest, atol=1e-14)
    np.testing.assert_allclose(
        mixture_delta([0.0, 1.0, np.inf], weights, mus),
        0.5 + 0.3 * curve.delta(epsilon=[0.0, 1.0, np.inf], mu=1.0),
    )
    np.testing.assert_array_equal(mixture_epsilon([0.2, 0.5, 0.99], weights, mus), [np.inf, np.inf, 0.0])
    inverse = mixture_epsilon(0.51, weights, mus)
    assert curve.delta(epsilon=inverse, mu=1.0) == pytest.approx(0.01 / 0.3, rel=1e-12)
    np.testing.assert_array_equal(mixture_tradeoff(alphas, [1.0], [np.inf]), 0.0)
    np.testing.assert_allclose(
        mixture_tradeoff(alphas, [0.5, 0.5], [0.0, np.inf]), np.maximum(0.5 - alphas, 0), atol=1e-15
    )
    assert mixture_epsilon(0.5, [0.5, 0.5], [0.0, np.inf]) == 0.0


@SEVERAL
@given(
    st.floats(1e-12, 1 - 1e-9), st.floats(-3, 0.9).map(lambda x: 10**x), st.floats(0, 10), st.integers(1, 4)
)
def test_a_mixture_of_equals_is_one_of_them(alpha, mu, epsilon, copies):
    weights, mus = np.full(copies, 1 / copies), np.full(copies, mu)
    # A rounding of alpha moves beta by the slope; alpha near 1 loses digits in 1 - alpha.
    assert mixture_tradeoff(alpha, weights, mus) == pytest.approx(
        curve.tradeoff(alpha, mu), rel=1e-6, abs=1e-13
    )
    assert mixture_log_delta(epsilon, weights, mus) == pytest.approx(
        curve.log_delta(epsilon=epsilon, mu=mu), rel=1e-13, abs=1e-13
    )


def test_a_component_of_weight_0_changes_nothing_and_one_alone_is_gaussian_to_fourteen_digits():
    alphas = np.array([0.0, 1e-300, 1e-20, 1e-3, *np.linspace(0.1, 0.9, 9), 1 - 2**-30, 1.0])
    for weights, mus in (([1.0], [1.3]), *(([0.0, 1.0], [mu, 1.3]) for mu in (0.0, 50.0, np.inf))):
        rtol = 2e-14 if len(mus) == 1 else 1e-13
        np.testing.assert_allclose(
            mixture_tradeoff(alphas, weights, mus), curve.tradeoff(alphas, 1.3), rtol=rtol
        )
        found = mixture_log_delta(1000.0, weights, mus)
        np.testing.assert_allclose(found, curve.log_delta(epsilon=1000, mu=1.3))
        np.testing.assert_allclose(mixture_epsilon(1e-9, weights, mus), curve.epsilon(delta=1e-9, mu=1.3))


@SEVERAL
@given(mixtures(zero=False), st.floats(0, 20))
def test_mixture_epsilon_inverts_mixture_delta(mixture, epsilon):
    delta = mixture_delta(epsilon, *mixture)
    if 1e-300 < delta < 0.99:
        again = mixture_epsilon(delta, *mixture)
        assert mixture_delta(again, *mixture) == pytest.approx(delta, rel=1e-12)
        assert again == pytest.approx(epsilon, rel=1e-10, abs=1e-12)


@SEVERAL
@given(mixtures())
def test_a_trade_off_curve_is_convex_falling_symmetric_and_below_the_diagonal(mixture):
    alphas = np.linspace(0, 1, 101)
    curve = mixture_tradeoff(alphas, *mixture)
    assert curve[0] == pytest.approx(1, abs=1e-14)
    assert curve[-1] == 0
    assert np.all(np.diff(curve) <= 1e-14)
    assert np.all(np.diff(curve, 2) >= -1e-13)
    assert np.all(curve <= 1 - alphas + 1e-14)
    middle = (curve > 1e-9) & (alphas > 0)
    np.testing.assert_allclose(mixture_tradeoff(curve[middle], *mixture), alphas[middle], atol=1e-9)


@each(("weights", "mus"), MIXTURES)
def test_curve_to_profile_and_profile_to_curve_agree_with_the_closed_forms(weights, mus):
    thresholds = np.linspace(-9, 9, 6001)
    alphas, betas = mixture_errors(thresholds, weights, mus)
    epsilons = np.linspace(0, 4, 9)
    profile = duality.delta_from_tradeoff(epsilons, alphas, betas)
    exact = mixture_delta(epsilons, weights, mus)
    assert np.all(profile <= exact + 1e-14)
    np.testing.assert_allclose(profile, exact, atol=1e-6)

    points = np.linspace(0.001, 0.999, 41)
    fine = np.concatenate([np.linspace(0, 0.02, 1001), np.linspace(0.02, 9, 6001)])
    curve = duality.tradeoff_from_deltas(points, fine, mixture_delta(fine, weights, mus))
    exact = mixture_tradeoff(points, weights, mus)
    assert np.all(curve <= exact + 1e-13)
    np.testing.assert_allclose(curve, exact, atol=1e-6)


# Refusals


@each(
    ("function", "given", "text"),
    [
        (mixture_delta, (0.0, [0.5, 0.4], [1.0, 2.0]), "weights of a mixture: they sum to 0.9, write"),
        (
            mixture_delta,
            (0.0, [[0.5, 0.5], [0.5, 0.3]], [1.0, 2.0]),
            "weights of a mixture: they sum to 0.8, write",
        ),
        (mixture_errors, ([1.0, math.nan], [1.0], [1.0]), "threshold = nan: write a number"),
        (mixture_delta, (0.0, [1.5, -0.5], [1.0, 2.0]), "weight of a mixture = 1.5: write a number"),
        (mixture_delta, (0.0, 1.0, 1.0), "weights of a mixture: write a list"),
        (mixture_errors, (math.nan, [1.0], [1.0]), "threshold = nan: write a number"),
        (mixture_errors, (0.0, [1.0], [1.0], 2.0), "gamma = 2: write a number from 0 to 1"),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(function, given, text):
    with pytest.raises(InputError, match=f"^{text}[^\n]*$"):
        function(*given)


def test_levels_without_end_are_taken_in_mixtures():
    for mu in (1e12, 1.1e12, 1e14, 1e16, 1e100, 1e160, 1e308):
        assert mixture_tradeoff([1e-10, 0.05, 0.9], [1.0, 0.0], [mu, 1.0]).tolist() == [0.0] * 3
        assert mixture_tradeoff(0.05, [0.5, 0.5], [mu, 1e-3]) == pytest.approx(0.45, abs=1e-3)
        assert mixture_epsilon(1e-6, [0.5, 0.5], [mu, 1.0]) > 1e23
