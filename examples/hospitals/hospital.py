"""One hospital: reads its figure of the open week, adds noise to it once, and sends that until it is counted.

``python -m examples.hospitals.hospital FOLDER`` does what is due now; ``--every 3600`` does so again and
again.
"""

import argparse
import http.client
import json
import math
import re
import secrets
import sqlite3
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from examples.hospitals.agreement import (
    MOVED,
    checked_name,
    printable,
    read_setting,
    read_terms,
    whole_number,
)
from examples.hospitals.database import open_database
from private_experts.errors import InputError, errors_in_one_line
from private_experts.privacy import Noise, SecureNoise, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from private_experts.replication.study.data.hospital_reports import SUPPRESSED, each_once, read

OUTBOX, TOKEN, AUTHORITY = "outbox.sqlite3", "token", "authority.pem"

SIMULATION = (
    "SIMULATION: this noise comes from a seed. Whoever knows the seed knows the noise, so it protects nobody."
)

LONGEST_ANSWER = 100_000
"""Bytes of an answer that are read; no coordinator's answer is longer."""

_REQUIRED = ("hospital", "beds", "level", "unit", "bounds", "coordinator", "reports", "column")
_OPTIONAL = ("noise", "seed")

Ask = Callable[[str, str, str | None], tuple[int, dict[str, Any]]]
"""Sends a method, a path and a body to the coordinator; returns its answer's status and JSON object."""


class Outbox:
    """The reports that a hospital has drawn, one for each week.

    A second draw for a week would be a second release of its figure, and cost privacy again. So a report is
    on the disk before it is sent, and the first one stays, even when two processes of a hospital run by
    mistake.
    """

    def __init__(self, path: Path) -> None:
        tables = (
            "CREATE TABLE IF NOT EXISTS reports "
            "(week TEXT PRIMARY KEY, mark TEXT NOT NULL, body TEXT) STRICT;"
        )
        self._path, self._database = path, open_database(path, tables)

    def body(self, week: str) -> str | None:
        """Return the report of a week, None when none was drawn."""
        found = self._run("SELECT body FROM reports WHERE week = ?", week).fetchone()
        return found[0] if found else None

    def mark(self, week: str) -> str:
        """Return the mark of a week's draw, random and kept: a copy of the outbox has another one."""
        self._run("INSERT OR IGNORE INTO reports VALUES (?, ?, NULL)", week, secrets.token_hex(16))
        return str(self._run("SELECT mark FROM reports WHERE week = ?", week).fetchone()[0])

    def keep(self, week: str, body: str) -> str:
        """Keep the report of a week that has a mark, and return the one that is kept: the first."""
        self._run("UPDATE reports SET body = ? WHERE week = ? AND body IS NULL", body, week)
        return str(self.body(week))

    def _run(self, statement: str, *values: str) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise InputError(f"{self._path}: {error}; nothing is sent that is not stored") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()


