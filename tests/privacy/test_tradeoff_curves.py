import numpy as np
import pytest

from private_experts.privacy import gaussian_mixtures
from tests import duality
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
