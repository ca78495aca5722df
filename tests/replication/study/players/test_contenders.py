"""The folder of players: who is in it, what each asks of the config, and how each is shown."""

import pytest

from private_experts.errors import InputError
from private_experts.replication.study import players

KNOWN = ["central-learners", "own-counts-local", "prefix-sums", "private-leaders", "rw-ftpl", "rw-meta"]
KNOWN += ["rw-meta-variants", "tree-ftpl", "yardsticks"]


def test_every_module_of_the_folder_is_a_player():
    assert players.names() == KNOWN
    for player in KNOWN:
        module, _, name = players.entry(player).partition(":")
        assert module == players.module(player).__name__
        assert callable(getattr(players.module(player), name))


def test_an_unknown_player_is_answered_with_the_known_ones():
    with pytest.raises(InputError, match=", ".join(KNOWN)):
        players.module("rw-fptl")


def test_no_two_players_show_an_algorithm_of_the_same_name(monkeypatch):
    assert len(players.contenders()) == sum(len(players.module(player).SHOWN) for player in KNOWN)
    monkeypatch.setattr(players.module("yardsticks"), "SHOWN", {"rw-ftpl": players.contenders()["uniform"]})
    with pytest.raises(InputError, match="two players play 'rw-ftpl'"):
        players.contenders()


def test_tables_begin_with_the_papers_algorithm_and_are_in_the_order_of_the_places():
    shown = players.contenders()
    assert next(iter(shown)) == "rw-meta"
    places = [contender.place for contender in shown.values()]
    assert places == sorted(places)