class Hospital:
    """One hospital, with its folder: the setting, the token, and the outbox."""

    def __init__(self, folder: Path, ask: Ask | None = None) -> None:
        self._path, facts = read_setting(folder, _REQUIRED, _OPTIONAL)
        self.name = checked_name(self._path, facts["hospital"])
        self.terms = read_terms(self._path, facts, facts["beds"])
        self._column, self._reports = str(facts["column"]), folder / str(facts["reports"])
        self._seed: int | None = None
        if self.terms.noise == "simulated":
            self._seed = whole_number(self._path, "seed", facts.get("seed"), 0)
        elif "seed" in facts:
            raise InputError(
                f"{self._path}: seed: secure noise has none; remove it, or write noise: simulated"
            )
        self._ask = (
            ask or Line(str(facts["coordinator"]), _read_token(folder / TOKEN), folder / AUTHORITY).ask
        )
        self.outbox, self.over = Outbox(folder / OUTBOX), False

    def attend(self) -> str:
        """Report for the open week if that is due, and return a sentence that says what was done."""
        status, announced = self._ask("GET", "/week", None)
        week, counted = announced.get("week"), announced.get("yours")
        if status != 200:
            raise InputError(f"{self.name}: nothing is drawn or sent: {printable(announced.get('error'))}")
        if announced.get("hospital") != self.name:
            owner = printable(announced.get("hospital"))
            raise InputError(f"{self.name}: nothing is drawn or sent, as the token is that of {owner}")
        differences = self.terms.differences(announced.get("terms"))
        if differences:
            raise InputError(f"{self.name}: nothing is drawn or sent, as the terms differ: {differences}")
        self.over = week is None
        if self.over:
            return f"{self.name}: all weeks are over"
        if not isinstance(week, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", week, re.ASCII):
            raise InputError(f"{self.name}: nothing is drawn or sent, as the open week is {printable(week)}")
        body = self._reconciled(week, counted) or self._draw(week)
        if body is None:
            return f"{self.name}, week {week}: no figure yet"
        status, answer = self._ask("POST", "/reports", body)
        if status != 200:
            raise InputError(f"{self.name}, week {week}: not counted: {printable(answer.get('error'))}")
        return f"{self.name}, week {week}: reported"

    def _reconciled(self, week: str, counted: object) -> str | None:
        """Return the report of a week that was drawn before, None if there is none.

        An outbox that was lost takes the report back from the coordinator instead of drawing a second one.
        """
        kept = self.outbox.body(week)
        if isinstance(counted, str) and kept is None:
            self.outbox.mark(week)
            kept = self.outbox.keep(week, counted)
        if isinstance(counted, str) and kept != counted:
            raise InputError(
                f"{self.name}, week {week}: the coordinator counted another report than the outbox has. Two "
                f"are out, so the level of that week is {math.sqrt(1.5) * self.terms.level:.4g}: somebody "
                "has to look"
            )
        return kept

    def _draw(self, week: str) -> str | None:
        """Return the report of a week, once it is in the outbox; None without a figure."""
        figure = self._figure(week)
        if figure is None:
            return None
        status, answer = self._ask(
            "POST", "/draws", json.dumps({"week": week, "mark": self.outbox.mark(week)})
        )
        if status != 200:
            raise InputError(f"{self.name}, week {week}: nothing is drawn: {printable(answer.get('error'))}")
        terms, (low, high) = self.terms, self.terms.bounds
        inside, reach = np.array([min(max(figure, low), high)]), np.array([terms.sensitivity])
        report = privatize(
            inside, terms.guarantee, reach, self._noise(week), moved=MOVED, bounds=terms.bounds
        )
        value = float(report.values[0, 0])
        body = {"hospital": self.name, "week": week, "value": value, "terms": terms.facts()}
        return self.outbox.keep(week, json.dumps(body))

    def _figure(self, week: str) -> float | None:
        """Return a week's true figure, None if there is none; it never leaves this process without noise."""
        reports = read(self._reports, [self._column], whole=True)
        if self._column not in reports:
            raise InputError(
                f"{self._reports}: column {self._column} is missing; name another in {self._path}"
            )
        own = reports[(reports["hospital_pk"] == self.name) & (reports["collection_week"] == week)]
        own = each_once(own[["hospital_pk", "collection_week", self._column]], self._reports)
        patients = own[self._column].dropna().tolist()
        if patients and patients[0] < 0:
            wrong = "suppressed" if patients[0] == SUPPRESSED else "negative"
            raise InputError(
                f"{self._reports}: the figure of week {week} is {wrong}; write the hospital's own"
            )
        if not patients:
            return None
        figure, most = float(patients[0]) * self.terms.sensitivity, self.terms.bounds[1]
        # 49 times 1 / 49 is below 1. To this hospital alone: that it is said or not tells what the figure is.
        if round(figure, 9) >= most:
            warning = (
                f"{self.name}, week {week}: {figure:g} {self.terms.unit} counts as {most:g}, the upper bound"
            )
            print(f"{warning}; see if {self._reports} is right", file=sys.stderr, flush=True)
        return figure

    def _noise(self, week: str) -> Noise:
        if self._seed is None:
            return SecureNoise()
        print(SIMULATION, file=sys.stderr, flush=True)
        return SimulatedNoise(rng_for(self._seed, "report", self.name, week))

    def close(self) -> None:
        """Close the outbox."""
        self.outbox.close()


class Line:
    """The line to the coordinator: TLS with a certificate by the authority for this host, or nothing."""

    def __init__(self, address: str, token: str, authority: Path) -> None:
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:  # a port beyond 65535
            host = port = None
        if not host or not port or parts.scheme != "https":
            raise InputError(
                f"coordinator {printable(address)}: write its address like https://192.0.2.7:8017"
            )
        try:
            context = ssl.create_default_context(cafile=authority)
        except (OSError, ssl.SSLError) as error:
            raise InputError(
                f"{authority}: is no certificate ({error}); copy the coordinator's authority"
            ) from error
        self._connection = http.client.HTTPSConnection(host, port, timeout=30.0, context=context)
        self._address, self._token = f"https://{host}:{port}", token

    def ask(self, method: str, path: str, body: str | None) -> tuple[int, dict[str, Any]]:
        """Ask the coordinator, which is sent the token only once its certificate was accepted."""
        try:
            self._connection.request(method, path, body, {"Authorization": f"Bearer {self._token}"})
            with self._connection.getresponse() as response:
                answer = json.loads(response.read(LONGEST_ANSWER))
        except ssl.SSLCertVerificationError as error:
            raise InputError(
                f"{self._address}: its certificate is not accepted ({printable(error.verify_message)})"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise InputError(
                f"{self._address}: no answer ({printable(error)}); start the hospital again later"
            ) from error
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{self._address}: what answers is no coordinator; correct the address"
            ) from error
        finally:
            self._connection.close()
        if not isinstance(answer, dict):
            raise InputError(f"{self._address}: what answers is no coordinator; correct the address")
        return response.status, answer


def _read_token(path: Path) -> str:
    token = path.read_text(encoding="utf-8-sig").strip()
    if not re.fullmatch("[!-~]+", token):
        raise InputError(f"{path}: write the token alone, on one line and without spaces")
    return token


def main(words: Sequence[str] | None = None) -> int:
    """Run a hospital and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.hospitals.hospital", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=float, metavar="SECONDS", help="go on until all weeks are over")
    given = parser.parse_args(words)
    with errors_in_one_line():
        hospital = Hospital(given.folder)
        last = ""
        while True:
            try:
                done = hospital.attend()
            except InputError as error:
                if given.every is None:
                    raise
                done = f"{error}"
            if done != last:
                print(done, flush=True)
            last = done
            if given.every is None or hospital.over:
                return 0
            time.sleep(given.every)


if __name__ == "__main__":
    sys.exit(main())
