"""The weekly hospital reports of the US health department, fetched page by page from healthdata.gov."""

import csv
import gzip
import io
import json
import random
import re
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

import requests
from tqdm import tqdm
from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from private_experts.errors import InputError
from private_experts.replication import files

_T = TypeVar("_T")
_IDENTITY = ("hospital_pk", "collection_week", "state")
_LARGEST_PAGE = 50_000
_LONGEST_WAIT = 300.0  # seconds; a server that asks for more has in effect said no
_RETRIED_STATUSES = frozenset({202, 429, 500, 502, 503, 504})  # 202: Socrata still prepares the answer
_CUT = (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError)


class Unreachable(InputError):  # noqa: N818 - callers read "except Unreachable"
    """The server did not answer, or only said that it could not, in all the attempts."""


class _AnswerError(Exception):
    """An answer that must not be kept, but may come right when asked for again."""

    def __init__(self, message: str, failure: type[InputError] = InputError, wait: float = 0.0) -> None:
        super().__init__(message)
        self.failure, self.wait = failure, wait


@dataclass(frozen=True)
class Query:
    """What is asked of the data portal.

    Parameters
    ----------
    base_url : str
        The portal, such as ``https://healthdata.gov``.
    dataset : str
        The data set's identifier: ``anag-cw7u``, or ``uqq2-txqb`` for the raw reports.
    columns : tuple of str
        The columns wanted; those that the data set lacks are left out. ``hospital_pk``,
        ``collection_week`` and ``state`` must be among them.
    states : tuple of str
        Postal abbreviations; an empty tuple asks for all states.
    first_week, last_week : str
        The first and last collection week (ISO dates, both inclusive).
    page_size : int
        Rows per request, at most 50,000.
    """

    base_url: str
    dataset: str
    columns: tuple[str, ...]
    states: tuple[str, ...]
    first_week: str
    last_week: str
    page_size: int = _LARGEST_PAGE


@dataclass(frozen=True)
class Patience:
    """How long to bear with a server that fails.

    Parameters
    ----------
    attempts : int
        How often each page is asked for before the download gives up.
    backoff : float
        Seconds before the second attempt; doubled each time after.
    timeout : float
        Seconds of silence after which an attempt counts as failed.
    """

    attempts: int = 6
    backoff: float = 1.0
    timeout: float = 30.0


def download(
    query: Query,
    destination: Path,
    *,
    sha256: str | None = None,
    patience: Patience = Patience(),
    progress: bool = True,
) -> dict[str, Any]:
    """Download the reports that `query` asks for into one CSV file, and record where they came from.

    Pages that have arrived are kept in ``<destination>.parts``, so that a download that was interrupted
    goes on where it stopped. The provenance is written to ``<destination>.provenance.json``.

    Parameters
    ----------
    query : Query
        What to ask for.
    destination : Path
        The file to be written, compressed when its name ends in ``.gz``.
    sha256 : str, optional
        The checksum that the file must have.
    patience : Patience, optional
        How often and how long to try.
    progress : bool, optional
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    dict
        The provenance: source, query, time, number of rows, columns and checksum.

    Raises
    ------
    Unreachable
        When the server cannot be reached or keeps failing.
    InputError
        When the query is wrong, the answer is not the data asked for, or the checksum differs.
    """
    destination = Path(destination)
    _check_request(query, destination, sha256)
    url = f"{query.base_url.rstrip('/')}/resource/{query.dataset}.csv"
    parts = destination.parent / f"{destination.name}.parts"
    where = f"collection_week between '{query.first_week}T00:00:00' and '{query.last_week}T00:00:00'"
    if query.states:
        where = f"state in ({','.join(repr(state) for state in query.states)}) and {where}"
    with requests.Session() as session:
        # Pages are few and large; a connection kept alive would stay open in the traceback of an error.
        session.headers["Connection"] = "close"
        server = _Server(session, url, patience)
        header = server.ask({"$limit": "1"}, lambda text: _records(text)[0], first=True)
        if lacking := [name for name in _IDENTITY if name not in header]:
            raise InputError(f"{url}: there is no column {', '.join(lacking)}; check the data set's name")
        columns = [name for name in dict.fromkeys(query.columns) if name in header]
        rows = server.ask({"$select": "count(*)", "$where": where}, _count)
        if rows == 0:
            raise InputError(f"{url}: no rows where {where}; choose other states or weeks")
        # Hospital and week identify a row, so their order is total and pages cannot shift between requests.
        asked = {
            "$select": ",".join(columns),
            "$where": where,
            "$order": "hospital_pk,collection_week",
            "$limit": str(query.page_size),
        }
        _prepare_parts(parts, {"url": url, "parameters": asked, "rows": rows})
        with tqdm(total=rows, unit="row", desc="reports", disable=not progress) as bar:
            pages = _fetch_pages(server, asked, columns, rows, parts, bar)
    digest = _join(pages, destination, sha256, parts)
    provenance = {
        "url": url,
        "dataset": query.dataset,
        "query": asked,
        "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": rows,
        "columns": columns,
        "states": list(query.states),
        "first_week": query.first_week,
        "last_week": query.last_week,
        "sha256": digest,
    }
    record = destination.parent / f"{destination.name}.provenance.json"
    files.write_text(record, json.dumps(provenance, indent=2) + "\n")
    _discard(parts)
    return provenance


