"""Parses responses of Delphi Epidata and translates them to the official export: column names, dates, rows.

From the documentation of ``covid_hosp_facility`` and the service's public source code (delphi-epidata 4.1.40).
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.study.data.http_client import ResponseError, Unreachable
from private_experts.replication.study.data.paging import csv_rows

Row = Mapping[str, Any]

_LONGEST_NAME = 64  # of a column of MySQL; Delphi shortens those that are longer
_SHORTER = (
    ("hospitalized_", "hosp_"), ("_and_suspected", "_suspected"), ("vaccinated", "vaccd"), ("_coverage", "_cov"),
)  # fmt: skip


def name_at_delphi(column: str) -> str:
    """Return Delphi's name of a column of the official export, shorter above 64 characters."""
    name = column.lower().replace("-", "_").replace("+", "plus")
    if len(name) <= _LONGEST_NAME:
        return name
    for long, short in _SHORTER:
        name = name.replace(long, short)
    return name if "_vaccd_" in name else name.replace("_7_day_", "_7d_")


def day_number(day: str) -> int:
    """Return an ISO date as Delphi writes days: the number YYYYMMDD."""
    return int(day.replace("-", ""))


def iso_date(day: object) -> str:
    """Return Delphi's number of a day as ISO date. Some early rows have numbers that are not dates (1082021)."""
    parts = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", str(day))
    try:
        return date(*map(int, parts.groups() if parts else ())).isoformat()
    except (ValueError, TypeError) as error:
        raise ResponseError(f"{day!r} is not a date such as 20210108") from error


def parse_rows(text: str) -> list[Row]:
    """Return the rows of a response in Delphi's classic format, which has a code that says whether they are all."""
    try:
        response = json.loads(text)
        code, rows = response["result"], response.get("epidata")
        message = " ".join(str(response["message"]).split())[:300]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResponseError("the response is not a complete one of Delphi Epidata") from error
    if code == -2:
        return []
    if code == 2:
        raise InputError(f"the service truncated its response ({message}); write a smaller hospital.delphi.page_size")
    if code != 1:
        if "error" in message:  # "database error", "unknown error occurred": not the request's fault
            raise ResponseError(f"the service failed: {message}", Unreachable)
        raise InputError(f"the service rejected the request: {message}")
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        raise ResponseError("the response has no list of rows")
    return rows


def hospitals_of(rows: Sequence[Row], state: str) -> list[str]:
    """Return the hospitals in the response to the lookup of a state, sorted."""
    if wrong := {row.get("state") for row in rows} - {state}:
        raise ResponseError(f"the response has hospitals of {', '.join(map(str, wrong))} instead of {state}")
    return sorted({str(row.get("hospital_pk")) for row in rows})


def publications_of(rows: Sequence[Row]) -> set[str]:
    """Return the days (ISO dates) on which rows were published."""
    return {iso_date(row.get("publication_date")) for row in rows}


def field_names(rows: Sequence[Row]) -> set[str]:
    """Return the names of the fields of rows, of which there must be some."""
    if not rows:
        raise ResponseError("the response has no rows, where an earlier one had some")
    return {name for row in rows for name in row}


def check_rows(
    rows: Sequence[Row],
    *,
    state: str,
    hospitals: Sequence[str],
    weeks: tuple[str, str],
    publication: str,
    fields: Sequence[str],
) -> list[dict[str, Any]]:
    """Return rows sorted by hospital and week, with ISO weeks, after checking that they are those requested."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        if lacking := [name for name in fields if name not in row]:
            raise ResponseError(f"a row has no {lacking[0]}")
        hospital, week, published = (
            row["hospital_pk"],
            iso_date(row["collection_week"]),
            iso_date(row["publication_date"]),
        )
        if hospital not in hospitals or not weeks[0] <= week <= weeks[1] or published != publication:
            raise ResponseError(f"a row of hospital {hospital}, {week}, published {published}, was not requested")
        if row["state"] != state:
            raise InputError(
                f"the publication of {publication} is damaged at Delphi: hospital {hospital} of {state} is in "
                f"{row['state']!r} there; write another day in hospital.as_of"
            )
        if (hospital, week) in found:
            raise ResponseError(f"hospital {hospital} comes twice in the week of {week}")
        found[hospital, week] = {**row, "collection_week": week}
    return [found[place] for place in sorted(found)]


def check_page(text: str, columns: Sequence[str]) -> list[list[str]]:
    """Return the rows of a page as CSV, after checking that it is whole."""
    header, *rows = csv_rows(text)
    if header != list(columns):
        raise ResponseError("the page has other columns")
    return rows
