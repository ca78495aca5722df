"""A small imitation of Delphi Epidata's two services of hospital reports on 127.0.0.1, which can be told to misbehave.

It answers as the documentation and the public source code of delphi-epidata 4.1.40 say; nobody compared it with the
real service.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .socrata_server import Handler, SocrataServer, serving

# Delphi's names of official columns.
NAMES = {
    "total_adult_patients_hospitalized_confirmed_and_suspected_covid_7_day_avg": (
        "total_adult_patients_hosp_confirmed_suspected_covid_7d_avg"
    ),
    "all_adult_hospital_inpatient_beds_7_day_avg": "all_adult_hospital_inpatient_beds_7_day_avg",
    "previous_day_admission_adult_covid_suspected_7_day_sum": "previous_day_admission_adult_covid_suspected_7_day_sum",
}
PATIENTS, BEDS, ADMISSIONS = NAMES
Row = dict[str, Any]


def published(day: int, truth: list[Row]) -> list[Row]:
    """Return a publication of reports under official names as Delphi keeps it: identical duplicates only once."""
    once = {(row["hospital_pk"], row["collection_week"]): row for row in truth}
    return [
        {
            **{NAMES.get(name, name): value for name, value in row.items()},
            "collection_week": int(row["collection_week"].replace("-", "")),
            "publication_date": day,
        }
        for row in once.values()
    ]


class DelphiServer(SocrataServer):
    key = "the-key"

    def __init__(self) -> None:
        super().__init__(DelphiHandler)
        self.rows: list[Row] = []
        self.limit = 1000  # the real one's is 10,000,000
        self.hidden: str | None = None  # a field that rows do not have
        self.anonymous = 60  # requests that are answered without a key
        self.keys: list[str | None] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"{super().url}/epidata"

    def found(self, path: str, asked: Mapping[str, str]) -> list[Row]:
        if path == "/epidata/covid_hosp_facility_lookup/":
            homes = {row["hospital_pk"]: row["state"] for row in self.rows}  # the last publication's
            rows = [{"hospital_pk": each, "state": homes[each], "city": "X"} for each in sorted(homes)]
            return [row for row in rows if row["state"] == asked["state"].upper()]
        hospitals = asked["hospital_pks"].split(",")
        rows = [row for row in self.rows if row["hospital_pk"] in hospitals]
        rows = [row for row in rows if _among(row["collection_week"], asked["collection_weeks"])]
        if "publication_dates" in asked:
            rows = [row for row in rows if _among(row["publication_date"], asked["publication_dates"])]
        else:
            newest: dict[Any, Row] = {}
            for row in sorted(rows, key=lambda row: row["publication_date"]):
                newest[row["hospital_pk"], row["collection_week"]] = row
            rows = [*newest.values()]
        return sorted(rows, key=lambda row: (row["collection_week"], row["hospital_pk"], row["publication_date"]))

    def body(self, path: str, asked: Mapping[str, str]) -> bytes:
        needed = ("state",) if "lookup" in path else ("hospital_pks", "collection_weeks")
        if not all(asked.get(name) for name in needed):
            return _answer(-1, f"missing parameter: need [{', '.join(needed)}]", [])
        rows = self.found(path, asked)
        hidden = [] if "lookup" in path else [self.hidden]
        if fields := asked.get("fields"):  # unknown ones are passed over
            rows = [
                {name: row[name] for name in row if name in fields.split(",") and name not in hidden} for row in rows
            ]
        if len(rows) > self.limit:
            return _answer(2, "too many results, data truncated", rows[: self.limit])
        return _answer(1, "success", rows) if rows else _answer(-2, "no results", [])


class DelphiHandler(Handler):
    server: DelphiServer

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server asks for
        address, server = urlsplit(self.path), self.server
        asked = dict(parse_qsl(address.query))
        server.requests.append(asked)
        server.paths.append(address.path)
        server.keys.append(self.key())
        fault = server.fault()
        if server.keys[-1] not in (None, server.key):
            self.send(
                401, b"<!doctype html>\n<title>401 Unauthorized</title>\n<p>API key does not exist.</p>", "text/html"
            )
        elif server.keys[-1] is None and len(server.requests) > server.anonymous:
            page = b"<!doctype html>\n<title>429 Too Many Requests</title>\n<p>Rate limit exceeded</p>"
            self.send(429, page, "text/html")
        elif fault.startswith("say "):
            code, message = fault.removeprefix("say ").split(" ", 1)
            self.send(200, _answer(int(code), message, []), "application/json")
        elif fault == "cut silently":  # no length announced, so that only the text itself can tell
            body = server.body(address.path, asked)
            self.close_connection = True
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
        elif fault:
            self.misbehave(fault, server.body(address.path, asked))
        else:
            self.send(200, server.body(address.path, asked), "application/json")

    def key(self) -> str | None:
        scheme, _, word = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic":
            return None
        user, _, key = base64.b64decode(word).decode().partition(":")
        return key if user == "epidata" else f"{user}?"


def _answer(code: int, message: str, rows: list[Row]) -> bytes:
    return json.dumps({"epidata": rows, "result": code, "message": message}).encode()


def _among(value: int, asked: str) -> bool:
    """Tell whether a number is in a list of numbers and ranges."""
    ends = [tuple(map(int, part.split("-"))) for part in asked.split(",")]
    return any(end[0] <= value <= end[-1] for end in ends)


@contextmanager
def running() -> Iterator[DelphiServer]:
    with serving(DelphiServer()) as server:
        yield server
