"""Reading and checking hospital reports in the official CSV format, with all of its columns or some."""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from private_experts.errors import InputError

IDENTITY = ("hospital_pk", "collection_week", "state")

# HHS writes this for a 7-day figure above 0 and below 4.
SUPPRESSED = -999999


def _header(path: Path) -> tuple[list[str], bool]:
    """Return the column names of a CSV file and whether it is gzipped, or refuse the file with the reason."""
    try:
        with path.open("rb") as stream:
            zipped = stream.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if zipped else path.open("rb") as stream:
            line = stream.readline().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"{path}: no such file; name the hospital CSV in hospital.file or HHS_FACILITY_CSV") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a directory; name the CSV file in it") from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason}); is the download complete?") from error
    if line.lstrip().startswith("<"):
        raise InputError(f"{path}: is a web page, not CSV; download the data set's CSV export")
    try:
        names = next(csv.reader([line.strip()], skipinitialspace=True), [])
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read ({error}); save it as CSV with a line for each report") from error
    return [name.strip() for name in names], zipped


class _Text(io.BufferedReader):
    """The bytes of a file of text. Programs disagree on what a NUL byte means, and pandas ends a cell at it."""

    def __init__(self, raw: Any, path: Path) -> None:
        super().__init__(raw)
        self._path = path

    def read1(self, size: int = -1, /) -> bytes:
        """Return some bytes; raise `InputError` at a NUL byte."""
        found = super().read1(size)
        if b"\0" in found:
            raise InputError(f"{self._path}: has a NUL byte, so it is not text; is the download complete?")
        return found


def _numbers(path: Path, text: pd.Series) -> pd.Series:
    """Return a column as numbers. Empty cells and NA are missing values; anything else is refused, naming its row."""
    numbers = pd.to_numeric(text, errors="coerce")
    wrong = ~np.isfinite(numbers) & text.notna()
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise InputError(
            f"{path}: row {row + 2}, column {text.name}: {text.iloc[row]!r} is not a number; "
            f"write a number, {SUPPRESSED} for a suppressed one, or leave it empty"
        )
    return numbers


def _fits(column: pd.Series, pattern: str) -> pd.Series:
    """Return which cells match a pattern as a whole. Each distinct value is matched only once, as there are few."""
    return column.isin([value for value in column.dropna().unique() if re.fullmatch(pattern, value)])


def read(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read reports from a CSV file, plain or gzipped: `IDENTITY`, weeks as ISO dates, and the figures that it has."""
    path = Path(path)
    present, zipped = _header(path)
    missing = [name for name in IDENTITY if name not in present]
    if missing:
        raise InputError(
            f"{path}: column {missing[0]} is missing; the file must have {', '.join(IDENTITY)} "
            "and the figures, under their official names"
        )
    wanted = [name for name in dict.fromkeys(columns) if name in present and name not in IDENTITY]
    try:
        with gzip.GzipFile(path) if zipped else path.open("rb", buffering=0) as raw, _Text(raw, path) as stream:
            text = pd.read_csv(
                stream, usecols=[present.index(name) for name in (*IDENTITY, *wanted)], index_col=False, dtype=str,
                keep_default_na=False, na_values=["", "NA"], encoding="utf-8-sig",
            )  # fmt: skip
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, pd.errors.ParserError) as error:
        raise InputError(f"{path}: cannot be read ({error}); is the download complete?") from error
    text.columns = sorted((*IDENTITY, *wanted), key=present.index)
    if text.empty:
        raise InputError(f"{path}: has no rows; name a file with hospital reports")
    weeks = text["collection_week"].str.slice(0, 10).str.replace("/", "-", regex=False)
    dated = _fits(text["collection_week"], r"\d{4}([-/])\d{2}\1\d{2}([T ][\d:.]+)?")
    checks = {
        "hospital_pk": _fits(text["hospital_pk"], r"[\w-]+"),  # it names a column of the panel
        "collection_week": dated & pd.to_datetime(weeks, format="%Y-%m-%d", errors="coerce").notna(),
        "state": text["state"].str.fullmatch("[A-Z]{2}", na=False),
    }
    for name, right in checks.items():
        if not right.all():
            row = int((~right).to_numpy().argmax())
            raise InputError(
                f"{path}: row {row + 2}, column {name}: {text[name].iloc[row]!r} is not a "
                f"{'date like 2021/01/08' if name == 'collection_week' else name}"
            )
    figures = {name: _numbers(path, text[name]) for name in wanted}
    return pd.DataFrame(
        {"hospital_pk": text["hospital_pk"], "collection_week": weeks, "state": text["state"], **figures}
    )
