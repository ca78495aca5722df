"""The leaders of four kinds of central sums, on a panel."""

import math
from itertools import product

import numpy as np

from private_experts.games import play
from private_experts.privacy import GaussianDP
from private_experts.privacy.tight_tree import node_scales
from private_experts.replication.study.players import prefix_sums
from tests.replication.study.plays import a_game, a_panel, plays

NAMES = ["tree-tight", "tree-honaker", "square-root", "optimised-sums"]


class Recorded:
    """Draws no noise, and keeps the scales that it was asked for, and how many copies."""

    def __init__(self):
        self.scales, self.copies = [], set()

    def perturb(self, values, scale, repetitions):
        self.scales.append(scale)
        self.copies.add(repetitions)
        return np.tile(values, (repetitions, 1))


def test_all_four_play_at_every_level_and_without_privacy_as_the_leader_of_the_true_gains():
    game = a_game()
    played = plays("prefix-sums", game)
    assert {name for name, _ in played} == set(NAMES) == set(prefix_sums.SHOWN)
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    for name in NAMES:
        np.testing.assert_array_equal(played[name, math.inf].earned, leader.earned)
        assert (played[name, 0.25].earned != leader.earned).any()


def test_the_noise_of_plays_is_scaled_to_their_level_and_each_weeks_own_sensitivity(monkeypatch):
    game, sources = a_game(levels=(1.0, 0.25)), []
    weeks = len(game.gains)

    def recorded(rng):
        sources.append(Recorded())
        return sources[-1]

    monkeypatch.setattr(prefix_sums, "SimulatedNoise", recorded)
    prefix_sums.play(game)
    for (name, mu), noise in zip(product(NAMES, game.levels), sources, strict=True):
        first, *scales = noise.scales
        assert noise.copies == {game.repetitions}
        assert first == game.sensitivity[0] / mu  # a leader at random
        if name.startswith("tree"):
            levels = node_scales(game.sensitivity, mu, siblings=name == "tree-honaker")
            finite = np.concatenate([level[np.isfinite(level)] for level in levels])
            np.testing.assert_array_equal(np.sort(scales), np.sort(finite))
        else:
            assert scales == [1 / mu] * weeks


def test_without_noise_they_follow_the_leader_of_all_weeks():
    game = a_game(repetitions=1)
    leaders = np.vstack([np.zeros(4), game.gains.cumsum(axis=0)[:-1]]).argmax(axis=1)
    for make in prefix_sums.mechanisms(game).values():
        sums = make(GaussianDP(1.0, "central"), noise=Recorded())
        np.testing.assert_array_equal(play(prefix_sums.PrefixFTPL(sums), game.gains)[:, 0], leaders)


def test_every_play_is_at_its_level_in_a_long_game_too(monkeypatch):
    levels = []

    class Noted(prefix_sums.PrefixFTPL):
        def __init__(self, sums):
            super().__init__(sums)
            levels.append(sums.guarantee.mu)

    monkeypatch.setattr(prefix_sums, "PrefixFTPL", Noted)
    prefix_sums.play(a_game(levels=(1.0, 0.25), panel=a_panel(weeks=80), repetitions=1))
    assert levels == [1.0, 0.25] * 4
