"""The leader of true gains, and uniform choice."""

import numpy as np

from tests.replication.study.plays import a_game, plays, same


def test_the_leader_follows_the_sum_of_the_weeks_before():
    game = a_game(levels=(1.0,))
    play = plays("yardsticks", game)["follow-the-leader", 1.0]
    leaders = np.cumsum(game.gains, axis=0)[:-1].argmax(axis=1)
    np.testing.assert_array_equal(play.earned[1:, 0], game.gains[np.arange(1, 12), leaders])


def test_different_levels_play_with_different_randomness():
    # uniform choice does not depend on the level, its stream does
    played = plays("yardsticks", a_game())
    assert not same(played["uniform", 1.0], played["uniform", 0.25])
