"""Reading files that earlier stages wrote. A damaged file is refused with one line that names it."""

import csv
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from private_experts.errors import InputError
from private_experts.replication.files import require_file

if TYPE_CHECKING:
    import pandas as pd

AGAIN = "delete it and run make reproduce again"
LARGEST = 1 << 31  # bytes of a file, packed or not: four times the full export of hospital reports


def _require(path: Path) -> None:
    """Refuse what is no file. One that is absent is an error of the system."""
    path.stat()
    require_file(path, LARGEST, AGAIN)


def read_text(path: Path) -> str:
    """Return the text of a file."""
    _require(path)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text ({error}); {AGAIN}") from error


def read_json(path: Path, names: Iterable[str] = ()) -> dict[str, Any]:
    """Return the object of a JSON file, which must have these keys."""
    _require(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON ({error}); {AGAIN}") from error
    if not isinstance(record, dict):
        raise InputError(f"{path}: must be a JSON object, not a {type(record).__name__}; {AGAIN}")
    for name in names:
        if name not in record:
            raise InputError(f"{path}: {name!r} is missing; {AGAIN}")
    return record


def check_columns(path: Path, present: Iterable[object], columns: Iterable[str]) -> None:
    """Refuse a file that lacks one of these columns, or has a column twice."""
    there = Counter(present)
    for name in (*columns, *there):
        # pandas would rename the second one, and the first would be read as if it were the only one.
        if there[name] != 1:
            raise InputError(
                f"{path}: column {name} {'appears twice' if there[name] else 'is missing'}; {AGAIN}"
            )


def read_rows(path: Path, columns: Iterable[str] = ()) -> list[dict[str, str]]:
    """Return the rows of a CSV file as text; it has these columns, and all rows as many as the header."""
    _require(path)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            rows, header = list(reader), reader.fieldnames or ()
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not CSV ({error}); {AGAIN}") from error
    check_columns(path, header, columns)
    # The csv module fills up short rows and collects what is too much under None.
    if any(None in row or None in row.values() for row in rows):
        raise InputError(f"{path}: a row is longer or shorter than the header; {AGAIN}")
    return rows


def read_table(path: Path, columns: Iterable[str] = ()) -> "pd.DataFrame":
    """Return a table from a CSV file, which must have these columns, with numbers as numbers."""
    import pandas as pd  # slow to load, and most of what uses this module needs no table

    _require(path)
    try:
        table = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not CSV ({' '.join(str(error).split())}); {AGAIN}") from error
    check_columns(path, table, columns)
    return table


def read_records(paths: Iterable[Path], columns: Iterable[str] = ()) -> "pd.DataFrame":
    """Return the records of games in one table; see `read_table`. Panels of under two hospitals have none."""
    import pandas as pd

    parts = [read_table(path, columns) for path in paths]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
