"""A small imitation of Socrata's CSV service on 127.0.0.1, which can be told to misbehave."""

import csv
import gzip
import io
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

COLUMNS = (
    "hospital_pk",
    "collection_week",
    "state",
    "hospital_name",
    "all_adult_hospital_inpatient_beds_7_day_avg",
    "total_adult_patients_hospitalized_confirmed_covid_7_day_avg",
)
WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15", "2021-01-22", "2021-01-29")
HOSPITALS = (
    ("010001", "NM", "SOUTHEAST, HOSPITAL"),
    ("010005", "PA", 'THE "OLD" CLINIC'),
    ("010006", "CA", "TWO\nLINES"),
    ("010007", "PA", "NIÑOS"),
    ("05T006", "NM", "BROKEN \ufffd NAME"),
)
# In the service's order: by hospital, then by week.
ROWS = [
    (pk, f"{week}T00:00:00.000", state, name, f"{20 * h + w}.5", "-999999" if w == 2 else f"{h + w}.0")
    for h, (pk, state, name) in enumerate(HOSPITALS)
    for w, week in enumerate(WEEKS)
]


def as_csv(columns: tuple[str, ...] | list[str], rows: list[tuple[str, ...]]) -> str:
    """Write rows as the service does: everything quoted, Unix line ends."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


_Server = TypeVar("_Server", bound="SocrataServer")


class RefusalError(Exception):
    pass


class SocrataServer(ThreadingHTTPServer):
    # The threads are joined when the server closes, so that a connection left open makes a test hang on
    # the handler's time-out instead of passing unseen.
    daemon_threads = False
    dataset = "anag-cw7u"

    def __init__(self, handler: "type[Handler] | None" = None) -> None:
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.columns = COLUMNS
        self.rows = list(ROWS)
        self.claimed_count: str | None = None
        self.requests: list[dict[str, str]] = []
        self.faults: list[tuple[str, int, float]] = []
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def misbehave(self, fault: str, at: int, times: float = 1) -> None:
        """Answer the `at`-th request (from 1), and the `times` - 1 after it, with `fault`."""
        self.faults.append((fault, at, times))

    def fault(self) -> str:
        number = len(self.requests)
        return next((name for name, at, times in self.faults if at <= number < at + times), "")

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that hang up are part of the tests

    def matching(self, where: str) -> list[tuple[str, ...]]:
        pattern = (
            r"(?:state in \((?P<states>'[A-Z]{2}'(?:,'[A-Z]{2}')*)\) and )?"
            r"collection_week between '(?P<first>[\d-]{10}T00:00:00)' and '(?P<last>[\d-]{10}T00:00:00)'"
        )
        found = re.fullmatch(pattern, where)
        if found is None:
            raise RefusalError(f"Could not parse SoQL query at {where!r}")
        states = re.findall("[A-Z]{2}", found["states"]) if found["states"] else None
        state, week = self.columns.index("state"), self.columns.index("collection_week")
        return [
            row
            for row in self.rows
            if found["first"] <= row[week].removesuffix(".000") <= found["last"]
            and (states is None or row[state] in states)
        ]

    def answer(self, query: dict[str, str]) -> str:
        rows = self.matching(query["$where"]) if "$where" in query else list(self.rows)
        if query.get("$select") == "count(*)":
            count = str(len(rows)) if self.claimed_count is None else self.claimed_count
            return as_csv(["count"], [(count,)])
        if order := query.get("$order"):
            rows.sort(key=lambda row: [row[self.columns.index(name)] for name in order.split(",")])
        elif len(self.requests) % 2:  # without an order the service promises none
            rows.reverse()
        rows = rows[: int(query.get("$limit", "1000"))]
        select = query["$select"].split(",") if "$select" in query else list(self.columns)
        for name in select:
            if name not in self.columns:
                raise RefusalError(
                    f"Query coordinator error: query.soql.no-such-column; No such column: {name}"
                )
        return as_csv(select, [tuple(row[self.columns.index(name)] for name in select) for row in rows])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    server: SocrataServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def end_headers(self) -> None:
        if self.close_connection:  # else the client might use the connection again while it closes
            self.send_header("Connection", "close")
        super().end_headers()

    def send(self, status: int, body: bytes, kind: str = "text/csv; charset=UTF-8", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", headers.pop("length", str(len(body))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status: int, message: str, **headers: str) -> None:
        body = json.dumps({"error": True, "message": message}).encode()
        self.send(status, body, "application/json; charset=utf-8", **headers)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        self.server.requests.append(query)
        fault = self.server.fault()
        if address.path != f"/resource/{self.server.dataset}.csv" or fault == "404":
            self.refuse(404, "Not found:\n the dataset is gone")
            return
        try:
            body = self.server.answer(query).encode()
        except RefusalError as error:
            self.refuse(400, str(error))
            return
        if fault:
            self.misbehave(fault, body)
        else:
            self.send(200, body)

    def misbehave(self, fault: str, body: bytes) -> None:
        header, *rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
        half = body[: len(body) // 2]
        if fault.isdigit():
            self.refuse(int(fault), "The service is having a bad day")
        elif fault == "cut":
            self.send(200, half, length=str(len(body)))
            self.close_connection = True
        elif fault in ("cut silently", "cut in a quoted field", "cut in a number"):
            # No length announced, so that only the text itself can tell.
            cut = {
                "cut silently": half,
                "cut in a quoted field": body[: body.rfind(b"TWO\n") + 4],
                # 7 of 7.0, by a service without quotes
                "cut in a number": body[: body.rindex(b',"')] + b",7",
            }
            self.close_connection = True
            self.send_response(200)
            self.end_headers()
            self.wfile.write(cut[fault])
        elif fault == "bomb":  # half a megabyte as 500 bytes
            self.send(200, gzip.compress(bytes(500_000)), Content_Encoding="gzip")
        elif fault == "hang up":
            self.close_connection = True
        elif fault == "slow":
            self.server.stopping.wait(10)
            self.close_connection = True
        elif fault == "html by type":
            self.send(200, b"Please log in\n", "text/html; charset=utf-8")
        elif fault == "html as csv":
            self.send(200, b"\n<html><body>Please log in</body></html>\n")
        elif fault == "empty":
            self.send(200, as_csv(header, []).encode())
        elif fault == "short row":
            self.send(200, as_csv(header, [*rows[:-1], rows[-1][:-1]]).encode())
        elif fault == "latin-1":
            self.send(200, body.replace(b"CLINIC", b"CL\xcdNICA").replace(b"HOSPITAL", b"H\xd3SPITAL"))
        else:
            raise AssertionError(f"no such fault: {fault}")


@contextmanager
def serving(server: _Server) -> Iterator[_Server]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


@contextmanager
def running() -> Iterator[SocrataServer]:
    with serving(SocrataServer()) as server:
        yield server
