"""HTTP requests to a data service, with retries while the server fails or its response is invalid."""

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from private_experts.errors import InputError

_T = TypeVar("_T")
ATTEMPTS = 6
BACKOFF = 1.0  # seconds before the first retry; they double with each further one
TIMEOUT = 30.0  # seconds without a byte
LONGEST = 600.0  # seconds for a whole response
LARGEST = 1 << 28  # bytes of a response, unpacked: a page of 50,000 rows with all columns has a tenth
_LONGEST_WAIT = 300.0  # seconds; a server that asks for a longer wait counts as unavailable
_RETRIED_STATUSES = frozenset({202, 429, 500, 502, 503, 504})  # 202: Socrata is still preparing the response


class Unreachable(InputError):  # noqa: N818 - callers read "except Unreachable"
    """The service did not respond, or responded that it could not, in every attempt."""


class ResponseError(Exception):
    """A response that must not be kept, and how long to wait before a retry; `failure` is raised if none succeeds."""

    def __init__(self, message: str, failure: type[InputError] = InputError, wait: float = 0.0) -> None:
        super().__init__(message)
        self.failure, self.wait = failure, wait


@dataclass
class HttpClient:
    """Sends requests to one service; `remedies` are statuses that need action by the user, with what to do."""

    remedies: Mapping[int, str] = field(default_factory=dict)
    auth: tuple[str, str] | None = None  # in a header, so that it is in no address and no message
    reached: bool = False

    def get(self, url: str, parameters: Mapping[str, str], parse: Callable[[str], _T]) -> _T:
        """Return the parsed response, with retries while the server fails or `parse` raises `ResponseError`."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return parse(self._text(url, parameters))
            except ResponseError as error:
                # There may be no network, so a host to which there never was a connection is retried only once.
                attempts = ATTEMPTS if self.reached else 2
                if attempt >= attempts or error.wait > _LONGEST_WAIT:
                    wait = f", asking to wait {error.wait:.0f} s" if error.wait else ""
                    raise error.failure(_line(url, f"{error}{wait} (attempts: {attempt})")) from error
                # The random part keeps downloads that failed together from trying again together.
                pause = BACKOFF * (2 ** (attempt - 1) + random.random())
                time.sleep(max(error.wait, min(pause, _LONGEST_WAIT)))

    def _text(self, url: str, parameters: Mapping[str, str]) -> str:
        """Return the text of a response if it is text and not a web page."""
        try:
            # A connection that is kept alive would stay open after an error.
            headers = {"Connection": "close"}
            with requests.get(
                url, params=parameters, timeout=TIMEOUT, auth=self.auth, headers=headers, stream=True
            ) as response:
                self.reached = True
                content = _content(response)
        except (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
            requests.exceptions.ContentDecodingError,
        ) as error:
            self.reached |= not any(isinstance(inner, MaxRetryError) for inner in error.args)
            raise ResponseError(f"no complete response ({_cause(error)})", Unreachable) from error
        except requests.RequestException as error:
            raise InputError(_line(url, str(error))) from error
        code = response.status_code
        status = f"HTTP {code} {response.reason}"
        if code in self.remedies:
            raise InputError(_line(url, f"{status}; {self.remedies[code]}"))
        if code in _RETRIED_STATUSES:
            raise ResponseError(status, Unreachable, _retry_after(response))
        if code != requests.codes.ok:
            raise InputError(_line(url, f"{status}{_explanation(content)}"))
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ResponseError("the response is not UTF-8 text") from error
        if "html" in response.headers.get("Content-Type", "") or text.lstrip().startswith("<"):
            raise ResponseError("the response is a web page instead of data")
        return text


def _content(response: requests.Response) -> bytes:
    """Return the bytes of a response, which are bounded, and so is the time that they take."""
    content, end = bytearray(), time.monotonic() + LONGEST
    for chunk in response.iter_content(1024):
        content += chunk
        if len(content) > LARGEST:
            raise InputError(
                _line(response.url, f"the response has more than {LARGEST:,} bytes; write a smaller page_size")
            )
        if time.monotonic() > end:
            raise ResponseError(f"no complete response within {LONGEST:.0f} s", Unreachable)
    return bytes(content)


def _line(url: str, message: str) -> str:
    return f"{urlsplit(url).netloc}: {' '.join(message.split())}"


def _cause(error: Exception) -> str:
    """Return why the network failed, without the nested errors and object addresses of urllib3."""
    inner = error.args[0] if error.args else error
    reason = getattr(inner, "reason", inner)
    arguments = getattr(reason, "args", ()) or (reason,)
    return str(arguments[0]).rpartition(": ")[2]


def _retry_after(response: requests.Response) -> float:
    """Return how many seconds the server asks to wait, which it may give as a number or a date."""
    try:
        return Retry().parse_retry_after(response.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0.0


def _explanation(content: bytes) -> str:
    """Return the server's error message, if the response has one."""
    try:
        return f": {json.loads(content)['message'][:300]}"
    except (ValueError, KeyError, TypeError):
        return ""
