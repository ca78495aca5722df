"""What the coordinator keeps: noisy reports, and the choices it has shown, in one SQLite file with its journal.

When a method returns, what it wrote is on the disk: the journal is written ahead (WAL) and synchronised at each commit
(``synchronous = FULL``). A process that is killed in the middle leaves the state before or the state after.

The newest reports are in the journal alone. So a copy of the file without it lacks them; `backup` makes a whole one.
"""

import fcntl
import os
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO

from examples.hospitals.private_files import synchronise, write_private
from private_experts.errors import InputError

DATABASE = "reports.sqlite3"

_TABLES = """
BEGIN;
CREATE TABLE IF NOT EXISTS setting (text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS weeks (week INTEGER PRIMARY KEY, choice TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS reports (
  week INTEGER NOT NULL, hospital TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (week, hospital)
) STRICT;
CREATE TABLE IF NOT EXISTS draws (
  week INTEGER NOT NULL, hospital TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (week, hospital)
) STRICT;
CREATE TABLE IF NOT EXISTS twice (week INTEGER NOT NULL, hospital TEXT NOT NULL, PRIMARY KEY (week, hospital)) STRICT;
COMMIT;
"""


class Store:
    """The file of one coordinator; a second one cannot open it. Only where it is meant to be new may it be empty.

    What was begun under one setting is not continued under another. Another process has `patience` seconds to let go.
    """

    def __init__(self, path: Path, setting: str, *, new: bool = False, patience: float = 1.0) -> None:
        self._path, self._database = path, sqlite3.connect(":memory:")
        self.failed = False  # whether something could not be written since `write_again`
        self._lock = _locked(path.with_name(path.name + ".lock"), patience)
        try:
            if not new and not has_weeks(path):
                raise InputError(
                    f"{path}: has no week; put back a backup with its whole folder, or say --new if it is meant "
                    "to be empty"
                )
            if new:
                os.close(os.open(path, os.O_RDONLY | os.O_CREAT, 0o600))  # for its owner's eyes alone
            self._database = sqlite3.connect(path, isolation_level=None, timeout=patience)
            self._prepare(setting)
        except sqlite3.Error as error:
            self.close()
            raise InputError(f"{path}: {error}; put back a backup, or is it another file?") from error
        except InputError:
            self.close()
            raise

    def _prepare(self, setting: str) -> None:
        ask = self._database.execute
        ask("PRAGMA journal_mode = WAL")
        ask("PRAGMA synchronous = FULL")
        self._database.executescript(_TABLES)
        damage = ask("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise sqlite3.DatabaseError(f"it is damaged ({damage.splitlines()[-1]})")
        for expected in ("week, choice FROM weeks", "week, hospital, value FROM reports"):
            ask(f"SELECT {expected} LIMIT 0")
        ask("INSERT INTO setting SELECT ? WHERE NOT EXISTS (SELECT * FROM setting)", (setting,))
        if ask("SELECT text FROM setting").fetchone() != (setting,):
            raise InputError(
                f"{self._path}: was begun under another setting; restore setting.json or use another folder"
            )

    @property
    def changes(self) -> int:
        """How many rows were changed since the file was opened."""
        return self._database.total_changes

    def week(self) -> int:
        """Return the latest week that was opened, 0 before the first."""
        return int(self._database.execute("SELECT coalesce(max(week), 0) FROM weeks").fetchone()[0])

    def open_week(self, week: int, choice: str) -> None:
        """Open a week, and so close the one before, with the hospital that was chosen for it.

        What was in the journal goes into the file if there is room, so that a copy of the file alone lacks little more
        than the open week. If there is none, nothing is lost: it is in the journal, and the week is open.
        """
        self._write("INSERT INTO weeks VALUES (?, ?)", (week, choice))
        with suppress(sqlite3.Error):
            self._database.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def choices(self, latest: int) -> list[tuple[int, str, int]]:
        """Return the latest weeks, the newest last: the week, its choice, and how many reports it has."""
        found = self._database.execute(
            "SELECT week, choice, (SELECT count(*) FROM reports WHERE reports.week = weeks.week) "
            "FROM weeks ORDER BY week DESC LIMIT ?",
            (latest,),
        )
        return found.fetchall()[::-1]

    def value(self, week: int, hospital: str) -> float | None:
        """Return what a hospital reported for a week, None when it did not."""
        found = self._database.execute(
            "SELECT value FROM reports WHERE week = ? AND hospital = ?", (week, hospital)
        ).fetchone()
        return found[0] if found else None

    def begin_draw(self, week: int, hospital: str, mark: str) -> str:
        """Keep the mark of a hospital's draw for a week, and return the one that is kept: the first."""
        self._write("INSERT OR IGNORE INTO draws VALUES (?, ?, ?)", (week, hospital, mark))
        found = self._database.execute("SELECT mark FROM draws WHERE week = ? AND hospital = ?", (week, hospital))
        return str(found.fetchone()[0])

    def note_twice(self, week: int, hospital: str) -> None:
        """Keep that a second value of a hospital's report was sent."""
        self._write("INSERT OR IGNORE INTO twice VALUES (?, ?)", (week, hospital))

    def draws(self) -> list[tuple[int, str, int]]:
        """Return how many draws of each week and hospital there were, as far as is known here.

        A draw that was begun counts, as its report may have been sent and lost on the way.
        """
        return self._database.execute(
            "SELECT week, hospital, max(draws) FROM (SELECT week, hospital, 1 AS draws FROM reports "
            "UNION ALL SELECT week, hospital, 1 FROM draws UNION ALL SELECT week, hospital, 2 FROM twice) "
            "GROUP BY week, hospital"
        ).fetchall()

    def reports_of(self, hospital: str) -> list[tuple[int, float]]:
        """Return the week and value of the reports of a hospital, of the latest thousand weeks."""
        found = self._database.execute(
            "SELECT week, value FROM reports WHERE hospital = ? ORDER BY week DESC LIMIT 1000", (hospital,)
        )
        return found.fetchall()[::-1]

    def add(self, week: int, hospital: str, value: float) -> None:
        """Keep a report. Each hospital has one a week."""
        self._write("INSERT INTO reports VALUES (?, ?, ?)", (week, hospital, value))

    def reports(self, weeks: int) -> Sequence[dict[str, float]]:
        """Return the reports of the weeks from 1 to `weeks`, by hospital."""
        found: list[dict[str, float]] = [{} for _ in range(weeks)]
        rows = self._database.execute("SELECT week, hospital, value FROM reports WHERE week <= ?", (weeks,))
        for week, hospital, value in rows:
            found[week - 1][hospital] = value
        return found

    def reported(self, week: int) -> set[str]:
        """Return which hospitals have reported for a week."""
        return {row[0] for row in self._database.execute("SELECT hospital FROM reports WHERE week = ?", (week,))}

    def reported_weeks(self) -> list[tuple[int, str]]:
        """Return the week and hospital of all reports, by week."""
        return self._database.execute("SELECT week, hospital FROM reports ORDER BY week").fetchall()

    def write_again(self) -> None:
        """See that the disk has room again, by writing what is there already."""
        self._write("UPDATE setting SET text = text")
        self.failed = False

    def _write(self, sql: str, values: tuple[object, ...] = ()) -> None:
        try:
            self._database.execute(sql, values)
        except sqlite3.Error:
            self.failed = True
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()
        self._lock.close()


def backup(source: Path, target: Path) -> tuple[int, int]:
    """Copy a coordinator's folder, while it runs, to a new one that a coordinator can be started on.

    Returns the open week and the number of reports. The database is copied as it is at one moment, with its journal.
    """
    database = source / DATABASE
    if not database.is_file():
        raise InputError(f"{database}: no such file; name the folder of a coordinator")
    try:
        if target.exists():
            raise FileExistsError("it is there already; name a new folder")
        with tempfile.TemporaryDirectory(prefix=target.name, dir=target.absolute().parent) as drafts:
            found = _copy(source, Path(drafts) / target.name)
            (Path(drafts) / target.name).rename(target)
        synchronise(target.absolute().parent)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"{target}: no backup was made ({error})") from error
    return found


