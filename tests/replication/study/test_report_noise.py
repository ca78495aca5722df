"""What a run keeps of the noise of its reports."""

import numpy as np

from private_experts.privacy import GaussianDP, Reports
from private_experts.randomness import rng_for
from private_experts.replication.study.report_noise import noise_of_reports


def test_the_noise_that_was_heard_is_kept_and_not_that_which_was_stated():
    rng = rng_for(0, "report noise")
    gains, noise = rng.random((4, 3)), 0.3 * rng.standard_normal((4, 50, 3))
    scales, level = np.array([0.5, 1.0, 2.0]), GaussianDP(1.0, "local")
    reports = [Reports(row + drawn, level, scales) for row, drawn in zip(gains, noise, strict=True)]
    found, heard = noise_of_reports(gains, reports), noise / scales
    np.testing.assert_array_equal(found.variance, np.tile(scales**2, (4, 1)))
    np.testing.assert_allclose(found.squares, (heard**2).sum(axis=1), rtol=1e-9)
    before = np.concatenate([np.zeros((1, 50, 3)), heard[:-1]])
    np.testing.assert_allclose(found.products, (heard * before).sum(axis=1), rtol=1e-9, atol=1e-12)
