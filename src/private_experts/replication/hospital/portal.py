"""Asking a data service: what is asked, how often, and what to do when the server fails."""

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from private_experts.errors import InputError
from private_experts.replication.hospital.answers import AnswerError, Unreachable
from private_experts.replication.hospital.hospital_reports import IDENTITY
from private_experts.replication.hospital.kept import told

_T = TypeVar("_T")
_LARGEST_PAGE = 50_000
_LONGEST_WAIT = 300.0  # seconds; a server that asks for a longer wait has in effect refused
_RETRIED_STATUSES = frozenset({202, 429, 500, 502, 503, 504})  # 202: Socrata is still preparing the answer
_CUT = (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError)


@dataclass(frozen=True)
class Query:
    """What to ask of a data service.

    Parameters
    ----------
    base_url : str
        The service, such as ``https://healthdata.gov``.
    dataset : str
        The data set's name there: ``anag-cw7u``, or ``uqq2-txqb`` for the raw reports; ``covid_hosp_facility``.
    columns : tuple of str
        The columns wanted. ``hospital_pk``, ``collection_week`` and ``state`` must be among them. Others are left out
        when the data set lacks them.
    states : tuple of str
        Postal abbreviations; an empty tuple asks for all states.
    first_week, last_week : str
        The first and last collection week (ISO dates, both inclusive).
    page_size : int
        Rows per request, at most 50,000; of Delphi's service, hospitals per request.
    as_of : str, optional
        The day (ISO date) whose version is wanted, where a service has versions; without it the newest.
    """

    base_url: str
    dataset: str
    columns: tuple[str, ...]
    states: tuple[str, ...]
    first_week: str
    last_week: str
    page_size: int = _LARGEST_PAGE
    as_of: str | None = None

    def asked(self) -> dict[str, object]:
        """Return what tells one download from another."""
        return told(vars(self))


@dataclass(frozen=True)
class Patience:
    """How often and how long to try a server that fails.

    Parameters
    ----------
    attempts : int
        How many times to ask for a page before the download gives up.
    backoff : float
        Seconds before the second attempt; doubled each time after.
    timeout : float
        Seconds of silence after which an attempt counts as failed.
    """

    attempts: int = 6
    backoff: float = 1.0
    timeout: float = 30.0


PATIENCE = Patience()


def check_request(query: Query, destination: Path, sha256: str | None) -> None:
    """Refuse a query that is wrong, before any request."""
    lacking = [name for name in IDENTITY if name not in query.columns]
    # No row matches a state in lower case, and nothing would tell that it is missing among the others.
    states = [state for state in query.states if not re.fullmatch("[A-Z]{2}", state)]
    weeks = [week for week in (query.first_week, query.last_week) if not _is_date(week)]
    for wrong, message in (
        (lacking, f"columns: {', '.join(lacking)} must be among the columns asked for"),
        (states, f"states: {', '.join(states)} is no postal abbreviation such as PA"),
        (weeks, f"first_week and last_week: {', '.join(weeks)} is no date such as 2021-01-08"),
        (query.as_of and not _is_date(query.as_of), f"as_of: {query.as_of} is no date such as 2022-11-01"),
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
class Server:
    """The address of a data set, and how patiently to ask there.

    `remedies` are statuses by which a server that was reached tells a person to do something, with what that is.
    """

    session: requests.Session
    url: str
    patience: Patience
    remedies: Mapping[int, str] = field(default_factory=dict)

    def ask(self, parameters: Mapping[str, str], check: Callable[[str], _T], *, first: bool = False) -> _T:
        """Return what `check` makes of the answer. Ask again while the server fails or `check` refuses the answer."""
        attempts, attempt = max(1, self.patience.attempts), 0
        while True:
            attempt += 1
            try:
                with self.session.get(self.url, params=parameters, timeout=self.patience.timeout) as response:
                    return check(self._text(response))
            except (requests.ConnectionError, requests.Timeout, *_CUT) as error:
                inner = error.args[0] if error.args else error
                failed = AnswerError(_cause(inner), Unreachable)
                # No connection came about. Without a network there is nothing to wait for.
                if first and isinstance(inner, MaxRetryError):
                    attempts = min(attempts, 2)
            except requests.RequestException as error:
                raise self._failure(str(error)) from error
            except AnswerError as error:
                failed = error
            if attempt >= attempts or failed.wait > _LONGEST_WAIT:
                asked = f", asking to wait {failed.wait:.0f} s" if failed.wait else ""
                raise self._failure(f"{failed}{asked} (attempt {attempt}, the last)", failed.failure)
            # The random factor keeps downloads that failed together from asking again together.
            pause = self.patience.backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
            time.sleep(max(failed.wait, min(pause, _LONGEST_WAIT)))

    def _failure(self, message: str, failure: type[InputError] = InputError) -> InputError:
        return failure(f"{urlsplit(self.url).netloc}: {' '.join(message.split())}")

    def _text(self, response: requests.Response) -> str:
        """Return the answer's text after checking that it is text, and no web page."""
        status = f"the server answered HTTP {response.status_code} {response.reason}"
        if response.status_code in self.remedies:
            raise self._failure(f"{status}; {self.remedies[response.status_code]}")
        if response.status_code in _RETRIED_STATUSES:
            raise AnswerError(status, Unreachable, _retry_after(response))
        if response.status_code != requests.codes.ok:
            raise self._failure(f"{status}{_explanation(response)}")
        try:
            text = response.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise AnswerError("the server's answer is not UTF-8 text") from error
        if "html" in response.headers.get("Content-Type", "") or text.lstrip().startswith("<"):
            raise AnswerError("the server answered with a web page instead of data")
        return text


def _cause(error: object) -> str:
    """Return why the network failed, without the object addresses and nested errors of urllib3."""
    reason = getattr(error, "reason", error)
    arguments = getattr(reason, "args", ()) or (reason,)
    return f"no complete answer ({str(arguments[0]).rpartition(': ')[2]})"


def _retry_after(response: requests.Response) -> float:
    """Return how many seconds the server asks to wait. It may give a number or a date."""
    try:
        return Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0.0


def _explanation(response: requests.Response) -> str:
    """Return the server's message about what is wrong, or nothing if the answer is in no known form."""
    try:
        return f": {response.json()['message'][:300]}"
    except (ValueError, KeyError, TypeError):
        return ""