def _copy(source: Path, draft: Path) -> tuple[int, int]:
    draft.mkdir(mode=0o700)
    for file in sorted(source.iterdir()):
        if file.is_file() and file.suffix in (".json", ".pem", ".key"):
            write_private(draft / file.name, file.read_bytes())
    write_private(draft / DATABASE, b"")
    with closing(
        sqlite3.connect(f"{(source / DATABASE).absolute().as_uri()}?mode=rw", uri=True, timeout=30.0)
    ) as whole:
        whole.execute("VACUUM INTO ?", (str(draft / DATABASE),))
    with closing(sqlite3.connect(draft / DATABASE)) as copy:
        ask = copy.execute
        if ask("PRAGMA integrity_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the copy is damaged, and so is the database")
        found = ask("SELECT (SELECT coalesce(max(week), 0) FROM weeks), (SELECT count(*) FROM reports)").fetchone()
    for made in (draft / DATABASE, draft):
        synchronise(made)
    return int(found[0]), int(found[1])


def _locked(path: Path, patience: float) -> BinaryIO:
    """Return a file that holds the lock of a database, which ends with the process, however it ends."""
    try:
        lock = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name the folder of a coordinator") from error
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() > until:
                lock.close()
                raise InputError(f"{path}: is locked; is another coordinator running?") from error
            time.sleep(0.01)
        else:
            return lock


def has_weeks(path: Path) -> bool:
    """Tell whether a database has any week. What is no database is told later."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path, timeout=1.0)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'weeks'").fetchone():
            return False
        return database.execute("SELECT 1 FROM weeks").fetchone() is not None
