"""How a hospital speaks to the coordinator: one HTTP connection, kept open, and patience when nobody answers."""

import http.client
import json
import math
import sys
import time
from typing import Any
from urllib.parse import urlsplit

from private_experts.errors import InputError

REMINDER = 60.0
"""Seconds after which a line without end of patience says that nobody answers, again and again."""

Answer = tuple[int, dict[str, Any]]
"""HTTP status and the answer's JSON object."""


class Line:
    """The line of a hospital, by its token, to the coordinator at an address such as ``http://127.0.0.1:8017``.

    A coordinator that does not answer is tried again for `patience` seconds; if that is infinite, every `REMINDER`
    seconds a line on standard error says so. What answers and is no coordinator is refused.
    """

    def __init__(self, address: str, token: str, patience: float = 60.0) -> None:
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:  # a port beyond 65535
            host = port = None
        if not host or not port or parts.scheme != "http":
            raise InputError(f"address {address}: write it like http://127.0.0.1:8017")
        self._connection = http.client.HTTPConnection(host, port, timeout=10.0)
        self._address, self._token, self._patience = address, token, patience

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def week(self) -> dict[str, Any]:
        """Ask which week is open and what was chosen for it."""
        told = self._ask("GET", "/week", None)[1]
        if type(told.get("week")) is not int:
            raise self._no_coordinator()
        return told

    def report(self, week: int, value: float, scale: float) -> Answer:
        """Send a report. It may be sent twice, when an answer was lost: the coordinator counts it once."""
        return self._ask("POST", "/reports", {"week": week, "value": value, "scale": scale})

    def _ask(self, method: str, path: str, content: dict[str, Any] | None) -> Answer:
        body = None if content is None else json.dumps(content)
        headers = {"Authorization": f"Bearer {self._token}"} if content else {}
        asked, pause = time.monotonic(), 0.05
        until, remind = asked + self._patience, asked + REMINDER
        while True:
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                told = json.loads(answer.read())
                if answer.status < 500 and answer.status != 408:
                    break
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self._connection.close()
            if time.monotonic() > until:
                raise InputError(f"the coordinator has not answered for {self._patience:g} s: is it running?")
            if math.isinf(until) and time.monotonic() > remind:
                waited, remind = time.monotonic() - asked, remind + REMINDER
                print(f"{self._address} has not answered for {waited:.0f} s; trying on", file=sys.stderr, flush=True)
            time.sleep(pause)
            pause = min(2 * pause, 1.0)
        if not isinstance(told, dict):
            raise self._no_coordinator()
        return answer.status, told

    def _no_coordinator(self) -> InputError:
        return InputError(f"address {self._address}: what answers is no coordinator; name its address with --address")
