"""The folder of players: who is in it, what each asks of the config, and how each is shown."""

import pytest

from private_experts.errors import InputError
from private_experts.replication.study import players

KNOWN = [
    "central-learners",
    "own-counts-local",
    "prefix-sums",
    "private-leaders",
    "rw-ftpl",
    "rw-meta",
    "rw-meta-variants",
    "tree-ftpl",
    "yardsticks",
]


def test_every_module_of_the_folder_is_a_player():
    assert players.names() == KNOWN
    for player in KNOWN:
        module, _, name = players.entry(player).partition(":")
        assert module == players.module(player).__name__
        assert callable(getattr(players.module(player), name))


def test_an_unknown_player_is_answered_with_the_known_ones():
    with pytest.raises(InputError, match=", ".join(KNOWN)):
        players.module("rw-fptl")


def test_a_player_asks_for_sections_of_the_config_by_the_parameters_of_play():
    assert {player: players.sections(player) for player in KNOWN if players.sections(player)} == {
        "central-learners": ["learners"],
        "own-counts-local": ["learners"],
        "rw-meta": ["learners"],
        "rw-meta-variants": ["learners"],
    }


def test_a_module_without_a_play_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(players, "FOLDER", tmp_path)
    (tmp_path / "idle.py").write_text("SHOWN = {}\n", encoding="utf-8")
    (tmp_path / "_helper.py").write_text("", encoding="utf-8")
    assert players.names() == ["idle"]
    with pytest.raises(InputError, match=r"idle\.py: has no function play\(game\)"):
        players.sections("idle")


def test_no_two_players_show_an_algorithm_of_the_same_name(monkeypatch):
    assert len(players.contenders()) == sum(len(players.module(player).SHOWN) for player in KNOWN)
    monkeypatch.setattr(players.module("yardsticks"), "SHOWN", {"rw-ftpl": players.contenders()["uniform"]})
    with pytest.raises(InputError, match="two players play 'rw-ftpl'"):
        players.contenders()


def test_a_section_that_only_goes_by_its_name_is_asked_for_too(tmp_path, monkeypatch):
    monkeypatch.setattr(players, "FOLDER", tmp_path)
    (tmp_path / "picky.py").write_text("def play(game, learners, *, batching): ...\n", encoding="utf-8")
    assert players.sections("picky") == ["learners", "batching"]


def test_tables_begin_with_the_papers_algorithm_and_are_in_the_order_of_the_places():
    shown = players.contenders()
    assert next(iter(shown)) == "rw-meta"
    places = [contender.place for contender in shown.values()]
    assert places == sorted(places)


def test_those_compared_differ_in_look():
    looks = [
        (contender.colour, contender.marker, str(contender.dashes))
        for contender in players.contenders().values()
        if contender.compared
    ]
    assert len(looks) == len(set(looks))
