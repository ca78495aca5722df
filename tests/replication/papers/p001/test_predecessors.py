"""The predecessors' bounds, against their pieces."""

import math

import numpy as np
import pytest

from private_experts.privacy.factorization import noise_deviation, prefix_sums, square_root
from private_experts.replication.papers.p001.predecessors import (
    private_leader_regret,
)
from tests.each import each


@each("horizon", [2, 10, 300])
def test_the_leaders_noise_covers_that_of_the_square_root_factorisation(horizon):
    strategy = square_root(horizon)
    strategy = strategy / np.linalg.norm(strategy, axis=0).max()
    exactly = float(noise_deviation(prefix_sums(horizon), strategy, np.ones(horizon)).max())
    stated = private_leader_regret(horizon, 1, 2.0) ** 2 / (2 * horizon) - 1  # at level 2
    assert 0.6 * stated < exactly <= stated


def test_the_leaders_bound_without_noise_is_that_of_the_regularised_leader():
    assert private_leader_regret(50, 9, math.inf) == pytest.approx(10.0)
