"""A universe's games are those of the players, with the same noise."""

import math

import numpy as np
import pytest

from private_experts.replication.study.multiverse.universe import OURS, PAPERS, STRONG, totals
from private_experts.replication.study.players.tree_ftpl import play_readings
from tests.replication.study.plays import LEARNERS, a_game, plays


@pytest.mark.parametrize(
    ("family", "padding", "sensitivity"), [("trend", "padded", "weekly"), ("autoregression-1", "unpadded", "largest")]
)
def test_totals_are_those_of_the_players(family, padding, sensitivity):
    game = a_game(levels=(math.inf, 0.5))
    found = totals(game, LEARNERS, {"family": family, "tree_padding": padding, "tree_sensitivity": sensitivity})
    expected = {}
    for player in ("rw-meta", "rw-ftpl", "prefix-sums", "central-learners", "private-leaders"):
        expected |= plays(player, game, family=family)
    tree = play_readings(game, padded=padding == "padded", weekly=sensitivity == "weekly")
    expected |= {(play.algorithm, play.mu): play for play in tree}
    assert {PAPERS, *OURS, "rw-ftpl", "min-regret", *STRONG} <= found[0.5].keys()
    for mu, of_level in found.items():
        for name, sums in of_level.items():
            np.testing.assert_allclose(sums, expected[name, mu].earned.sum(axis=0), rtol=1e-12, err_msg=f"{name}, {mu}")
    assert not ({*STRONG} - {"min-noise"}) & found[math.inf].keys()
