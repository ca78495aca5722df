"""All paths, the least epsilon, and Renyi divergences: each against another route."""

import itertools
import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.papers.p001.chains import joint_laws
from private_experts.replication.papers.p001.paths import action_laws, least_epsilon, path_laws
from tests.each import each

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(3), beta=2.0, lam=6.0)
LOSS = LOSSES["linear"](FAMILY, 5, 1.0, rng_for(0, "test paths"))
OTHER = LOSS.copy()
OTHER[1] *= -1
LAWS, OTHERS = FAMILY.laws(LOSS), FAMILY.laws(OTHER)


@each("budget", [math.inf, 2, 0])
def test_paths_add_up_to_the_law_of_the_chain(budget):
    probability, points = path_laws(np.stack([LAWS, OTHERS]), 0.2, 0.1, budget)
    assert probability.shape == (2, 3 * 4**4)
    assert points.shape == (3 * 4**4, 5)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    for law, one in zip((LAWS, OTHERS), probability, strict=True):
        expected = joint_laws(law, 0.2, 0.1, budget).sum(axis=1)
        for t in range(5):
            np.testing.assert_allclose(np.bincount(points[:, t], one), expected[t], atol=1e-15)


def test_actions_alone_are_paths_put_together():
    probability, points = path_laws(np.stack([LAWS, OTHERS]), 0.2, 0.1)
    together = action_laws(probability, points)
    assert together.shape == (2, 3**5)
    for number, actions in enumerate(itertools.product(range(3), repeat=5)):
        if number % 40 == 0:
            here = (points == actions).all(axis=1)
            np.testing.assert_allclose(together[:, number], probability[:, here].sum(axis=1))


@each("delta", [0.0, 1e-3, 0.1, 0.6])
def test_the_least_epsilon_is_where_the_hockey_stick_meets_delta(delta):
    rng = rng_for(0, "test epsilon")
    p, q = rng.dirichlet(np.ones(40), size=2)
    epsilon = float(least_epsilon(p, q, delta))

    def stick(level):
        return np.maximum(p - math.exp(level) * q, 0).sum()

    assert stick(epsilon) <= delta + 1e-15
    assert epsilon == 0.0 or stick(epsilon - 1e-6) > delta


def test_the_least_epsilon_at_the_ends():
    assert least_epsilon(np.array([0.5, 0.5]), np.array([0.5, 0.5]), 0.0) == 0.0
    assert least_epsilon(np.array([0.6, 0.4]), np.array([0.2, 0.8]), 0.0) == pytest.approx(math.log(3))
    assert least_epsilon(np.array([0.5, 0.5]), np.array([0.0, 1.0]), 0.1) == math.inf
    assert least_epsilon(np.array([0.5, 0.5]), np.array([0.0, 1.0]), 0.5) == 0.0
    assert least_epsilon(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.0) == pytest.approx(math.log(2))


def test_too_many_paths_are_refused():
    with pytest.raises(InputError, match="too many"):
        path_laws(np.zeros((30, 3)), 0.2, 0.1)
