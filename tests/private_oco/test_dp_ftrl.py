"""DP-FTRL: its points are those of the noisy sums, and its noise is that of the factorisation."""

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy.banded import BandedSums, band_noise, root_band
from private_experts.privacy.correlated import MatrixSums
from private_experts.privacy.factorization import square_root
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.dp_ftrl import DPFTRL, dp_ftrl_regulariser, root_noise
from private_experts.randomness import rng_for
from tests.each import each


def sums(dimension, mu=1.0, repetitions=1, width=4):
    return BandedSums(
        dimension,
        GaussianDP(mu, "central"),
        coefficients=root_band(width),
        sensitivity=2.0,
        noise=SimulatedNoise(rng_for(0, "leader", dimension, mu)),
        repetitions=repetitions,
    )


def test_a_point_is_the_clipped_noisy_sum_over_lam():
    slopes, box = np.array([0.8, -0.3, 0.5]), Box([-1.0], [1.0])
    learner, noisy = (
        make(sums(1, repetitions=50)) for make in (lambda it: DPFTRL(box, it, lam=3.0), lambda it: it)
    )
    for slope in slopes:
        np.testing.assert_allclose(learner.predict(), box.project(-noisy.release() / 3.0), rtol=1e-12)
        learner.update(np.array([slope]))
        noisy.add(np.array([slope]))
    points = learner.predict()
    assert 0 < (np.abs(points) == 1).mean() < 1


@each("domain", [Box([-0.5, -0.2], [0.5, 0.3]), Ball(2, 0.4)])
def test_without_privacy_it_is_the_regularised_leader(domain):
    slopes = rng_for(0, "slopes").uniform(-0.7, 0.7, (20, 2))
    learner = DPFTRL(domain, sums(2, mu=np.inf), lam=2.0)
    for before, slope in enumerate(slopes):
        total = slopes[:before].sum(axis=0)
        np.testing.assert_allclose(learner.predict()[0], domain.project(-total / 2.0), atol=1e-12)
        learner.update(slope)


@each("rounds", [1, 17])
def test_the_noise_is_that_of_all_coefficients(rounds):
    np.testing.assert_allclose(root_noise(rounds), band_noise(root_band(rounds), rounds), rtol=1e-9)


def test_the_regulariser_has_the_least_bound():
    noise = root_noise(50)

    def bound(lam):
        return lam * 0.5**2 / 2 + 2.0**2 / lam * (1 + 2 * np.sqrt(3) * noise / 0.7).sum()

    best = dp_ftrl_regulariser(noise, 3, 0.7, lipschitz=2.0, diameter=0.5)
    assert bound(best) == min(bound(best * factor) for factor in (0.99, 1.0, 1.01))


def test_sums_with_too_little_noise_for_the_slopes_are_refused():
    def leader(sensitivity, lipschitz):
        noise, strategy = SimulatedNoise(0), square_root(len(sensitivity))
        part = MatrixSums(
            1, GaussianDP(1.0, "central"), strategy=strategy, sensitivity=sensitivity, noise=noise
        )
        return DPFTRL(Box([-1.0], [1.0]), part, lam=1.0, lipschitz=lipschitz)

    for sensitivity, lipschitz in (
        (np.full(4, 1.0), 1.0),
        (np.array([2.0, 2.0, 1.9]), 1.0),
        (np.full(2, 2.0), 1.5),
    ):
        with pytest.raises(InputError, match=r"DP-FTRL: sums of sensitivity .*; write this sensitivity$"):
            leader(sensitivity, lipschitz)
    for sensitivity, lipschitz in ((np.full(4, 2.0), 1.0), (np.full(2, 0.6), 0.3), (np.full(2, 5.0), 1.0)):
        assert leader(sensitivity, lipschitz).guarantee.mu == 1.0


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="sums of 2 numbers"):
        DPFTRL(Box([-1.0], [1.0]), sums(2), lam=1.0)
    with pytest.raises(InputError, match="lam"):
        DPFTRL(Box([-1.0], [1.0]), sums(1), lam=0.0)
    learner = DPFTRL(Box([-1.0], [1.0]), sums(1), lam=1.0)
    with pytest.raises(InputError):
        learner.update(np.array([1.5]))


@each("dimension", [1, 50])
def test_a_slope_that_is_too_long_is_refused_in_any_dimension(dimension):
    noise = SimulatedNoise(rng_for(0, "long slopes"))
    settings = {"coefficients": np.ones(1), "sensitivity": 2.0, "noise": noise}
    learner = DPFTRL(
        Ball(dimension, 0.5), BandedSums(dimension, GaussianDP(1.0, "central"), **settings), lam=1.0
    )
    slope = np.full(dimension, dimension**-0.5)
    learner.update(0.99 * slope)
    with pytest.raises(InputError, match="and the guarantee is for 1"):
        learner.update(1.01 * slope)
