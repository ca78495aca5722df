"""Banded sums: their noise by two routes, the reports of a full strategy, memory, and what is refused."""

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import BandedSums, GaussianDP, MatrixSums, SimulatedNoise
from private_experts.privacy.banded import band_noise, root_band
from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
from private_experts.privacy.participation import Participation
from private_experts.randomness import rng_for
from tests.each import each

CENTRAL = GaussianDP(0.5, "central")


def source(*key):
    return SimulatedNoise(rng_for(0, "test banded", *key))


def strategy(coefficients: np.ndarray, rounds: int) -> np.ndarray:
    """The matrix with the coefficients below the diagonal."""
    lag = np.subtract.outer(np.arange(rounds), np.arange(rounds))
    padded = np.concatenate([coefficients, np.zeros(rounds)])
    return np.where(lag >= 0, padded[np.abs(lag)], 0.0)


@each("width", [1, 5, 40])
def test_the_noise_of_the_sums_is_that_of_the_matrix(width):
    c = root_band(width)
    expected = noise_deviation(prefix_sums(20), strategy(c, 20), np.ones(20))
    np.testing.assert_allclose(band_noise(c, 20), expected, rtol=1e-12)


def test_a_band_as_long_as_the_game_is_the_square_root_of_paper_tables():
    np.testing.assert_allclose(root_band(20), square_root(20)[:, 0], rtol=1e-13)
    assert root_band(1).tolist() == [1.0]


def test_a_person_far_from_often_is_bound_by_rounds_that_share_something():
    """Rounds side by side share nothing, and those two apart do, which a bound by distances overlooks."""
    band = np.array([0.6, 0.0, 0.8])
    sums = BandedSums(2, CENTRAL, coefficients=band, sensitivity=1.0, noise=source())
    ends = np.zeros(89)
    ends[[0, -1]] = 0.6, 0.8
    wide = BandedSums(2, CENTRAL, coefficients=ends, sensitivity=1.0, noise=source())
    # 23 widths and a round are as many rounds as are looked at
    assert wide.times_in(Participation(24, 1)) < 7 < 16 < wide.times_in(Participation(25, 1))
    two_apart = np.sqrt(100 + 2 * 99 * 0.48)
    assert sums.times_in(Participation(100, 2)) == pytest.approx(two_apart, rel=1e-12)
    assert two_apart <= sums.times_in(Participation(100, 1)) <= 1.01 * two_apart


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


@each(
    ("arguments", "word"),
    [
        ({"coefficients": np.array([0.8, 0.8])}, "length 1.13137"),
        ({"coefficients": np.array([0.0, 0.8])}, "first must be positive"),
        ({"coefficients": np.array([])}, "first must be positive"),
        ({"coefficients": np.array([[0.5]])}, "array of finite numbers"),
        ({"coefficients": np.array([0.5, np.nan])}, "array of finite numbers"),
        ({"coefficients": [0.5]}, "array of finite numbers"),
        ({"sensitivity": 0.0}, "positive number"),
    ],
)
def test_what_would_break_the_promise_is_refused(arguments, word):
    given = {"coefficients": root_band(3), "sensitivity": 1.0, "noise": source()} | arguments
    with pytest.raises(InputError, match=word):
        BandedSums(2, CENTRAL, **given)
    BandedSums(2, CENTRAL, **given | {"coefficients": np.array([1 + 1e-12]), "sensitivity": 1.0})