def _check_request(query: Query, destination: Path, sha256: str | None) -> None:
    """Refuse what can be known to be wrong before any request."""
    lacking = [name for name in _IDENTITY if name not in query.columns]
    # A state in lower case matches no row, and would be missing among others without a word.
    states = [state for state in query.states if not re.fullmatch("[A-Z]{2}", state)]
    weeks = [week for week in (query.first_week, query.last_week) if not _is_date(week)]
    for wrong, message in (
        (lacking, f"columns: {', '.join(lacking)} must be among the columns asked for"),
        (states, f"states: {', '.join(states)} is no postal abbreviation such as PA"),
        (weeks, f"first_week and last_week: {', '.join(weeks)} is no date such as 2021-01-08"),
        (query.first_week > query.last_week, f"first_week {query.first_week} is after {query.last_week}"),
        (not 1 <= query.page_size <= _LARGEST_PAGE, f"page_size: must be from 1 to {_LARGEST_PAGE}"),
        (
            sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256),
            "sha256: must be 64 hexadecimal digits",
        ),
        (destination.is_dir(), f"{destination}: is a folder; name a file"),
    ):
        if wrong:
            raise InputError(message)


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text  # fromisoformat alone also takes 20210108
    except ValueError:
        return False


@dataclass(frozen=True)
class _Server:
    """A data set's address, and how patiently to ask there."""

    session: requests.Session
    url: str
    patience: Patience

    def ask(self, parameters: dict[str, str], check: Callable[[str], _T], *, first: bool = False) -> _T:
        """Return what `check` makes of the answer, asking again while the server or the answer fails."""
        attempts, attempt = max(1, self.patience.attempts), 0
        while True:
            attempt += 1
            try:
                with self.session.get(self.url, params=parameters, timeout=self.patience.timeout) as response:
                    return check(self._text(response))
            except (requests.ConnectionError, requests.Timeout, *_CUT) as error:
                inner = error.args[0] if error.args else error
                failed = _AnswerError(_cause(inner), Unreachable)
                # urllib3 says so when no connection came about: without a network there is nothing to await.
                if first and isinstance(inner, MaxRetryError):
                    attempts = min(attempts, 2)
            except requests.RequestException as error:
                raise self._failure(str(error)) from error
            except _AnswerError as error:
                failed = error
            if attempt >= attempts or failed.wait > _LONGEST_WAIT:
                asked = f", asking to wait {failed.wait:.0f} s" if failed.wait else ""
                raise self._failure(f"{failed}{asked} (attempt {attempt}, the last)", failed.failure)
            # Jitter, so that several downloads that failed together do not come back together.
            pause = self.patience.backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
            time.sleep(max(failed.wait, min(pause, _LONGEST_WAIT)))

    def _failure(self, message: str, failure: type[InputError] = InputError) -> InputError:
        return failure(f"{urlsplit(self.url).netloc}: {' '.join(message.split())}")

    def _text(self, response: requests.Response) -> str:
        """Return the answer's text, once it is sure to be the whole of some CSV."""
        status = f"the server answered HTTP {response.status_code} {response.reason}"
        if response.status_code in _RETRIED_STATUSES:
            raise _AnswerError(status, Unreachable, _retry_after(response))
        if response.status_code != requests.codes.ok:
            raise self._failure(f"{status}{_explanation(response)}")
        try:
            text = response.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _AnswerError("the server's answer is not UTF-8 text") from error
        if "html" in response.headers.get("Content-Type", "") or text.lstrip().startswith("<"):
            raise _AnswerError("the server answered with a web page instead of CSV")
        # A connection closed early is noticed by requests only when the server announced a length.
        if not text.endswith("\n"):
            raise _AnswerError("the server's answer is empty or its last line is cut off")
        return text


