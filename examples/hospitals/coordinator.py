"""The coordinator: counts each hospital's report of a week once, and names a hospital for each week.

``python -m examples.hospitals.coordinator FOLDER`` serves over TLS; ``--token HOSPITAL`` gives a hospital its
token.
"""

import argparse
import hashlib
import hmac
import json
import re
import secrets
import socket
import socketserver
import sqlite3
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from examples.hospitals.agreement import (
    Terms,
    checked_name,
    each_key_once,
    number,
    read_setting,
    read_terms,
    whole_number,
)
from examples.hospitals.choosing import choose
from examples.hospitals.database import open_database
from examples.hospitals.page import HEADERS, Week, page
from private_experts.errors import InputError, errors_in_one_line

DATABASE, TOKENS, CERTIFICATE, KEY = "reports.sqlite3", "tokens.json", "tls.pem", "tls.key"

LARGEST = 2000
"""Bytes of the largest body that is read."""

SLOWEST = 10.0
"""Seconds that a connection may be silent, also during the greeting of TLS."""

FAR = 10.0
"""Further than this many standard deviations from [0, 1] no honest report ever is: one chance in 10^22."""

_TABLES = """
CREATE TABLE IF NOT EXISTS setting (text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS weeks (week TEXT PRIMARY KEY, choice TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS draws (
  week TEXT NOT NULL, hospital TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (week, hospital)
) STRICT;
CREATE TABLE IF NOT EXISTS reports (
  week TEXT NOT NULL, hospital TEXT NOT NULL, body TEXT NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (week, hospital)
) STRICT;
"""

Answer = tuple[int, dict[str, Any] | str]
"""The status, and a JSON object or the page."""


