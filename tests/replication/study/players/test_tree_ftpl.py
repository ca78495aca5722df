"""The dyadic-tree baseline on a panel."""

import math

import numpy as np
import pytest

from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tree import height
from private_experts.randomness import rng_for
from private_experts.replication.study.players import tree_ftpl
from tests.replication.study.plays import a_game, plays


def test_without_privacy_min_noise_is_follow_the_leader():
    game = a_game(levels=(math.inf,))
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    tree = plays("tree-ftpl", game)
    np.testing.assert_array_equal(tree["min-noise", math.inf].earned, leader.earned)
    regret = tree["min-regret", math.inf].earned
    assert (regret != leader.earned).any()
    assert (regret != regret[:, :1]).any()  # its noise is there even then, for each copy its own


@pytest.mark.parametrize("mu", [1.0, 0.05])
def test_the_studys_own_play_is_the_padded_tree_for_the_largest_sensitivity_draw_by_draw(mu):
    """By hand, from the same streams: a release's fresh noise first, then that of the completed node."""
    game = a_game(levels=(mu,))
    (horizon, n), h = game.gains.shape, height(len(game.gains))
    least = float(game.sensitivity.max()) * h / mu
    assert bool(least > math.sqrt(horizon)) == (mu < 1)  # so that min-regret is once the one, once the other
    for play, scale in zip(tree_ftpl.play(game), (least, max(least, math.sqrt(horizon))), strict=True):
        noise = SimulatedNoise(rng_for(game.seed, play.algorithm, game.state, mu))
        node, tiles, earned = scale / math.sqrt(h), {}, []
        for t in range(horizon):
            prefix = noise.perturb(np.zeros(n), math.sqrt(h - len(tiles)) * node, game.repetitions)
            leader = (prefix + sum(tiles.values())).argmax(axis=1)
            earned.append(game.gains[t, leader])
            size = (t + 1) & -(t + 1)
            tiles = {end: value for end, value in tiles.items() if end <= t + 1 - size}
            total = game.gains[t + 1 - size : t + 1].sum(axis=0)
            tiles[t + 1] = noise.perturb(total, node, game.repetitions)
        np.testing.assert_array_equal(play.earned, earned)


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("weekly", [True, False])
def test_a_reading_draws_the_noise_of_its_tree(noises, padded, weekly):
    game = a_game(levels=(math.inf, 0.5))
    tree_ftpl.play_readings(game, padded, weekly)
    horizon, h = len(game.gains), height(len(game.gains))
    bounds = game.sensitivity if weekly else np.full(horizon, game.sensitivity.max())
    for floor, mu, calls in zip(
        (0, 0, math.sqrt(horizon), math.sqrt(horizon)), (math.inf, 0.5) * 2, noises, strict=True
    ):
        needed = np.maximum(bounds * h / mu, floor) / math.sqrt(h)
        nodes = [scale for values, scale, *_ in calls if values.any()]
        sizes = [t & -t for t in range(1, horizon + 1)]
        expected = [needed[t - size : t].max() for t, size in enumerate(sizes, 1)]
        np.testing.assert_allclose(nodes, expected[: len(nodes)], rtol=1e-12)
        assert len(nodes) >= horizon - 1  # no play needs the last week's node
        fresh = [scale for values, scale, *_ in calls if not values.any()]
        assert (sum(scale > 0 for scale in fresh) > 1) == (padded and needed.max() > 0)