def _cause(error: object) -> str:
    """Say why the network failed, without the object addresses and nested errors of urllib3."""
    reason = getattr(error, "reason", error)
    arguments = getattr(reason, "args", ()) or (reason,)
    return f"no complete answer ({str(arguments[0]).rpartition(': ')[2]})"


def _retry_after(response: requests.Response) -> float:
    """Return the seconds that the server asks to wait, given as a number or as a date."""
    try:
        return Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0.0


def _explanation(response: requests.Response) -> str:
    """Return what the server says is wrong, or nothing when it is not in Socrata's form."""
    try:
        return f": {response.json()['message'][:300]}"
    except (ValueError, KeyError, TypeError):
        return ""


def _records(text: str) -> list[list[str]]:
    """Return the rows of a CSV text, the header first, all of the same length."""
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise _AnswerError(f"the server's answer is not well-formed CSV ({error})") from error
    for number, record in enumerate(records):
        if len(record) != len(records[0]):
            raise _AnswerError(f"row {number} has {len(record)} fields instead of {len(records[0])}")
    return records


def _count(text: str) -> int:
    values = _records(text)[1:]  # the column's name differs between versions of the service
    if len(values) != 1 or not re.fullmatch("[0-9]+", ",".join(values[0])):
        raise _AnswerError("the server's answer to count(*) is not one number")
    return int(values[0][0])


def _check_page(text: str, *, number: int, columns: list[str], rows: int, before: str) -> str:
    """Return a page's text when it holds `rows` new rows of the columns asked for."""
    header, *records = _records(text)
    if header != columns:  # not worth another attempt: data sets change their columns for good
        missing = ", ".join(name for name in columns if name not in header) or "none, but others came"
        raise InputError(f"page {number}: the columns changed since the download began; missing: {missing}")
    if len(records) != rows:
        found = f"has {len(records)} rows" if records else "is empty"
        raise _AnswerError(f"page {number} {found} where the server's count promised {rows}")
    if before and set(text.splitlines()) <= set(before.splitlines()):
        raise _AnswerError(f"page {number} repeats the rows of the page before it")
    return text


def _prepare_parts(parts: Path, wanted: dict[str, Any]) -> None:
    """Keep the pages of an interrupted download of the same rows, and discard those of any other."""
    try:
        same = json.loads((parts / "query.json").read_bytes()) == wanted
    except (OSError, ValueError):
        same = False
    if not same:
        _discard(parts)
        files.write_text(parts / "query.json", json.dumps(wanted, indent=2) + "\n")


def _fetch_pages(
    server: _Server, asked: dict[str, str], columns: list[str], rows: int, parts: Path, bar: tqdm
) -> list[Path]:
    """Fetch the pages that are not in `parts` yet, and return the files of all of them in order."""
    size = int(asked["$limit"])
    pages: list[Path] = []
    text = ""
    for offset in range(0, rows, size):
        page, expected = parts / f"page-{len(pages):05d}.csv", min(size, rows - offset)
        check = partial(_check_page, number=len(pages) + 1, columns=columns, rows=expected, before=text)
        try:
            text = check(page.read_bytes().decode("utf-8"))
        except (OSError, ValueError, _AnswerError):  # missing or damaged
            text = server.ask({**asked, "$offset": str(offset)}, check)
            files.write_text(page, text)
        pages.append(page)
        bar.update(expected)
    return pages


def _join(pages: list[Path], destination: Path, sha256: str | None, parts: Path) -> str:
    """Write the pages to `destination` under one header, and return the file's checksum."""
    with files.written_aside(destination) as aside:
        with aside.open("wb") as raw, _packed(raw, destination) as stream:
            for number, page in enumerate(pages):
                header, end, body = page.read_bytes().partition(b"\n")
                stream.write(body if number else header + end + body)
        digest = files.sha256(aside)
        if sha256 is not None and digest != sha256.lower():
            _discard(parts)  # else the next download would make the same file of them
            raise InputError(f"{destination}: the download's sha256 is {digest}, expected {sha256.lower()}")
    return digest


def _packed(raw: IO[bytes], destination: Path) -> Any:
    if not destination.name.endswith(".gz"):
        return nullcontext(raw)
    # Neither time nor name, so that equal rows make equal files.
    return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)


def _discard(parts: Path) -> None:
    try:
        if parts.exists():
            shutil.rmtree(parts)
    except OSError as error:
        raise InputError(f"{parts}: cannot be removed ({error.strerror or error}); remove it") from error
