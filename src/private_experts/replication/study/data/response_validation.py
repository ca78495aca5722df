"""Validates responses of the data services before any of them is kept."""

import csv
import io
import re

from private_experts.errors import InputError


class Unreachable(InputError):  # noqa: N818 - callers read "except Unreachable"
    """The service did not respond, or responded that it could not, in every attempt."""


class ResponseError(Exception):
    """A response that must not be kept, and how long to wait before a retry; `failure` is raised if none succeeds."""

    def __init__(self, message: str, failure: type[InputError] = InputError, wait: float = 0.0) -> None:
        super().__init__(message)
        self.failure, self.wait = failure, wait


def csv_rows(text: str) -> list[list[str]]:
    """Return the rows of a CSV text, the header first, all of the same length."""
    # HTTP reports a connection that was closed early only when the server announced a length.
    if not text.endswith("\n"):
        raise ResponseError("the response is empty or its last line is cut off")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ResponseError(f"the response is not well-formed CSV ({error})") from error
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ResponseError(f"row {number} has {len(row)} fields instead of {len(rows[0])}")
    return rows


def parse_count(text: str) -> int:
    """Return the number in the response to a count."""
    values = csv_rows(text)[1:]  # the column's name differs between versions of the service
    if len(values) != 1 or not re.fullmatch("[0-9]+", ",".join(values[0])):
        raise ResponseError("the response to count(*) is not one number")
    return int(values[0][0])


def check_page(text: str, *, number: int, columns: list[str], rows: int, previous: str) -> str:
    """Return a page's text if it has `rows` new rows with these columns."""
    header, *records = csv_rows(text)
    if header != columns:  # a retry would not help: the data set has changed
        missing = ", ".join(name for name in columns if name not in header) or "none, but others were added"
        raise InputError(f"page {number}: the columns changed during the download; missing: {missing}")
    if len(records) != rows:
        found = f"has {len(records)} rows" if records else "is empty"
        raise ResponseError(f"page {number} {found}, expected {rows} from the server's count")
    if previous and set(text.splitlines()) <= set(previous.splitlines()):
        raise ResponseError(f"page {number} repeats the rows of the previous page")
    return text
