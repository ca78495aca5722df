"""The dyadic-tree baseline on a panel."""

import math

import numpy as np
import pytest

from private_experts.privacy.tree import height
from private_experts.replication.hospital.players import tree_ftpl
from tests.replication.hospital.plays import a_game, plays


@pytest.mark.parametrize("mu", [1.0, 0.05])
def test_the_tree_uses_the_largest_sensitivity_of_all_weeks(noises, mu):
    game = a_game(levels=(mu,))
    tree_ftpl.play(game)
    horizon, h = len(game.gains), height(len(game.gains))
    assert h == 4
    least = game.sensitivity.max() * h / mu
    assert bool(least > math.sqrt(horizon)) == (mu < 1)  # so that min-regret is once the one, once the other
    for calls, prefix in zip(noises, (least, max(least, math.sqrt(horizon))), strict=True):
        nodes = [scale for values, scale, *_ in calls if values.any()]
        assert len(nodes) == horizon  # a node completed each week
        np.testing.assert_allclose(nodes, prefix / math.sqrt(h), rtol=1e-12)


def test_without_privacy_min_noise_is_follow_the_leader():
    game = a_game(levels=(math.inf,))
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    tree = plays("tree-ftpl", game)
    np.testing.assert_array_equal(tree["min-noise", math.inf].earned, leader.earned)
    assert (tree["min-regret", math.inf].earned != leader.earned).any()
