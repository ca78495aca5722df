"""Algorithms on reports whose noise has a scale for each expert."""

import numpy as np
import pytest

from private_experts.algorithms import (
    RWFTPL,
    Decorrelation,
    RWAdaBatch,
    RWMeta,
)
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise, own_scales
from private_experts.randomness import rng_for
from tests.algorithms.dense_rw_meta import dense_sigma
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
REACH = np.array([1.0, 0.5, 0.1])
SCALES = own_scales(REACH, LOCAL)
FALSE_ALARM = 1e-6


def simulated(*key):
    return SimulatedNoise(rng_for(0, "test own scales", *key))


def reports_of(gains, repetitions, *key):
    return list(private_reports(gains, LOCAL, REACH, simulated(*key), repetitions, moved=2))


def test_rw_ftpl_begins_with_noise_of_each_experts_own_scale_to_the_digit():
    leader = RWFTPL(3, LOCAL, noise_scale=SCALES, noise=simulated("z_0"), repetitions=4)
    np.testing.assert_array_equal(leader.total, simulated("z_0").perturb(np.zeros(3), SCALES, 4))


@each("copies", [1, 3])
@each("same", [True, False])
def test_sigma_sums_the_variance_of_the_report_that_was_used(copies, same):
    rng = rng_for(0, "test own scales", "sigma", copies)
    rounds, m = 6, 4
    actions = rng.integers(0, 3, (rounds, m, 1 if same else copies))
    actions = np.broadcast_to(actions, (rounds, m, copies))
    scales = rng.uniform(0.1, 2.0, (rounds, 3))
    meta = RWMeta([Recorded(actions)], LOCAL, rng=rng_for(0, "choice"))
    for scale in scales:
        meta.predict()
        meta.update(Reports(rng.normal(size=(copies, 3)), LOCAL, scale))
    for copy, sigma in enumerate(meta.sigma):
        np.testing.assert_allclose(sigma, dense_sigma(actions[:, :, copy], scales), rtol=1e-12)
    assert len(meta.sigma) == copies


def test_equal_scales_for_each_are_the_same_as_one_scale():
    actions = rng_for(0, "test own scales", "equal").integers(0, 3, (20, 4, 5))
    gains = np.full((20, 3), 0.5)

    def played(moved, sensitivity):
        meta = RWMeta(
            [Recorded(actions)], LOCAL, rng=rng_for(0, "choice"), decorrelation=Decorrelation(floor=0)
        )
        return play(meta, private_reports(gains, LOCAL, sensitivity, simulated("equal"), 5, moved=moved))

    np.testing.assert_array_equal(played(1, np.full(3, 0.25)), played(None, 0.25))


def test_rw_adabatch_takes_reports_of_no_more_noise_than_its_batches_are_for():
    report = reports_of(np.zeros((1, 3)), 2, "batches")[0]
    leader = RWAdaBatch(3, LOCAL, noise_scale=SCALES.max(), noise=simulated("start"), repetitions=2)
    leader.predict()
    leader.update(report)
    small = RWAdaBatch(3, LOCAL, noise_scale=0.99 * SCALES.max(), noise=simulated("start"), repetitions=2)
    small.predict()
    with pytest.raises(InputError, match=r"noise of scale 1\.41421, and batches are chosen for 1\.40007"):
        small.update(report)


@each("scale", [np.ones(2), np.ones((1, 3)), np.array([1.0, -1.0, 1.0]), np.array([1.0, np.inf, 1.0])])
def test_scales_that_fit_no_expert_are_refused(scale):
    with pytest.raises(InputError, match="RW-FTPL: noise_scale"):
        RWFTPL(3, LOCAL, noise_scale=scale, noise=simulated("x"))
