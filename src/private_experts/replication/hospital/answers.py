"""Checking what a data service answered, before any of it is kept."""

import csv
import io
import re

from private_experts.errors import InputError


class Unreachable(InputError):  # noqa: N818 - callers read "except Unreachable"
    """In all attempts the server did not answer, or answered that it could not."""


class AnswerError(Exception):
    """An answer that must not be kept. Asking again may give a right one."""

    def __init__(self, message: str, failure: type[InputError] = InputError, wait: float = 0.0) -> None:
        super().__init__(message)
        self.failure, self.wait = failure, wait


def records_of(text: str) -> list[list[str]]:
    """Return the rows of a CSV text, the header first, all of the same length."""
    # A connection that was closed early is noticed only when the server announced a length.
    if not text.endswith("\n"):
        raise AnswerError("the server's answer is empty or its last line is cut off")
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise AnswerError(f"the server's answer is not well-formed CSV ({error})") from error
    for number, record in enumerate(records):
        if len(record) != len(records[0]):
            raise AnswerError(f"row {number} has {len(record)} fields instead of {len(records[0])}")
    return records


def count_of(text: str) -> int:
    """Return the number in the answer to a count."""
    values = records_of(text)[1:]  # the column's name differs between versions of the service
    if len(values) != 1 or not re.fullmatch("[0-9]+", ",".join(values[0])):
        raise AnswerError("the server's answer to count(*) is not one number")
    return int(values[0][0])


def check_page(text: str, *, number: int, columns: list[str], rows: int, before: str) -> str:
    """Return a page's text after checking that it has `rows` new rows with the columns asked for."""
    header, *records = records_of(text)
    if header != columns:  # another attempt would not help: the data set has changed
        missing = ", ".join(name for name in columns if name not in header) or "none, but others came"
        raise InputError(f"page {number}: the columns changed since the download began; missing: {missing}")
    if len(records) != rows:
        found = f"has {len(records)} rows" if records else "is empty"
        raise AnswerError(f"page {number} {found} where the server's count promised {rows}")
    if before and set(text.splitlines()) <= set(before.splitlines()):
        raise AnswerError(f"page {number} repeats the rows of the page before it")
    return text