class RefusedError(Exception):
    """A request is refused, with an HTTP status and a sentence that says what to send instead."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True)
class Setting:
    """The public facts of a deployment."""

    terms: Mapping[str, Terms]  # by hospital
    days: tuple[str, ...]  # on which the weeks begin, as ISO dates
    longest: float  # seconds that a week stays open while a report is missing
    seed: int  # of RW-Meta's extra noise, which protects nothing
    text: str  # of all that choices depend on


class Coordinator:
    """The coordinator without the network. All its state is in one database, so a restart changes nothing.

    A week is closed when all hospitals have reported, or when its longest time has passed since it was opened
    or since this process began, by a clock in seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.setting = read_coordinator_setting(folder)
        self._hashes = read_hashes(folder / TOKENS)
        self._clock, self._lock = clock, threading.Lock()
        self._database = open_database(folder / DATABASE, _TABLES, alone=True)
        self._run("INSERT INTO setting SELECT ? WHERE NOT EXISTS (SELECT * FROM setting)", self.setting.text)
        if self._run("SELECT text FROM setting").fetchone() != (self.setting.text,):
            self.close()
            raise InputError(
                f"{folder / DATABASE}: was begun with another setting; restore it, or use a new folder"
            )
        if not self._opened_weeks():
            self._open_week([])
        self._opened = clock()

    def answer(self, method: str, path: str, token: str, body: bytes) -> Answer:
        """Answer a request; nothing else happens meanwhile."""
        routes: dict[tuple[str, str], Callable[[str, bytes], dict[str, Any]]] = {
            ("GET", "/week"): self._announce,
            ("POST", "/draws"): self._begin_draw,
            ("POST", "/reports"): self._count,
        }
        with self._lock:
            try:
                self._close_if_due()
                if (method, path) == ("GET", "/"):
                    return 200, page(self.setting.terms, self._weeks(), self._open() is None)
                if (method, path) not in routes:
                    raise RefusedError(404, "There is only GET /, GET /week, POST /draws and POST /reports.")
                answer = routes[method, path](self._owner(token), body)
                self._close_if_due()
            except RefusedError as refusal:
                return refusal.status, {"error": refusal.sentence}
            return 200, answer

    def state(self) -> str:
        """Return a sentence on what is kept."""
        (reports,) = self._run("SELECT count(*) FROM reports").fetchone()
        week = self._open()
        open_week = "all weeks are over" if week is None else f"week {week} is open"
        return f"{open_week}, {reports} reports are counted"

    def _announce(self, hospital: str, body: bytes) -> dict[str, Any]:
        """Return whose token this is, the open week, the terms, and the hospital's counted report."""
        week = self._open()
        counted = None if week is None else self._counted(week, hospital)
        terms = self.setting.terms[hospital].facts()
        return {"hospital": hospital, "week": week, "terms": terms, "yours": counted}

    def _begin_draw(self, hospital: str, body: bytes) -> dict[str, Any]:
        """Let a hospital draw for the open week: another mark than the first is another copy of it."""
        facts = _json_object(body, {"week", "mark"})
        week, mark = self._checked_week(facts["week"]), facts["mark"]
        if not isinstance(mark, str) or not re.fullmatch("[0-9a-f]{32}", mark):
            raise RefusedError(422, "The mark must have 32 hexadecimal digits, chosen at random.")
        self._check_open(week)
        self._run("INSERT OR IGNORE INTO draws VALUES (?, ?, ?)", week, hospital, mark)
        first = self._run(
            "SELECT mark FROM draws WHERE week = ? AND hospital = ?", week, hospital
        ).fetchone()[0]
        if first != mark or self._counted(week, hospital) is not None:
            raise RefusedError(409, "Another draw was begun for this week: a figure is released only once.")
        return {"answer": "The report may be drawn, once."}

    def _count(self, hospital: str, body: bytes) -> dict[str, Any]:
        """Count a report, on the disk, before it is answered."""
        facts = _json_object(body, {"hospital", "week", "value", "terms"})
        if facts["hospital"] != hospital:
            raise RefusedError(403, "The report is of another hospital than the token.")
        terms = self.setting.terms[hospital]
        differences = terms.differences(facts["terms"])
        if differences:
            raise RefusedError(422, f"The terms are not those agreed on: {differences}.")
        value, week = facts["value"], self._checked_week(facts["week"])
        far = FAR * terms.scale
        if isinstance(value, bool) or not isinstance(value, int | float) or not -far <= value <= 1 + far:
            raise RefusedError(
                422, f"The value must be a number within {FAR:g} standard deviations of 0 to 1."
            )
        text, counted = body.decode(), self._counted(week, hospital)
        if counted == text:
            return {"answer": "The report was counted before, once."}
        if counted is not None:
            raise RefusedError(
                409, "Another report of this week was counted: a figure is released only once."
            )
        self._check_open(week)
        self._run("INSERT INTO reports VALUES (?, ?, ?, ?)", week, hospital, text, float(value))
        return {"answer": "The report is counted."}

    def _checked_week(self, week: object) -> str:
        days = self.setting.days
        if week not in days:
            raise RefusedError(422, f"The week must be one from {days[0]} to {days[-1]}, by its first day.")
        return str(week)

    def _check_open(self, week: str) -> None:
        open_week = self._open()
        if open_week is None:
            raise RefusedError(410, "All weeks are over.")
        if week < open_week:
            raise RefusedError(410, f"The week is closed: {open_week} is open.")
        if week > open_week:
            raise RefusedError(409, f"The week is not open yet: {open_week} is.")

    def _owner(self, token: str) -> str:
        """Return whose token this is. The time that it takes does not depend on how near a guess was."""
        digest = hash_of(token)
        owners = [hospital for hospital, kept in self._hashes.items() if hmac.compare_digest(digest, kept)]
        if not owners or owners[0] not in self.setting.terms:
            raise RefusedError(
                401, "No hospital has this token: send the header Authorization: Bearer <token>."
            )
        return owners[0]

    def _open(self) -> str | None:
        """Return the open week, None when all are over."""
        opened = self._opened_weeks()
        return self.setting.days[opened - 1] if opened <= len(self.setting.days) else None

    def _opened_weeks(self) -> int:
        return int(self._run("SELECT count(*) FROM weeks").fetchone()[0])

    def _counted(self, week: str, hospital: str) -> str | None:
        found = self._run(
            "SELECT body FROM reports WHERE week = ? AND hospital = ?", week, hospital
        ).fetchone()
        return found[0] if found else None

    def _close_if_due(self) -> None:
        week = self._open()
        if week is None:
            return
        (reported,) = self._run("SELECT count(*) FROM reports WHERE week = ?", week).fetchone()
        if reported < len(self.setting.terms) and self._clock() < self._opened + self.setting.longest:
            return
        weeks: dict[str, dict[str, float]] = {day: {} for day in self.setting.days[: self._opened_weeks()]}
        for day, hospital, value in self._run("SELECT week, hospital, value FROM reports"):
            weeks[day][hospital] = value
        self._open_week(list(weeks.values()))
        self._opened = self._clock()

    def _open_week(self, reports: Sequence[Mapping[str, float]]) -> None:
        """Open the week after the one of the last reports, in one step with its choice."""
        day = self.setting.days[len(reports)] if len(reports) < len(self.setting.days) else "after the last"
        self._run(
            "INSERT INTO weeks VALUES (?, ?)", day, choose(self.setting.terms, self.setting.seed, reports)
        )

    def _weeks(self) -> list[Week]:
        """Return what the page may show."""
        who: dict[str, set[str]] = {}
        for day, hospital in self._run("SELECT week, hospital FROM reports"):
            who.setdefault(day, set()).add(hospital)
        drawn = who.keys() | {day for (day,) in self._run("SELECT DISTINCT week FROM draws")}
        choices = self._run("SELECT week, choice FROM weeks ORDER BY rowid").fetchall()
        return [Week(day, choice, frozenset(who.get(day, ())), day in drawn) for day, choice in choices]

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def read_coordinator_setting(folder: Path) -> Setting:
    """Read the setting of a coordinator."""
    required = ("hospitals", "level", "unit", "bounds", "first_week", "weeks", "days_open", "seed")
    path, facts = read_setting(folder, required, ("noise",))
    beds = facts["hospitals"]
    if not isinstance(beds, dict) or len(beds) < 2:
        raise InputError(
            f'{path}: hospitals: write the beds of two or more, such as {{"320001": 120, "320002": 80}}'
        )
    terms = {checked_name(path, name): read_terms(path, facts, count) for name, count in beds.items()}
    count = whole_number(path, "weeks", facts["weeks"], 1)
    try:
        first = date.fromisoformat(facts["first_week"])
        first + timedelta(weeks=count)  # too many are refused before they are counted up
        days = tuple((first + timedelta(weeks=k)).isoformat() for k in range(count))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{path}: first_week, weeks: write a date such as 2020-08-07, and how many follow"
        ) from error
    longest = 86400 * number(path, "days_open", facts.pop("days_open"))
    seed = whole_number(path, "seed", facts["seed"], 0)
    return Setting(terms, days, longest, seed, json.dumps(facts, sort_keys=True))


