"""The drills that a reader can run: real processes, a wrong level, and a backup that is put back."""

import contextlib
import random
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from examples.hospitals.__main__ import main
from examples.hospitals.check import Seen, small_world
from examples.hospitals.drills import restored, wrong_level
from examples.hospitals.hospital import LIMIT
from examples.hospitals.setting import Setting
from examples.hospitals.store import DATABASE, Store, backup
from examples.hospitals.world import COORDINATOR, HOSPITALS

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
        made = world(folder, **words | {"weeks": 1})
        (folder / HOSPITALS / "H03" / LIMIT).write_text("1.0\n")  # as good as none
        return made

    monkeypatch.setattr("examples.hospitals.drills.small_world", careless)
    found = dict(wrong_level(tmp_path / "world"))
    assert [statement for statement, problems in found.items() if problems] == [
        "H03 refuses for good, by its own largest level"
    ]


class Earliest(random.Random):
    """The least of all numbers that may be drawn."""

    def randint(self, low: int, high: int) -> int:
        return low

    def uniform(self, low: float, high: float) -> float:
        return low


def test_a_backup_that_is_made_under_load_and_put_back_loses_nothing(tmp_path: Path, monkeypatch) -> None:
    """After the earliest loss there is still a week to send again."""
    monkeypatch.setattr("examples.hospitals.drills.random.SystemRandom", Earliest)
    found = dict(restored(tmp_path / "world"))
    assert len(found) == 12
    assert {statement: problems for statement, problems in found.items() if problems} == {}
    [(kept, put_back)] = [
        (int(told[1]), int(told[2]))
        for told in (re.match(r"the backup of week (\d+) .*put back in week (\d+)", each) for each in found)
        if told
    ]
    assert put_back >= kept + 2 >= 4


def test_the_drill_of_a_backup_fails_where_it_lacks_the_newest_reports(tmp_path: Path, monkeypatch) -> None:
    """In a run of three weeks without processes."""

    def quick(folder: Path, setting: Setting, kills: int, meanwhile: Any, patience: float) -> Seen:
        with contextlib.closing(Store(folder / COORDINATOR / DATABASE, setting.text(), new=True)) as store:
            for week in (2, 3):
                store.open_week(week, "H01")
            store.add(3, "H01", 0.5)
            meanwhile(3, None)
        return Seen()

    def older(source: Path, target: Path) -> tuple[int, int]:
        week, reports = backup(source, target)
        with contextlib.closing(sqlite3.connect(target / DATABASE, isolation_level=None)) as copy:
            gone = copy.execute("DELETE FROM reports WHERE week >= ?", (week - 1,)).rowcount
        return week, reports - gone

    monkeypatch.setattr("examples.hospitals.drills.backup", older)
    monkeypatch.setattr("examples.hospitals.drills.run", quick)
    has_all = "the backup has all that was counted when it was begun, also of the open week"
    assert next(problems for statement, problems in restored(tmp_path / "world") if statement == has_all)


def test_a_drill_that_there_is_not_is_told(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["drill", "fire"])
    assert "drill fire: write level or restore" in capsys.readouterr().err
