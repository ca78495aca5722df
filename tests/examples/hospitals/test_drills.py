"""The drills that a reader can run: real processes, a wrong level, and a backup that is put back."""

import contextlib
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from examples.hospitals.__main__ import main
from examples.hospitals.check import run, small_world
from examples.hospitals.drills import _Loss, restored, wrong_level
from examples.hospitals.hospital import LIMIT
from examples.hospitals.store import DATABASE, backup
from examples.hospitals.world import HOSPITALS

pytest.importorskip("opendp", reason="hospitals need the optional extra 'examples'")
pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")


def test_a_wrong_level_in_two_hospitals_sends_nothing(tmp_path: Path) -> None:
    found = dict(wrong_level(tmp_path / "world"))
    assert len(found) == 6
    assert {statement: problems for statement, problems in found.items() if problems} == {}


def test_the_drill_of_a_wrong_level_fails_where_hospitals_do_not_look_at_their_largest_level(
    tmp_path: Path, monkeypatch
) -> None:
    world = small_world

    def careless(folder: Path, **words: Any) -> Any:
        made = world(folder, **words)
        (folder / HOSPITALS / "H03" / LIMIT).write_text("1.0\n")  # as good as none
        return made

    monkeypatch.setattr("examples.hospitals.drills.small_world", careless)
    found = dict(wrong_level(tmp_path / "world"))
    assert [statement for statement, problems in found.items() if problems] == [
        "H03 refuses for good, by its own largest level"
    ]


def test_a_backup_that_is_made_under_load_and_put_back_loses_nothing(tmp_path: Path) -> None:
    found = dict(restored(tmp_path / "world"))
    assert len(found) == 12
    assert {statement: problems for statement, problems in found.items() if problems} == {}


def test_the_drill_of_a_backup_fails_where_it_lacks_the_newest_reports(tmp_path: Path, monkeypatch) -> None:
    def older(source: Path, target: Path) -> tuple[int, int]:
        week, reports = backup(source, target)
        with contextlib.closing(sqlite3.connect(target / DATABASE, isolation_level=None)) as copy:
            gone = copy.execute("DELETE FROM reports WHERE week >= ?", (week - 1,)).rowcount
        return week, reports - gone

    monkeypatch.setattr("examples.hospitals.drills.backup", older)
    found = dict(restored(tmp_path / "world"))
    assert found["the backup has all that was counted when it was begun, also of the open week"]


class Earliest(random.Random):
    """The least of all numbers that may be drawn."""

    def randint(self, low: int, high: int) -> int:
        return low

    def uniform(self, low: float, high: float) -> float:
        return low


def test_after_the_earliest_loss_there_is_still_a_week_to_send_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("examples.hospitals.drills.random.SystemRandom", Earliest)
    loss = _Loss(tmp_path / "world", small_world(tmp_path / "world", hospitals=3, weeks=6)[0])
    run(tmp_path / "world", loss._setting, 0, loss.meanwhile)
    assert loss.put_back >= loss.kept[0] + 2 >= 4


def test_a_drill_that_there_is_not_is_told(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["drill", "fire"])
    assert "drill fire: write level or restore" in capsys.readouterr().err
