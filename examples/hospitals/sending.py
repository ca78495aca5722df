"""How a hospital speaks to the coordinator: one HTTP connection, kept open, and patience when nobody answers.

Over a network the connection is encrypted, and the coordinator has to show a certificate of the authority whose own one
the hospital was given. Without encryption only this machine itself is spoken to.
"""

import contextlib
import http.client
import ipaddress
import json
import math
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from private_experts.errors import InputError

LOOPBACK = "127.0.0.1"

REMINDER = 60.0
"""Seconds after which a line without end of patience says that nobody answers, again and again."""

LONGEST_ANSWER = 100_000
"""Bytes of an answer that are read; no coordinator's answer is longer."""

LONGEST_EXCHANGE = 30.0
"""Seconds within which an answer must be whole. A socket's own time limit begins anew with each byte."""

Answer = tuple[int, dict[str, Any]]
"""HTTP status and the answer's JSON object."""


class UnknownTokenError(InputError):
    """The coordinator does not know a token, which may be about to change on either side."""


class Line:
    """The line of a hospital, by its token, to the coordinator at an address such as ``https://192.0.2.7:8017``.

    Behind ``https`` must be a certificate that was signed by the `authority`, a file. ``http`` is for this machine
    alone. A coordinator that does not answer is tried again for `patience` seconds; if that is infinite, every
    `REMINDER` seconds a line on standard error says so. What answers and is no coordinator is refused.
    """

    def __init__(self, address: str, token: str, patience: float = 60.0, authority: Path | None = None) -> None:
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:  # a port beyond 65535
            host = port = None
        if not host or not port or parts.scheme not in ("http", "https"):
            raise InputError(f"address {printable(address)}: write it like https://192.0.2.7:8017")
        self._context: ssl.SSLContext | None = None
        if parts.scheme == "https":
            self._context = _trusting(authority)
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, port, timeout=10.0, context=self._context
            )
        elif on_this_machine(host):
            self._connection = http.client.HTTPConnection(host, port, timeout=10.0)
        else:
            raise InputError(f"address {printable(address)}: write https, or http and 127.0.0.1 for this machine alone")
        self.token, self._address, self._patience = token, address, patience
        self.renew: Callable[[], str] | None = None  # asked for the token when it is not known

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def week(self) -> dict[str, Any]:
        """Ask which week is open, what it promises, what was chosen for it, and whether a report of ours is there."""
        status, told = self._ask("GET", "/week", None)
        if status == 401:
            raise UnknownTokenError("the coordinator does not know its token; put the right one into its folder")
        if type(told.get("week")) is not int or not 1 <= told["week"] < 10**9:
            raise self._no_coordinator()
        return told

    def held(self, open_week: int) -> dict[int, float]:
        """Ask which reports of ours are counted, up to the open week."""
        status, told = self._ask("GET", "/held", None)
        rows = told.get("held")
        if status != 200 or not isinstance(rows, list):
            return {}
        found = {}
        for row in rows:
            week, value = row if isinstance(row, list) and len(row) == 2 else (None, None)
            if type(week) is not int or not isinstance(value, int | float) or not abs(value) < 1e9 or week < 1:
                raise self._no_coordinator()
            if week <= open_week:
                found[week] = float(value)
        return found

    def report(self, week: int, value: float, scale: float) -> Answer:
        """Send a report. It may be sent twice, when an answer was lost: the coordinator counts it once."""
        return self._ask("POST", "/reports", {"week": week, "value": value, "scale": scale})

    def begin_draw(self, week: int, mark: str) -> Answer:
        """Ask whether the report of a week may be drawn: once, by the first mark."""
        return self._ask("POST", "/draws", {"week": week, "mark": mark})

    def ahead(self, week: int) -> Answer:
        """Say that of this week nothing more will come, as there are reports of later ones here."""
        return self._ask("POST", "/ahead", {"week": week})

    def _ask(self, method: str, path: str, content: dict[str, Any] | None) -> Answer:
        """Ask, and once more when the token was changed meanwhile."""
        answer = self._exchange(method, path, content)
        if answer[0] == 401 and self.renew and (token := self.renew()) != self.token:
            self.token = token
            answer = self._exchange(method, path, content)
        return answer

    def _exchange(self, method: str, path: str, content: dict[str, Any] | None) -> Answer:
        body = None if content is None else json.dumps(content)
        asked, pause, why = time.monotonic(), 0.05, ""
        until, remind = asked + self._patience, asked + REMINDER
        while True:
            try:
                status, told = self._once(method, path, body)
                if status < 500 and status != 408:
                    break
            except ssl.SSLCertVerificationError as error:
                reason = printable(error.verify_message)
                if not why:
                    print(f"{self._address}: its certificate is not accepted ({reason})", file=sys.stderr, flush=True)
                why = f" with a certificate that is accepted ({reason})"
            except InputError:
                raise
            except (OSError, http.client.HTTPException, ValueError, RecursionError):
                pass
            self._connection.close()
            if time.monotonic() > until:
                raise InputError(f"the coordinator has not answered{why} for {self._patience:g} s: is it running?")
            if math.isinf(until) and time.monotonic() > remind:
                waited, remind = time.monotonic() - asked, remind + REMINDER
                print(
                    f"{self._address} has not answered{why} for {waited:.0f} s; trying on", file=sys.stderr, flush=True
                )
            time.sleep(pause)
            pause = min(2 * pause, 1.0)
        if not isinstance(told, dict):
            raise self._no_coordinator()
        return status, told

    def _once(self, method: str, path: str, body: str | None) -> tuple[int, Any]:
        watch = threading.Timer(LONGEST_EXCHANGE, self._cut)
        watch.daemon = True
        watch.start()
        try:
            if self._connection.sock is None:
                self._connect()
            headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            text = answer.read(LONGEST_ANSWER + 1)
        finally:
            watch.cancel()
        if len(text) > LONGEST_ANSWER:
            self._connection.close()
            raise self._no_coordinator()
        return answer.status, json.loads(text)

    def _connect(self) -> None:
        """Connect, so that `_cut` reaches the connection also while it is greeted."""
        connection = self._connection
        connection.sock = socket.create_connection((connection.host, connection.port), connection.timeout)
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context:
            connection.sock = self._context.wrap_socket(
                connection.sock, server_hostname=connection.host, do_handshake_on_connect=False
            )
            connection.sock.do_handshake()

    def _cut(self) -> None:
        """End what takes too long, from another thread."""
        connection = self._connection.sock
        if connection is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _no_coordinator(self) -> InputError:
        return InputError(f"address {self._address}: what answers is no coordinator; name its address with --address")


def on_this_machine(host: str) -> bool:
    """Tell whether what is sent to a host never leaves this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name may be anything's
        return False


def printable(told: object) -> str:
    """Return what somebody else said so that it can be written into any log: short, ASCII, and without codes."""
    return "".join(sign if " " <= sign <= "~" else "?" for sign in str(told)[:200])


def _trusting(authority: Path | None) -> ssl.SSLContext:
    """Return what accepts the certificates of one authority and no other, for the very host that is asked for."""
    if authority is None:
        raise InputError("https needs the authority's certificate")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(authority)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"{authority}: is no certificate of an authority ({error}); copy it again") from error
    return context
