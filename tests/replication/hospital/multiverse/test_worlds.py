"""A world's games are those of the players, with the same noise."""

import math

import numpy as np
import pytest

from private_experts.replication.hospital.multiverse.worlds import STRONG, totals
from private_experts.replication.hospital.players.rw_meta import VARIANTS
from tests.replication.hospital.plays import LEARNERS, a_game, plays


@pytest.mark.parametrize("family", ["trend", "pooled-autoregression"])
def test_totals_are_those_of_the_players(family):
    game = a_game(levels=(math.inf, 0.5))
    found = totals(game, LEARNERS | {"family": family})
    expected = {}
    for player in ("rw-meta", "rw-ftpl", "tree-ftpl", "prefix-sums", "central-learners", "private-leaders"):
        expected |= plays(player, game, family=family)
    assert {*VARIANTS, "rw-ftpl", "min-regret", *STRONG} <= found[0.5].keys()
    for mu, of_level in found.items():
        for name, sums in of_level.items():
            np.testing.assert_allclose(sums, expected[name, mu].earned.sum(axis=0), rtol=1e-12, err_msg=f"{name}, {mu}")
    assert not ({*STRONG} - {"min-noise"}) & found[math.inf].keys()
