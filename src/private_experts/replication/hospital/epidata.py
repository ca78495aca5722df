"""What Delphi Epidata answers, in the words of the official export: names of columns, days, rows that were asked for.

From the documentation of ``covid_hosp_facility`` and the service's public source code (delphi-epidata 4.1.40).
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.hospital.answers import AnswerError, Unreachable, records_of

Row = Mapping[str, Any]

_LONGEST_NAME = 64  # of a column of MySQL; Delphi shortens those that are longer
_SHORTER = (
    ("hospitalized_", "hosp_"), ("_and_suspected", "_suspected"), ("vaccinated", "vaccd"), ("_coverage", "_cov"),
)  # fmt: skip


def name_there(column: str) -> str:
    """Return what Delphi calls a column of the official export.

    Parameters
    ----------
    column : str
        The official name. Names of more than 64 characters are shorter at Delphi; few others differ.
    """
    name = column.lower().replace("-", "_").replace("+", "plus")
    if len(name) <= _LONGEST_NAME:
        return name
    for long, short in _SHORTER:
        name = name.replace(long, short)
    return name if "_vaccd_" in name else name.replace("_7_day_", "_7d_")


def day_there(day: str) -> int:
    """Return an ISO date as Delphi writes days: the number YYYYMMDD."""
    return int(day.replace("-", ""))


def iso(day: object) -> str:
    """Return Delphi's number of a day as ISO date. Some early rows there have numbers that are none (1082021)."""
    parts = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", str(day))
    try:
        return date(*map(int, parts.groups() if parts else ())).isoformat()
    except (ValueError, TypeError) as error:
        raise AnswerError(f"{day!r} is no day such as 20210108") from error


def rows_of(text: str) -> list[Row]:
    """Return the rows of an answer in Delphi's classic format, which says with a code whether they are all.

    Raises
    ------
    AnswerError
        When the answer is damaged, or says that something went wrong at the service.
    InputError
        When the answer is cut off at the service's limit, or the service refuses the question.
    """
    try:
        answer = json.loads(text)
        code, message, rows = answer["result"], " ".join(str(answer["message"]).split())[:300], answer.get("epidata")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AnswerError("the server's answer is no whole answer of Delphi Epidata") from error
    if code == -2:
        return []
    if code == 2:
        raise InputError(f"the service cut its answer off ({message}); write a smaller hospital.delphi.page_size")
    if code != 1:
        if "error" in message:  # "database error", "unknown error occurred": not the question's fault
            raise AnswerError(f"the server answered: {message}", Unreachable)
        raise InputError(f"the service refused the question: {message}")
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        raise AnswerError("the server's answer holds no list of rows")
    return rows


def homes_of(rows: Sequence[Row], state: str) -> dict[str, str]:
    """Return the hospitals in the answer to the lookup of a state, each with that state."""
    homes = {str(row.get("hospital_pk")): row.get("state") for row in rows}
    if wrong := {*homes.values()} - {state}:
        raise AnswerError(f"hospitals of {', '.join(map(str, wrong))} came where {state} was asked for")
    return dict.fromkeys(sorted(homes), state)


def publications_of(rows: Sequence[Row]) -> set[str]:
    """Return the days (ISO dates) on which rows were published."""
    return {iso(row.get("publication_date")) for row in rows}


def names_of(rows: Sequence[Row]) -> set[str]:
    """Return the names of the fields of rows, of which there must be some."""
    if not rows:
        raise AnswerError("no rows came where there were some before")
    return {name for row in rows for name in row}


def checked(
    rows: Sequence[Row], homes: Mapping[str, str], weeks: tuple[str, str], publication: str, fields: Sequence[str]
) -> list[dict[str, Any]]:
    """Return rows sorted by hospital and week, with ISO weeks, after checking that they are what was asked for.

    Parameters
    ----------
    rows : sequence of mapping
        From an answer.
    homes : mapping of str to str
        The hospitals that were asked for, each with its state.
    weeks : tuple of str
        The first and the last week that were asked for (ISO dates).
    publication : str
        The publication that was asked for (ISO date).
    fields : sequence of str
        The fields that each row must have, by Delphi's names.

    Raises
    ------
    AnswerError
        When a row lacks a field, comes twice, or was not asked for.
    InputError
        When a row puts a hospital into another state than the lookup does. Publications of 2021 are known whose columns
        are in disorder (issue 1007 of delphi-epidata).
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        if lacking := [name for name in fields if name not in row]:
            raise AnswerError(f"a row has no {lacking[0]}")
        hospital, week = row["hospital_pk"], iso(row["collection_week"])
        published = iso(row["publication_date"])
        if (
            not isinstance(hospital, str)
            or hospital not in homes
            or not weeks[0] <= week <= weeks[1]
            or published != publication
        ):
            raise AnswerError(f"a row of hospital {hospital}, {week}, published {published}, was not asked for")
        if row["state"] != homes[hospital]:
            raise InputError(
                f"the publication of {publication} is damaged at Delphi: hospital {hospital} of {homes[hospital]} is "
                f"in {row['state']!r} there; write another day in hospital.as_of"
            )
        if (hospital, week) in found:
            raise AnswerError(f"hospital {hospital} comes twice in the week of {week}")
        found[hospital, week] = {**row, "collection_week": week}
    return [found[place] for place in sorted(found)]


def page_of(text: str, columns: Sequence[str]) -> list[list[str]]:
    """Return the rows of a page that was kept as CSV, after checking that it is whole."""
    header, *rows = records_of(text)
    if header != list(columns):
        raise AnswerError("the page has other columns")
    return rows
