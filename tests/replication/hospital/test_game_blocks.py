"""Games in pieces: a state, and a block of repetitions."""

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.replication import spreading
from private_experts.replication.hospital import game_blocks, panel, sharing
from private_experts.replication.hospital.hospital_stages import games
from private_experts.replication.hospital.shards import game_shard
from private_experts.replication.spreading import shares
from tests.each import each
from tests.replication.hospital.plays import LEAN, LEVELS, a_game, a_panel, plays, same
from tests.replication.whole import Whole


@pytest.fixture
def panels(tmp_path: Path) -> list[Path]:
    """Return the panels of three states; one has a single hospital, so that there is nothing to choose."""
    paths = [tmp_path / f"{state}.csv" for state in ("NM", "VT", "NH")]
    for seed, path in enumerate(paths):
        panel.write(path, a_panel(weeks=6, hospitals=1 if path.stem == "VT" else 4, seed=seed))
    return paths


def recorded(folder: Path, panels: list[Path], count: int) -> list[bytes]:
    """Return the files of the games of RW-FTPL that so many jobs played."""
    asked: dict[str, Any] = {"algorithm": "rw-ftpl", "privacy_levels": [math.inf, 0.5], "repetitions": 7, "seed": 5}
    shards = [folder / f"{share}.shard" for share in shares(count)]
    for share, output in zip(shares(count), shards, strict=True):
        game_shard(share=share, panels=panels, output=output, **asked)
    files = [folder / "totals.csv", folder / "curves.csv"]
    games(panels=panels, totals=files[0], curves=files[1], shards=shards, **asked)
    return [path.read_bytes() for path in files]


def test_any_number_of_jobs_records_the_same_games(
    tmp_path: Path, panels: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "BLOCK", 3)
    alone = recorded(tmp_path / "1", panels, 1)
    assert alone[0].count(b"\nNM,") == 2 * 7
    assert b"VT" not in alone[0]
    monkeypatch.setattr(spreading, "Gathered", Whole)
    for count in (2, 3, 7):
        assert recorded(tmp_path / str(count), panels, count) == alone
    # The mutant: panels that changed after their games were played by another job.
    shards = [tmp_path / "2" / f"{share}.shard" for share in shares(2)]
    assert len(spreading.read(shards, panels).accounts) == 2
    panel.write(panels[0], a_panel(weeks=6, seed=9))
    assert spreading.read(shards, panels).accounts == []


@each("player", LEAN)
def test_one_block_is_what_the_player_plays_and_further_ones_are_new_noise(
    player: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "NM.csv"
    panel.write(path, a_panel())
    asked = ([path], LEVELS)

    def found(repetitions: int) -> dict[Any, Any]:
        [(state, made)] = game_blocks.plays(player, *asked, repetitions, 5, "move", 1.0, {})
        assert state == "NM"
        return {(play.algorithm, play.mu): play for play in made}

    alone = plays(player, a_game(panel=panel.read(path)))
    one = found(6)
    assert one.keys() == alone.keys()
    assert all(same(one[name], alone[name]) for name in alone)
    monkeypatch.setattr(sharing, "BLOCK", 6)
    two = found(12)
    for name, play in two.items():
        first, second = np.split(play.earned, 2, axis=1)
        assert np.array_equal(first, alone[name].earned)
        assert play.switches.shape == (12,)
        if math.isfinite(name[1]) and player != "yardsticks":
            assert not np.array_equal(first, second)


def test_a_share_has_work_enough_for_a_job() -> None:
    assert sharing.shares_of(states=3, repetitions=100, jobs=8) == sharing.shares_of(states=50, repetitions=100, jobs=1)
    assert sharing.shares_of(states=3, repetitions=100, jobs=8) == []
    assert len(sharing.shares_of(states=32, repetitions=100, jobs=100)) == 2
    assert len(sharing.shares_of(states=32, repetitions=1000, jobs=8)) == 8
    assert len(sharing.shares_of(states=3, repetitions=1000, jobs=100)) == 2


def test_the_work_of_a_shard_ends_with_its_share(panels: list[Path]) -> None:
    shard = spreading.Shard("2-of-2")
    with suppress(spreading.Enough):
        list(game_blocks.plays("rw-ftpl", panels, [0.5], 2, 5, "move", 1.0, {}, shard))
    assert [*shard.found] == ["('VT', 0, 2)"]
