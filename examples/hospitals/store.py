"""What the coordinator keeps: noisy reports, and the choices it has shown, in one SQLite file with its journal.

When a method returns, what it wrote is on the disk: the journal is written ahead (WAL) and synchronised at each commit
(``synchronous = FULL``). A process that is killed in the middle leaves the state before or the state after.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from private_experts.errors import InputError

_TABLES = """
BEGIN;
CREATE TABLE IF NOT EXISTS setting (text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS weeks (week INTEGER PRIMARY KEY, choice TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS reports (
  week INTEGER NOT NULL, hospital TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (week, hospital)
) STRICT;
COMMIT;
"""


class Store:
    """The file of one coordinator, made when it is not there; a second process cannot open it.

    What was begun under one setting is not continued under another. Another process has `patience` seconds to let go.
    """

    def __init__(self, path: Path, setting: str, patience: float = 1.0) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, timeout=patience)
        try:
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.executescript(_TABLES)
            damage = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if damage != "ok":
                raise sqlite3.DatabaseError(f"restore it from a copy, it is damaged ({damage.splitlines()[-1]})")
            for expected in ("week, choice FROM weeks", "week, hospital, value FROM reports"):
                self._database.execute(f"SELECT {expected} LIMIT 0")
            self._database.execute("INSERT INTO setting SELECT ? WHERE NOT EXISTS (SELECT * FROM setting)", (setting,))
            kept = self._database.execute("SELECT text FROM setting").fetchone()
        except sqlite3.Error as error:
            self.close()
            raise InputError(f"{path}: {error}; is another coordinator running, or is it another file?") from error
        if kept != (setting,):
            self.close()
            raise InputError(f"{path}: was begun under another setting; restore setting.json or use another folder")

    def week(self) -> int:
        """Return the latest week that was opened, 0 before the first."""
        return int(self._database.execute("SELECT coalesce(max(week), 0) FROM weeks").fetchone()[0])

    def open_week(self, week: int, choice: str) -> None:
        """Open a week, and so close the one before, with the hospital that was chosen for it."""
        self._database.execute("INSERT INTO weeks VALUES (?, ?)", (week, choice))

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

    def add(self, week: int, hospital: str, value: float) -> None:
        """Keep a report. Each hospital has one a week."""
        self._database.execute("INSERT INTO reports VALUES (?, ?, ?)", (week, hospital, value))

    def reports(self, weeks: int) -> Sequence[dict[str, float]]:
        """Return the reports of the weeks from 1 to `weeks`, by hospital."""
        found: list[dict[str, float]] = [{} for _ in range(weeks)]
        rows = self._database.execute("SELECT week, hospital, value FROM reports WHERE week <= ?", (weeks,))
        for week, hospital, value in rows:
            found[week - 1][hospital] = value
        return found

    def count(self, week: int) -> int:
        """Return how many hospitals have reported for a week."""
        return int(self._database.execute("SELECT count(*) FROM reports WHERE week = ?", (week,)).fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()