def hash_of(token: str) -> str:
    """Return the hash kept of a token, plain, as 256 random bits cannot be found by trying."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_hashes(path: Path) -> dict[str, str]:
    """Read the hash of each hospital's token; there may be none yet."""
    try:
        hashes = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=each_key_once)
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: is not valid JSON ({error}); restore it, or remove it and make all tokens again"
        ) from error
    if not isinstance(hashes, dict) or not all(
        isinstance(kept, str) and kept.isascii() for kept in hashes.values()
    ):
        raise InputError(f"{path}: must have the hash of a token for each hospital; restore it")
    return hashes


def make_token(folder: Path, hospital: str) -> str:
    """Give a hospital a new token in place of any other, and return it. It is kept nowhere else."""
    if hospital not in read_coordinator_setting(folder).terms:
        raise InputError(f"--token {hospital}: is not in the setting")
    token = secrets.token_urlsafe(32)
    path = folder / TOKENS
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(read_hashes(path) | {hospital: hash_of(token)}, indent=1), encoding="utf-8")
    draft.replace(path)
    return token


def _json_object(body: bytes, names: set[str]) -> dict[str, Any]:
    """Return the JSON object of a body with just these names, each once, and JSON's numbers alone."""

    def no_number(name: str) -> None:
        raise ValueError(name)

    try:
        facts = json.loads(body.decode("utf-8"), parse_constant=no_number, object_pairs_hook=each_key_once)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise RefusedError(400, "The body must be a JSON object in UTF-8.")
    if facts.keys() != names:
        raise RefusedError(422, f"The body must have the fields {', '.join(sorted(names))} and no other.")
    return facts


