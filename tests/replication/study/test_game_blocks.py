"""Games in blocks of repetitions."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.replication.study import hospital_game
from private_experts.replication.study.data import panel
from private_experts.replication.study.hospital_stages import games
from tests.each import each
from tests.replication.study.plays import LEAN, LEVELS, a_game, a_panel, plays, same


def test_the_games_of_all_states_are_recorded_but_for_a_state_with_nothing_to_choose(tmp_path: Path) -> None:
    paths = [tmp_path / f"{state}.csv" for state in ("NM", "VT", "NH")]
    for seed, path in enumerate(paths):
        panel.write(path, a_panel(weeks=6, hospitals=1 if path.stem == "VT" else 4, seed=seed))
    totals, curves, report_noise = (tmp_path / f"{name}.csv" for name in ("totals", "curves", "report-noise"))
    paths_of = {"panels": paths, "totals": totals, "curves": curves, "report_noise": report_noise}
    games("rw-ftpl", **paths_of, privacy_levels=[math.inf, 0.5], repetitions=7, seed=5)
    states = [line.partition(",")[0] for line in totals.read_text().splitlines()[1:]]
    assert states == ["NM"] * 2 * 7 + ["NH"] * 2 * 7
    assert len(curves.read_text().splitlines()) == 1 + 2 * 2 * 6
    assert len(report_noise.read_text().splitlines()) == 1 + 2 * (4 + 6)  # no noise without privacy


@each("player", LEAN)
def test_one_block_is_what_the_player_plays_and_further_ones_are_new_noise(
    player: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "NM.csv"
    panel.write(path, a_panel())
    arguments = ([path], LEVELS)

    def found(repetitions: int) -> dict[Any, Any]:
        [(state, made)] = hospital_game.plays_of(player, *arguments, repetitions, 5, "move", 1.0, {})
        assert state == "NM"
        return {(play.algorithm, play.mu): play for play in made}

    alone = plays(player, a_game(panel=panel.read(path)))
    one = found(6)
    assert one.keys() == alone.keys()
    assert all(same(one[name], alone[name]) for name in alone)
    monkeypatch.setattr(hospital_game, "BLOCK", 6)
    two = found(12)
    for name, play in two.items():
        first, second = np.split(play.earned, 2, axis=1)
        assert np.array_equal(first, alone[name].earned)
        assert play.switches.shape == (12,)
        if play.report_noise is not None and alone[name].report_noise is not None:
            assert (play.report_noise.copies, alone[name].report_noise.copies) == (12, 6)
            assert (play.report_noise.squares > alone[name].report_noise.squares).all()
        assert (play.report_noise is None) == (player != "rw-ftpl" or math.isinf(name[1]))
        if math.isfinite(name[1]) and player != "yardsticks":
            assert not np.array_equal(first, second)


def test_every_block_has_a_seed_of_its_own() -> None:
    assert len({hospital_game.seed_of(5, block) for block in range(20)}) == 20
