"""What was answered is on the disk, and nothing is there twice, whenever the process is killed."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from examples.hospitals.processes import ROOT
from examples.hospitals.store import Store
from private_experts.errors import InputError
from tests.each import each
from tests.examples.hospitals.desk import SETTING

KILLS = 6
WRITER = """
import sys
from pathlib import Path
from examples.hospitals.store import Store
store = Store(Path(sys.argv[1]), sys.argv[2], new=True)
for week in range(store.week() + 1, 10**6):
    store.open_week(week, "H01")
    store.add(week, "H01", week / 2)
    print(week, flush=True)
"""


def test_what_was_acknowledged_survives_kills_at_random_moments(tmp_path: Path) -> None:
    draw, path, told = random.SystemRandom(), tmp_path / "reports.sqlite3", 0
    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), SETTING.text()], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        told = int(writer.stdout.readline())  # it is at work
        time.sleep(draw.uniform(0.0, 0.05))
        writer.send_signal(signal.SIGKILL)
        rest = [line for line in writer.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
        told = int(rest[-1]) if rest else told
        store = Store(path, SETTING.text(), new=True)
        weeks = store.week()
        assert weeks in (told, told + 1)  # the last one may have been written and not yet told
        reports = store.reports(weeks)
        assert reports[:told] == [{"H01": week / 2} for week in range(1, told + 1)]
        assert all(len(week) <= 1 for week in reports)
        if not reports[-1]:  # killed between the two writings
            store.add(weeks, "H01", weeks / 2)
        store.close()
    assert told > KILLS


def test_a_hospital_cannot_be_counted_twice_even_by_mistake(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True)
    store.add(1, "H01", 0.25)
    with pytest.raises(sqlite3.IntegrityError):
        store.add(1, "H01", 0.5)
    store.close()


def test_a_second_coordinator_on_the_same_file_is_refused(tmp_path: Path) -> None:
    first = Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True)
    with pytest.raises(InputError, match="is another coordinator running"):
        Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True, patience=0.01)
    first.add(1, "H01", 0.25)
    first.close()


def test_another_setting_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True).close()
    with pytest.raises(InputError, match="begun under another setting"):
        Store(tmp_path / "reports.sqlite3", SETTING.text() + " ", new=True)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reports.sqlite3").write_text("not a database " * 100)
    with pytest.raises(InputError, match=r"reports\.sqlite3: file is not a database"):
        Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True)


@each("sql", [
    "CREATE TABLE setting (number INTEGER, other TEXT)",
    "CREATE TABLE weeks (other TEXT)",
    "CREATE TABLE reports (week INTEGER)",
    "CREATE VIEW setting AS SELECT 1",
])  # fmt: skip
def test_a_database_with_other_tables_is_refused(tmp_path_factory, sql: str) -> None:
    path = tmp_path_factory.mktemp("store") / "reports.sqlite3"
    with closing(sqlite3.connect(path)) as other:
        other.execute(sql)
    with pytest.raises(InputError, match="or is it another file") as caught:
        Store(path, SETTING.text(), new=True)
    assert "\n" not in str(caught.value)


def test_a_damaged_database_is_refused_or_whole(tmp_path: Path) -> None:
    path = tmp_path / "reports.sqlite3"
    store = Store(path, SETTING.text(), new=True)
    rows = [(week, "H01", week / 2) for week in range(1, 200)]
    store._database.executemany("INSERT INTO weeks VALUES (?, ?)", [row[:2] for row in rows])
    store._database.executemany("INSERT INTO reports VALUES (?, ?, ?)", rows)
    store.close()
    whole, told = path.read_bytes(), []
    for place in range(0, len(whole), 1500):
        damaged = bytes(byte ^ 0xA5 for byte in whole[place : place + 300])
        path.write_bytes(whole[:place] + damaged + whole[place + 300 :])
        try:
            Store(path, SETTING.text(), new=True).close()
        except InputError as error:
            told.append(str(error))
        for left in tmp_path.glob("reports.sqlite3-*"):
            left.unlink()
    assert len(told) > 5
    assert "\n" not in "".join(told)


def test_the_journal_is_synchronised_at_each_commit(tmp_path: Path) -> None:
    store = Store(tmp_path / "reports.sqlite3", SETTING.text(), new=True)
    ask = store._database.execute
    assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
    assert ask("PRAGMA synchronous").fetchone() == (2,)
    store.close()
