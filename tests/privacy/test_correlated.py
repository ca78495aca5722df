"""Correlated reports and their sums: law, causality, and what is refused."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import (
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    SideBySideReports,
    SimulatedNoise,
)
from private_experts.privacy.factorization import noise_deviation, square_root
from private_experts.randomness import rng_for
from tests.each import each

BOUNDS = np.array([0.5, 0.25, 1.0, 0.5, 1.5, 0.5])
MU = 0.5


def source(*key):
    return SimulatedNoise(rng_for(0, "test correlated", *key))


def data(*key):
    return rng_for(0, "test correlated", "data", *key).random((6, 3))


def made(kind, n, strategy, bounds, mu, noises, repetitions=1):
    guarantee = GaussianDP(mu, "central")
    return kind(n, guarantee, strategy=strategy, sensitivity=bounds, noise=noises, repetitions=repetitions)


def reported(strategy, vectors, repetitions=4, mu=MU):
    reports = made(CorrelatedReports, 3, strategy, BOUNDS, mu, source(), repetitions)
    return np.array([reports.report(vector).values for vector in vectors])


def test_a_report_uses_no_later_vector_and_keeps_none_of_the_callers_arrays():
    strategy, bounds, vectors = square_root(6), BOUNDS.copy(), data()
    expected = reported(strategy, vectors)
    reports = made(CorrelatedReports, 3, strategy, bounds, MU, source(), 4)
    strategy[...], bounds[...] = 7.0, 7.0
    buffer = np.empty(3)
    for vector, total in zip(vectors, expected, strict=True):
        buffer[...] = vector
        np.testing.assert_array_equal(reports.report(buffer).values, total)
        buffer[...] = 7.0
    changed = vectors.copy()
    changed[3] = 1 - changed[3]
    np.testing.assert_array_equal(reported(square_root(6), changed)[:3], expected[:3])
    moved = np.broadcast_to((changed - vectors)[:, None], expected.shape)
    np.testing.assert_allclose(reported(square_root(6), changed) - expected, moved, atol=1e-12)


def test_without_privacy_the_reports_are_the_vectors_and_a_refused_one_takes_no_round():
    np.testing.assert_array_equal(
        reported(square_root(6), data(), mu=math.inf), np.tile(data()[:, None], (1, 4, 1))
    )
    reports = made(CorrelatedReports, 3, square_root(2), np.ones(2), math.inf, source())
    for _ in range(2):
        with pytest.raises(InputError):
            reports.report(np.full(3, np.nan))
        reports.report(np.ones(3))


def test_a_round_whose_noise_failed_is_released_no_second_time():
    class Failing(SimulatedNoise):
        def perturb(self, values, scale, repetitions):
            super().perturb(values, scale, repetitions)
            raise OSError("interrupted")

    curator, vectors = made(CorrelatedReports, 3, square_root(2), np.ones(2), MU, source(), 4), data()
    curator._noise = Failing(rng_for(0, "test correlated", "failing"))
    with pytest.raises(OSError, match="interrupted"):
        curator.report(vectors[0])
    curator._noise = source()
    curator.report(vectors[1])
    with pytest.raises(InputError, match="2 rounds and all were played"):
        curator.report(vectors[0])


def test_sums_are_those_of_the_reports_and_begin_with_noise_alone():
    sums = made(MatrixSums, 3, square_root(6), BOUNDS, MU, source("sums"), 4)
    assert sums.guarantee == GaussianDP(MU, "central")
    start = sums.release()
    assert np.unique(start).size == 12
    noises = source("sums")
    np.testing.assert_array_equal(start, noises.perturb(np.zeros(3), BOUNDS[0] / MU, 4))
    reports = made(CorrelatedReports, 3, square_root(6), BOUNDS, MU, noises, 4)
    total = np.zeros((4, 3))
    for vector in data():
        sums.add(vector)
        total += reports.report(vector).values
        np.testing.assert_allclose(sums.release(), total, rtol=1e-12)


@each(
    ("strategy", "bounds", "said"),
    [
        (np.ones((2, 2)), np.ones(2), "past data only"),
        (1.1 * np.eye(2), np.ones(2), "a datum would cost more than mu"),
        (np.eye(2), np.ones(3), "sensitivity"),
        (np.eye(2), np.zeros(2), "sensitivity"),
    ],
)
def test_misuse_is_refused_at_once(strategy, bounds, said):
    for kind in (CorrelatedReports, MatrixSums):
        with pytest.raises(InputError, match=said):
            made(kind, 1, strategy, bounds, 1.0, source())


@each(("low", "high"), [(0, 1), (-20, 30)])
def test_a_curator_of_reports_refuses_gains_of_another_unit(low, high):
    """They would meet noise for a person who moves gains of the bounds' unit."""
    given = {"strategy": square_root(2), "sensitivity": np.full(2, 0.1), "noise": source()}

    def curator(n, bounds=(low, high)):
        return CorrelatedReports(n, GaussianDP(MU, "central"), bounds=bounds, **given)

    for reports in (curator(2), SideBySideReports([curator(1), curator(1)])):
        for other in (low - 0.01, high + 0.01):
            with pytest.raises(InputError, match=f"write numbers from {low} to {high}, or other b"):
                reports.report(np.array([low, other]))
        for _ in range(2):  # a refused vector takes no round of any part
            reports.report(np.array([low, high], dtype=float))
    with pytest.raises(InputError, match="write the least and the largest value"):
        curator(2, (1, 0))


def test_a_report_tells_its_own_noise_and_the_guarantee_of_all():
    strategy = square_root(6)
    curator = made(CorrelatedReports, 3, strategy, BOUNDS, MU, source())
    reports = [curator.report(vector) for vector in data()]
    assert {report.guarantee for report in reports} == {GaussianDP(MU, "central")}
    # A report is one answer: the workload that asks for the data themselves.
    np.testing.assert_allclose(
        [report.scale for report in reports], noise_deviation(np.eye(6), strategy, BOUNDS) / MU
    )
