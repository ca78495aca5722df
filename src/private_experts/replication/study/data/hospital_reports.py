"""Reading and checking hospital reports in the official CSV format, with all of its columns or some.

The file may be gzipped. No row is cut or filled up.
"""

import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from private_experts.errors import InputError
from private_experts.replication.files import require_file
from private_experts.replication.records import LARGEST
from private_experts.replication.study.data.states import STATES

IDENTITY = ("hospital_pk", "collection_week", "state")
NAMES = ("hospital_name", "city")  # read where there are such

# HHS writes this for a 7-day figure above 0 and below 4.
SUPPRESSED = -999999

MOST_ROWS = 3_000_000  # three times those of the full export
OPEN = (
    "a quote is open at its end, or closed too soon; write each row on one line, and quotes in a cell twice"
)
HINT = "name a CSV export of hospital reports in hospital.data (DATA=...)"


def _day(cell: str) -> date | None:
    """Return the day that the cell of a week begins with; None if it is no date, as in ASCII digits."""
    try:
        dated = re.fullmatch(r"\d{4}([-/])\d{2}\1\d{2}([T ][\d:.]+)?", cell, re.ASCII)
        return date.fromisoformat(cell[:10].replace("/", "-")) if dated else None
    except ValueError:
        return None


def read_columns(
    path: Path, required: Sequence[str], others: Sequence[str], whole: bool = False
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names of two or more columns, all `required` and what `others` there are, and rows.

    A `whole` file has an end of its last line: otherwise it may be read while it is written.
    """
    require_file(path, LARGEST, HINT)
    try:
        with path.open("rb") as stream:
            # By content: a gzipped file may be called .csv.
            packed = stream.read(2) == b"\x1f\x8b"
        plain = gzip.GzipFile(path) if packed else path.open("rb")
        with plain, io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as text:
            return _parse(path, text, required, others, whole)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path}: cannot be read ({error}); is it CSV, plain or gzipped, and complete?"
        ) from error


def _parse(
    path: Path, text: TextIO, required: Sequence[str], others: Sequence[str], whole: bool
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the names and cells of columns from the text of a file."""
    line = text.readline()
    if line.lstrip().startswith("<"):
        raise InputError(f"{path}: is a web page, not CSV; download the data set's CSV export")
    # The header may have spaces after commas, as exports by hand do.
    header = [name.strip() for name in next(csv.reader([line.strip()], skipinitialspace=True), [])]
    alike = {"".join(name.split()).casefold(): name for name in header}
    for name in (*required, *others):
        # Passed over, it would leave its place to the next column of the config.
        if name not in header and (found := alike.get(name.casefold())) is not None:
            raise InputError(
                f"{path}: column {found!r} differs from {name} in case or spaces alone; write {name}"
            )
    names = [name for name in dict.fromkeys((*required, *others)) if name in header or name in required]
    described = [name for name in NAMES if name in header]
    for name in names:
        if name not in header:
            raise InputError(
                f"{path}: column {name} is missing; the file must have {', '.join(required)} and the "
                "figures, under their official names"
            )
        if header.count(name) > 1:
            raise InputError(f"{path}: column {name} appears twice; keep one of them")
    names += described
    cells = itemgetter(*map(header.index, names))
    rows: list[tuple[str, ...]] = []
    reader, line_number = csv.reader((line := written for written in text), strict=True), 1
    try:
        for line_number, row in enumerate(reader, 2):
            # One quote too many would swallow all rows up to the next one.
            if reader.line_num + 1 != line_number:
                raise InputError(f"{path}: line {line_number}: {OPEN}")
            if len(row) == len(header):
                rows.append(tuple(map(sys.intern, cells(row))))  # most cells are those of other rows as well
            elif row:  # no blank line
                raise InputError(
                    f"{path}: line {line_number} has {len(row)} cells, and the header {len(header)}; "
                    "write numbers without commas, and check that the download is complete"
                )
            if len(rows) > MOST_ROWS:
                raise InputError(f"{path}: has more than {MOST_ROWS:,} rows; {HINT}")
    except csv.Error as error:
        raise InputError(f"{path}: line {line_number + 1}: {OPEN} ({error})") from error
    if whole and not line.endswith(("\n", "\r")):
        raise InputError(f"{path}: the last line has no end; wait until it is written, or end it")
    return names, rows


def read(path: Path, columns: Sequence[str], whole: bool = False) -> pd.DataFrame:
    """Read reports from a CSV file, plain or gzipped: `IDENTITY`, weeks as ISO dates, figures, and `NAMES`.

    Refused is also what makes two hospitals or two weeks of one: ids, states and weekdays that change within
    the file.
    """
    path = Path(path)
    if words := [name for name in columns if name in (*IDENTITY, *NAMES)]:
        raise InputError(f"{path}: column {words[0]} has no figures; name a column of numbers")
    names, rows = read_columns(path, IDENTITY, columns, whole)
    if not rows:
        raise InputError(f"{path}: has no rows; name a file with hospital reports")
    text = pd.DataFrame(rows, columns=names, dtype=str)
    text = text.mask(text.isin(["", "NA"]))
    hospital, week, state = (text[name] for name in IDENTITY)

    def check(name: str, right: pd.Series, advice: Callable[[int], str]) -> None:
        if not right.all():
            row = int((~right).to_numpy().argmax())
            raise InputError(f"{path}: row {row + 2}, column {name}: {text[name].iloc[row]!r} {advice(row)}")

    # An id names a column of the panel. Programs that take it for a number drop its leading zeros.
    ids = [
        identity for identity in hospital.dropna().unique() if re.fullmatch(r"[\w-]{6,}", identity, re.ASCII)
    ]
    check(
        "hospital_pk", hospital.isin(ids), lambda _: "is not an id like 010001, with six characters or more"
    )
    days = {text: day for text in week.dropna().unique() if (day := _day(text))}
    check("collection_week", week.isin(list(days)), lambda _: "is not a date like 2021/01/08")
    check("state", state.isin(list(STATES)), lambda _: f"is not a state; write one of {', '.join(STATES)}")
    spelled: dict[str, str] = {}
    # Two spellings of one id would be two hospitals, one that closes and one that opens.
    alike = hospital.map(
        {
            identity: spelled.setdefault(
                re.sub("[-_]", "", identity).lower().replace("o", "0").lstrip("0"), identity
            )
            for identity in ids
        }
    )
    check(
        "hospital_pk",
        hospital == alike,
        lambda row: f"is {alike.iloc[row]!r} in other rows; write one of the two",
    )
    home = state.groupby(hospital).transform("first")
    check(
        "state",
        state == home,
        lambda row: f"is {home.iloc[row]!r} in other rows of {hospital.iloc[row]}; write one",
    )
    weekday = week.map({text: f"{day:%A}" for text, day in days.items()})
    # The commonest weekday, not the first: one wrong date must be named itself, and not all right ones.
    usual = state.map(weekday.groupby(state).agg(lambda found: found.mode()[0]))

    def other_day(row: int) -> str:
        return (
            f"is a {weekday.iloc[row]}, and most weeks of {state.iloc[row]} a {usual.iloc[row]}; use one day"
        )

    check("collection_week", weekday == usual, other_day)
    weeks = week.map({text: day.isoformat() for text, day in days.items()})
    described = {name: text[name] for name in NAMES if name in text}
    numeric = [name for name in names[len(IDENTITY) :] if name not in described]
    figures = {name: pd.to_numeric(text[name], errors="coerce") for name in numeric}
    for name, numbers in figures.items():
        check(name, numbers != -SUPPRESSED, lambda _: f"is {SUPPRESSED} without its sign; write that")
        check(
            name,
            np.isfinite(numbers) | text[name].isna(),
            lambda _: (
                f"is not a number; write a number, {SUPPRESSED} for a suppressed one, or leave it empty"
            ),
        )
    found = {"hospital_pk": hospital, "collection_week": weeks, "state": state, **figures, **described}
    return pd.DataFrame(found)


def columns_used(reports: pd.DataFrame, accepted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return for each purpose the first column that the reports have; refuse reports with none."""
    chosen = {}
    for purpose, wanted in accepted.items():
        found = [name for name in wanted if name in reports.columns]
        if not found:
            raise InputError(
                f"hospital.columns.{purpose}: the data has none of {', '.join(wanted)}; add the name of "
                "its column"
            )
        chosen[purpose] = found[0]
    return chosen


def each_once(reports: pd.DataFrame, of: object) -> pd.DataFrame:
    """Return reports without repeated rows; refuse a hospital with two unlike ones in a week."""
    once = reports.drop_duplicates()
    twice = once.duplicated(["hospital_pk", "collection_week"])
    if twice.any():
        hospital, week = once.loc[twice, ["hospital_pk", "collection_week"]].iloc[0]
        raise InputError(
            f"{of}: hospital {hospital} reports week {week} twice with different figures; keep one of "
            "the rows"
        )
    return once


def within(reports: pd.DataFrame, first_week: str, last_week: str) -> pd.DataFrame:
    """Return the reports of the study's window; refuse a window that has none."""
    weeks = reports["collection_week"]
    inside = reports[weeks.between(first_week, last_week)]
    if inside.empty:
        raise InputError(
            f"hospital.first_week, hospital.last_week: no report is between {first_week} and {last_week}; "
            f"the data has {weeks.min()} to {weeks.max()}"
        )
    return inside
