"""One SQLite file, in which whatever was written is on the disk when the writing returns."""

import sqlite3
from pathlib import Path

from private_experts.errors import InputError


def open_database(path: Path, tables: str, *, alone: bool = False) -> sqlite3.Connection:
    """Open a database and make the tables that it lacks; `alone` keeps every other process out.

    Each statement is a transaction. SQLite synchronises the file before a statement returns, and with EXTRA
    also the folder, without which the last statement before a power failure can be undone.
    """
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
    try:
        if alone:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA synchronous = EXTRA")
        database.executescript(f"BEGIN EXCLUSIVE; {tables} COMMIT;")
    except sqlite3.Error as error:
        database.close()
        raise InputError(f"{path}: {error}; is another process using it, or is it another file?") from error
    return database