class Server(socketserver.ThreadingTCPServer):
    """Speaks TLS alone, each connection in a thread of its own, so that a slow one delays no other."""

    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

    def __init__(self, address: tuple[str, int], folder: Path, coordinator: Coordinator) -> None:
        self.coordinator = coordinator
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            self._context.load_cert_chain(folder / CERTIFICATE, folder / KEY)
        except (OSError, ssl.SSLError) as error:
            raise InputError(
                f"{folder / CERTIFICATE}: is no certificate with its key in {KEY} ({error})"
            ) from error
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        try:
            super().__init__(address, Handler)
        except (OSError, OverflowError) as error:
            raise InputError(f"--host {address[0]} --port {address[1]}: cannot be had ({error})") from error

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer what comes after the greeting of TLS."""
        request.settimeout(SLOWEST)
        with self._context.wrap_socket(request, server_side=True) as encrypted:
            super().finish_request(encrypted, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what went wrong, such as a full disk, but no clients without TLS, or silent ones."""
        if not isinstance(sys.exception(), OSError):
            print(f"coordinator: {sys.exception()!r}", file=sys.stderr, flush=True)


class Handler(BaseHTTPRequestHandler):
    """Reads one request and writes its answer."""

    server: Server
    timeout = SLOWEST

    def do_GET(self) -> None:
        """Answer a request."""
        length = self.headers.get("Content-Length", "0")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > LARGEST:
            self.send_error(413, f"The body must have at most {LARGEST} bytes, and say how many.")
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.send_error(400, "The body broke off: send the same report again.")
            return
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        token = token.strip() if scheme.lower() == "bearer" else ""
        self._send(*self.server.coordinator.answer(self.command, self.path, token, body))

    def do_POST(self) -> None:
        """Answer a request with a body."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request for the coordinator, in JSON as everything else."""
        self._send(code, {"error": message or "This is no request that is answered here."})

    def _send(self, status: int, answer: dict[str, Any] | str) -> None:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        headers = (
            HEADERS
            if isinstance(answer, str)
            else {"Content-Type": "application/json", "Cache-Control": "no-store"}
        )
        self.send_response(status)
        for name, value in (headers | {"Content-Length": f"{len(text.encode())}"}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def version_string(self) -> str:
        """Return what the header Server says: no versions."""
        return "coordinator"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a request is a hospital's, and nobody else's to read."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a coordinator, or make a token, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.hospitals.coordinator", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--token", metavar="HOSPITAL", help="print a new token of a hospital, once; do nothing else"
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8017)
    given = parser.parse_args(words)
    with errors_in_one_line():
        if given.token is not None:
            print(make_token(given.folder, given.token))
            return 0
        coordinator = Coordinator(given.folder)
        with Server((given.host, given.port), given.folder, coordinator) as server:
            print(
                f"coordinator: https://{given.host}:{server.server_address[1]}/ {coordinator.state()}",
                flush=True,
            )
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
