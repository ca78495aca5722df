"""What the study's games have played of own counts is taken from there, and is what would be played."""

import math

import pandas as pd
import pytest

from private_experts.replication.study.data import panel as panels
from private_experts.replication.study.hospital_stages import games
from private_experts.replication.study.own_counts import own_games as room
from private_experts.replication.study.own_counts import shared_games
from private_experts.replication.study.own_counts.own_counts_stages import own_count_games
from private_experts.replication.study.players import sections
from private_experts.replication.workflow.workflow_inputs import SHARED
from tests.replication.papers.p000.test_recorded_noise import panel
from tests.replication.study.own_counts.test_own_games import COPIES
from tests.replication.study.plays import LEARNERS

LEVELS = [math.inf, 0.5]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the games of those who play in the study as well, at one of two finite levels."""
    folder = tmp_path_factory.mktemp("games")
    panels.write(folder / "NM.csv", panel())
    for player in SHARED:
        given = {"privacy_levels": LEVELS, "repetitions": COPIES, "seed": 5}
        given["settings"] = dict.fromkeys(sections(player), LEARNERS)
        paths = {name: folder / f"{player}.{name}.csv" for name in ("totals", "report-noise", "curves")}
        paths = {name.replace("-", "_"): path for name, path in paths.items()}
        games(player, [folder / "NM.csv"], **given, **paths)
    return folder


def own_counts(folder, copies, players):
    totals = [folder / f"{player}.totals.csv" for player in players]
    noise = [folder / "own-counts-local.report-noise.csv"] if players else []
    found = folder / "own.csv", folder / "own.noise.csv"
    own_count_games("NM", folder / "NM.csv", totals, noise, [*LEVELS, 0.25], copies, LEARNERS, 5, *found)
    return [sorted(path.read_text().splitlines()) for path in found]


def test_games_that_were_played_are_those_that_would_be_played(folder, monkeypatch):
    anew = own_counts(folder, COPIES, ())
    told, play = [], room.play
    monkeypatch.setattr(room, "play", lambda *given, **rest: told.append(rest) or play(*given, **rest))
    assert own_counts(folder, COPIES, SHARED) == anew
    assert told[0]["known"] == {(name, mu) for name in shared_games.SHARED.values() for mu in LEVELS}


def test_games_of_other_numbers_of_copies_are_not_taken(folder):
    assert own_counts(folder, COPIES - 1, SHARED) == own_counts(folder, COPIES - 1, ())


def test_other_states_take_the_first_copies(folder):
    played = pd.concat(pd.read_csv(folder / f"{player}.totals.csv") for player in SHARED)
    known = shared_games.shared(played, COPIES)
    assert {*known["algorithm"]} == {*shared_games.SHARED.values()}
    assert shared_games.shared(played, COPIES + 1).empty
    fewer = shared_games.shared(played, COPIES - 1)  # any copies of a game are copies of it
    pd.testing.assert_frame_equal(fewer, known[known["repetition"] < COPIES - 1])
