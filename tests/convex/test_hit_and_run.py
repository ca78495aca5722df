"""Hit-and-run against laws that are known: its error is measured, not promised."""

import numpy as np
import pytest

from private_experts.convex.domains import Ball, Box
from private_experts.convex.gaussian import BallGaussian, BoxGaussian
from private_experts.convex.hit_and_run import hit_and_run
from private_experts.randomness import rng_for

CASES = {
    "box": (Box((-0.5,) * 3, (0.5,) * 3), 12.0, [6.0, 0.0, -3.0]),
    "ball": (Ball(5, 0.5), 20.0, [4.0, 0.0, 0.0, 2.0, 0.0]),
}


def gap(name, steps, size=3000):
    """Distance of the empirical distribution along the slope from that of exact samples, four times as many."""
    domain, precision, slope = CASES[name]
    law = (BallGaussian if isinstance(domain, Ball) else BoxGaussian)(domain, precision, np.array(slope))
    rng = rng_for(0, "test hit and run", name, steps)
    chains = hit_and_run(law.log_density, domain, np.zeros((size, domain.dimension)), steps, rng) @ np.array(slope)
    exact = np.sort(law.sample(rng, 4 * size) @ np.array(slope))
    places = np.searchsorted(exact, np.sort(chains)) / exact.size
    return np.abs(places - np.arange(1, size + 1) / size).max()


@pytest.mark.parametrize("name", CASES)
def test_after_many_steps_it_has_the_law(name):
    # two bands of Massart at 1e-6 together: sqrt(log(4e6) / (2 n)) (1 + 1/2) = 0.075
    assert gap(name, 150) < 0.075


@pytest.mark.parametrize("name", CASES)
def test_after_few_steps_it_has_not(name):
    assert gap(name, 1) > 0.15


def test_no_step_leaves_the_chains_where_they_are():
    start = np.full((4, 3), 0.1)
    ended = hit_and_run(lambda x: -(x**2).sum(axis=1), CASES["box"][0], start, 0, rng_for(0, "none"))
    np.testing.assert_array_equal(ended, start)
