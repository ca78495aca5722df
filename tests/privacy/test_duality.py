import math

import numpy as np
import pytest

from private_experts.privacy import duality, gaussian_mixtures
from tests.privacy.test_gaussian_mixtures import MIXTURES


@pytest.mark.parametrize(("weights", "mus"), MIXTURES)
def test_curve_to_profile_and_profile_to_curve_agree_with_the_closed_forms(weights, mus):
    thresholds = np.linspace(-9, 9, 6001)
    alphas, betas = gaussian_mixtures.mixture_errors(thresholds, weights, mus)
    epsilons = np.linspace(0, 4, 9)
    profile = duality.delta_from_tradeoff(epsilons, alphas, betas)
    exact = gaussian_mixtures.mixture_delta(epsilons, weights, mus)
    assert np.all(profile <= exact + 1e-14)
    np.testing.assert_allclose(profile, exact, atol=1e-6)

    points = np.linspace(0.001, 0.999, 41)
    fine = np.concatenate([np.linspace(0, 0.02, 1001), np.linspace(0.02, 9, 6001)])
    curve = duality.tradeoff_from_deltas(points, fine, gaussian_mixtures.mixture_delta(fine, weights, mus))
    exact = gaussian_mixtures.mixture_tradeoff(points, weights, mus)
    assert np.all(curve <= exact + 1e-13)
    np.testing.assert_allclose(curve, exact, atol=1e-6)


def test_one_guarantee_certifies_two_straight_lines():
    epsilon, delta = math.log(2), 0.1
    alphas = np.array([0.0, 0.2, 0.3, 0.5, 0.9, 1.0])
    # 1 - 0.1 - 2 alpha up to alpha = 0.3, then (0.9 - alpha) / 2.
    expected = np.array([0.9, 0.5, 0.3, 0.2, 0.0, 0.0])
    np.testing.assert_allclose(duality.tradeoff_from_deltas(alphas, [epsilon], [delta]), expected, atol=1e-15)
    np.testing.assert_array_equal(duality.tradeoff_from_deltas([0.0, 0.5], [2000.0], [0.25]), [0.75, 0.0])
    np.testing.assert_array_equal(duality.tradeoff_from_deltas([0.0, 0.5], [], []), 0.0)


def test_profile_of_a_curve_at_its_edges():
    assert duality.delta_from_tradeoff(0.0, [0.0, 1.0], [1.0, 0.0]) == 0
    assert duality.delta_from_tradeoff(np.inf, [0.0, 0.5], [0.7, 0.2]) == pytest.approx(0.3)
    assert duality.delta_from_tradeoff(5000.0, [0.0, 1e-300], [1.0, 0.0]) == 0
    assert duality.delta_from_tradeoff(0.0, [0.25], [0.25]) == 0.5
