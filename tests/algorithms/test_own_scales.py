"""Algorithms on reports whose noise has a scale for each expert."""

import numpy as np
import pytest

from private_experts.algorithms import RWFTPL, RWAdaBatch
from private_experts.errors import InputError
from private_experts.games import private_reports
from private_experts.privacy import GaussianDP, SimulatedNoise, own_scales
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
REACH = np.array([1.0, 0.5, 0.1])
SCALES = own_scales(REACH, LOCAL)


def simulated(*key):
    return SimulatedNoise(rng_for(0, "test own scales", *key))


def reports_of(gains, repetitions, *key):
    return list(private_reports(gains, LOCAL, REACH, simulated(*key), repetitions, moved=2))


def test_rw_ftpl_begins_with_noise_of_each_experts_own_scale_to_the_digit():
    leader = RWFTPL(3, LOCAL, noise_scale=SCALES, noise=simulated("z_0"), repetitions=4)
    np.testing.assert_array_equal(leader.total, simulated("z_0").perturb(np.zeros(3), SCALES, 4))


def test_rw_adabatch_takes_reports_of_no_more_noise_than_its_batches_are_for():
    report = reports_of(np.zeros((1, 3)), 2, "batches")[0]
    leader = RWAdaBatch(3, LOCAL, noise_scale=SCALES.max(), noise=simulated("start"), repetitions=2)
    leader.predict()
    leader.update(report)
    small = RWAdaBatch(3, LOCAL, noise_scale=0.99 * SCALES.max(), noise=simulated("start"), repetitions=2)
    small.predict()
    with pytest.raises(InputError, match=r"noise of scale 1\.41421, and batches are chosen for 1\.40007"):
        small.update(report)


@each(
    "scale",
    [
        np.ones(2),
        np.ones((1, 3)),
        np.array([1.0, -1.0, 1.0]),
        np.array([1.0, np.inf, 1.0]),
        -1.0,
        np.nan,
        "1",
    ],
)
def test_scales_that_fit_no_expert_or_are_none_are_refused(scale):
    with pytest.raises(InputError, match="RW-FTPL: noise_scale"):
        RWFTPL(3, LOCAL, noise_scale=scale, noise=simulated("x"))
    if np.ndim(scale) == 0 and scale != "1":
        with pytest.raises(InputError, match="RW-AdaBatch: noise_scale"):
            RWAdaBatch(3, LOCAL, noise_scale=scale, noise=simulated("x"))
