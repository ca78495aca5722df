"""A panel as a game, and what every player of it must do."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.study import hospital_game as room
from private_experts.replication.study import players
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.own_counts import own_games
from tests.each import each
from tests.replication.study.plays import ALL, LEVELS, a_game, a_panel, plays, same


@each(("adjacency", "distance"), [("move", math.sqrt(2)), ("removal", 1.0)])
def test_a_week_is_as_sensitive_as_its_smallest_hospital_is_small(adjacency, distance):
    panel = a_panel()
    game = a_game(panel=panel, adjacency=adjacency)
    np.testing.assert_allclose(game.sensitivity, distance / panel.smallest_beds, rtol=1e-15)
    np.testing.assert_array_equal(game.gains, panel.density)


@each("reach", [1.0, 3.7])
@each("adjacency", ["move", "removal"])
def test_a_hospital_with_less_than_one_bed_makes_a_week_no_more_sensitive_than_densities_allow(
    adjacency, reach
):
    beds = np.array([[0.1, 50.0], [1.0, 50.0], [2.0, 50.0], [20.0, 50.0]])
    panel = Panel(("a", "b", "c", "d"), ("010001", "010002"), np.zeros((4, 2)), beds.min(axis=1), beds)
    moved = {"move": 2, "removal": 1}[adjacency]
    game = room.game(panel, "NM", [1.0], 2, 1, adjacency, reach)
    # Whatever one person does, densities stay between 0 and 1.
    smallest = math.sqrt(moved) * np.minimum(reach / beds.min(axis=1), 1)
    np.testing.assert_allclose(game.sensitivity, smallest, rtol=1e-15)
    np.testing.assert_array_equal(game.reach, np.minimum(reach / beds, 1))


def test_moving_is_the_default():
    assert np.array_equal(room.game(a_panel(), "NM", [1.0], 2, 1).sensitivity, a_game().sensitivity)


@each(
    ("change", "word"),
    [
        *(({"levels": (1.0, mu)}, "mu") for mu in (0, -1, -math.inf, math.nan)),
        *(({"repetitions": count}, "repetitions") for count in (0, -1)),
        ({"seed": -1}, "seed"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_before_anybody_plays(change, word):
    with pytest.raises(InputError, match=word):
        a_game(**change)


# ---------------------------------------------------------------- what holds for every player


@pytest.fixture(scope="module")
def reference():
    """What every player plays at all levels, made once."""
    return {player: plays(player, a_game()) for player in players.names()}


@each("levels", [(0.25, 1.0, math.inf), (1.0, 0.1)])
@each("player", players.names())
def test_a_level_plays_the_same_whatever_other_levels_are_played(reference, player, levels):
    found = plays(player, a_game(levels=levels))
    shared = reference[player].keys() & found.keys()
    assert {mu for _, mu in shared} == set(LEVELS) & set(levels)
    assert not [key for key in shared if not same(reference[player][key], found[key])]


@each("player", players.names())
def test_the_whole_number_1_is_the_level_1(reference, player):
    whole = plays(player, a_game(levels=(1,)))
    assert all(same(play, reference[player][key]) for key, play in whole.items())


@each("player", players.names())
def test_a_play_records_gains_by_week_and_repetition_and_counts_switches(reference, player):
    game = a_game()
    for play in reference[player].values():
        assert play.earned.shape == (12, 6)
        assert play.switches.shape == (6,)
        assert np.isin(play.earned, game.gains).all()
        assert ((play.switches >= 0) & (play.switches <= 11)).all()


def test_a_players_algorithms_are_those_that_it_shows(reference):
    # Else a table would leave one out, or a legend name one that nobody plays.
    for player, played in reference.items():
        algorithms = {name for name, _ in played if not name.startswith(room.LEARNER)}
        assert algorithms == set(players.module(player).SHOWN), player
        assert {mu for _, mu in played} == set(LEVELS), player


def test_no_player_touches_the_randomness_of_another(reference):
    plays("rw-meta", a_game(), family="pooled-autoregression", windows=[3], strengths={"weak": 1.0})
    for player in set(ALL) - {"rw-meta"}:
        played = plays(player, a_game())
        assert all(same(play, reference[player][key]) for key, play in played.items()), player


def test_every_algorithm_has_a_stream_of_its_own_at_every_level(monkeypatch):
    keys = []

    def noted(seed, *key):
        keys.append((seed, *key))
        return rng_for(seed, *key)

    for module in (room, own_games, *map(players.module, players.names())):
        monkeypatch.setattr(module, "rng_for", noted, raising=False)
    for player in players.names():
        plays(player, a_game(levels=(1.0, 0.5)))
    noises = ("local noise", "noise on own counts")
    shared = [key for key in keys if key[1] in noises]
    assert len(set(shared)) == 4  # of each, one a level: shared by RW-FTPL and RW-Meta on purpose
    others = [key for key in keys if key[1] not in noises]
    # given their reports
    deterministic = {"rw-ftpl", "follow-the-leader", "local-learners", "posterior-means"}
    deterministic |= {"own-counts-rw-ftpl", "own-counts-learners", "own-counts-posterior-means"}
    randomized = players.contenders().keys() - deterministic
    assert len(others) == len(set(others)) == 2 * len(randomized)
    assert {name for _, name, *_ in others} == randomized
    assert {seed for seed, *_ in keys} == {5}
    assert {state for *_, state, _ in keys} == {"NM"}  # two states with one noise would tell their difference
