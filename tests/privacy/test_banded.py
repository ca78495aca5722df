"""Banded sums: their noise by two routes, the reports of a full strategy, memory, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

from private_experts.errors import InputError
from private_experts.privacy import BandedSums, GaussianDP, MatrixSums, SimulatedNoise
from private_experts.privacy.banded import band_noise, root_band
from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
from private_experts.randomness import rng_for
from tests.each import each

CENTRAL = GaussianDP(0.5, "central")
FALSE_ALARM = 1e-6


def source(*key):
    return SimulatedNoise(rng_for(0, "test banded", *key))


def strategy(coefficients: np.ndarray, rounds: int) -> np.ndarray:
    """The matrix with the coefficients below the diagonal."""
    lag = np.subtract.outer(np.arange(rounds), np.arange(rounds))
    padded = np.concatenate([coefficients, np.zeros(rounds)])
    return np.where(lag >= 0, padded[np.abs(lag)], 0.0)


@each("width", [1, 2, 5, 9, 40])
def test_the_noise_of_the_sums_is_that_of_the_matrix(width):
    c = root_band(width)
    expected = noise_deviation(prefix_sums(20), strategy(c, 20), np.ones(20))
    np.testing.assert_allclose(band_noise(c, 20), expected, rtol=1e-12)


def test_a_band_as_long_as_the_game_is_the_square_root_of_paper_tables():
    np.testing.assert_allclose(root_band(20), square_root(20)[:, 0], rtol=1e-13)
    assert root_band(1).tolist() == [1.0]


def test_the_noise_grows_as_the_mathematics_say():
    for width in (1, 8, 64):
        c = root_band(width)
        assert math.isclose(band_noise(c, 30_000)[-1], math.sqrt(30_000) / c.sum(), rel_tol=2e-2)


@each("width", [1, 3, 12])
def test_the_same_noise_gives_the_sums_of_the_full_strategy(width):
    c, data = root_band(width), rng_for(0, "data").random((12, 3))
    band = BandedSums(3, CENTRAL, coefficients=c, sensitivity=0.3, noise=source(), repetitions=4)
    full = MatrixSums(
        3, CENTRAL, strategy=strategy(c, 12), sensitivity=np.full(12, 0.3), noise=source(), repetitions=4
    )
    np.testing.assert_array_equal(band.release(), full.release())
    for vector in data:
        band.add(vector)
        full.add(vector)
        np.testing.assert_allclose(band.release(), full.release(), rtol=1e-10, atol=1e-12)


def test_the_noise_has_the_predicted_law():
    c = root_band(4)
    sums = BandedSums(2, CENTRAL, coefficients=c, sensitivity=0.3, noise=source("law"), repetitions=4000)
    scales = 0.3 / CENTRAL.mu * band_noise(c, 9)
    for t in range(9):
        sums.add(np.array([0.25, 1.0]))
        errors = (sums.release() - (t + 1) * np.array([0.25, 1.0])) / scales[t]
        squares = float((errors**2).sum())
        assert (
            min(stats.chi2.cdf(squares, errors.size), stats.chi2.sf(squares, errors.size)) > FALSE_ALARM / 18
        )


def test_without_privacy_the_sums_are_true_for_a_long_time():
    open_sums = BandedSums(
        1,
        GaussianDP(math.inf, "central"),
        coefficients=root_band(7),
        sensitivity=1.0,
        noise=source(),
        repetitions=1,
    )
    for _ in range(2000):
        open_sums.add(np.array([0.1]))
    np.testing.assert_allclose(open_sums.release(), [[200.0]], rtol=1e-11)


@each(
    ("arguments", "word"),
    [
        ({"coefficients": np.array([0.8, 0.8])}, "length 1.13137"),
        ({"coefficients": np.array([0.0, 0.8])}, "first must be positive"),
        ({"coefficients": np.array([-0.5])}, "first must be positive"),
        ({"coefficients": np.array([])}, "first must be positive"),
        ({"coefficients": np.array([[0.5]])}, "array of finite numbers"),
        ({"coefficients": np.array([0.5, np.nan])}, "array of finite numbers"),
        ({"coefficients": [0.5]}, "array of finite numbers"),
        ({"sensitivity": 0.0}, "positive number"),
        ({"sensitivity": math.nan}, "positive number"),
    ],
)
def test_what_would_break_the_promise_is_refused(arguments, word):
    given = {"coefficients": root_band(3), "sensitivity": 1.0, "noise": source()} | arguments
    with pytest.raises(InputError, match=word):
        BandedSums(2, CENTRAL, **given)


@each("width", [1, 7, 40])
def test_a_band_of_any_width_has_the_noise_of_its_level_to_the_digit(width):
    coefficients = root_band(width)
    noise, again = (SimulatedNoise(rng_for(0, "width")) for _ in range(2))
    sums = BandedSums(2, GaussianDP(0.5, "central"), coefficients=coefficients, sensitivity=1.0, noise=noise)
    start, first = (again.perturb(np.zeros(2), 2.0, 1) for _ in range(2))
    np.testing.assert_array_equal(sums.release(), start)
    sums.add(np.zeros(2))
    np.testing.assert_allclose(sums.release(), first / coefficients[0], rtol=1e-12)
