"""What a run wrote down, read back by a later step: what is no such record is told in one line."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

AGAIN = "delete it and run make reproduce again"


def read_text(path: Path) -> str:
    """Return the text of a file; raise `InputError` when it is none."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no text ({error}); {AGAIN}") from error


def read_json(path: Path, names: Iterable[str] = ()) -> dict[str, Any]:
    """Return a record.

    Parameters
    ----------
    path : Path
    names : iterable of str
        What it must have.

    Raises
    ------
    InputError
        When it is no JSON object, or lacks a name.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: is no JSON ({error}); {AGAIN}") from error
    if not isinstance(record, dict):
        raise InputError(f"{path}: is no record but a {type(record).__name__}; {AGAIN}")
    for name in names:
        if name not in record:
            raise InputError(f"{path}: {name!r} is missing; {AGAIN}")
    return record


def data_label(provenance: Path) -> tuple[str, bool]:
    """Return the data's label, and whether the data is synthetic."""
    origin = read_json(provenance, ("label", "kind"))
    return origin["label"], origin["kind"] == "synthetic"


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return a table as it stands in a CSV file; raise `InputError` unless every row has every column."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no CSV ({error}); {AGAIN}") from error
    if any(None in row or None in row.values() for row in rows):
        raise InputError(f"{path}: a row is longer or shorter than its header; {AGAIN}")
    return rows


def read_table(path: Path) -> "pd.DataFrame":
    """Return a table with numbers as numbers; raise `InputError` when a file is no CSV."""
    import pandas as pd  # by far the slowest part of what needs no table

    try:
        return pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no CSV ({' '.join(str(error).split())}); {AGAIN}") from error


def read_records(paths: Iterable[Path]) -> "pd.DataFrame":
    """Return the records of games below one another; a panel without a choice has none."""
    import pandas as pd

    parts = [read_table(path) for path in paths]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
