"""A server that misbehaves, and none at all."""

import math
import re
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import requests

from private_experts.errors import InputError
from private_experts.replication.study.data.healthdata import download
from private_experts.replication.study.data.http_client import Unreachable
from private_experts.replication.study.data.query import Query
from tests.each import each
from tests.replication.study.data.healthdata.downloading import (
    FIRST_PAGE,
    HASTY,
    PAGES,
    QUICK,
    content,
    failure,
    fetch,
    pages_in,
    truth,
)
from tests.replication.study.data.socrata_server import COLUMNS, ROWS, WEEKS, SocrataServer, as_csv

TRANSIENT = [
    "500",
    "502",
    "503",
    "504",
    "cut",
    "cut chunked",
    "cut silently",
    "cut at a line",
    "cut in a number",
    "hang up",
    "html",
    "html as csv",
    "html by type",
    "nothing",
    "empty",
    "short row",
    "duplicate",
]


@each(
    ("fault", "page"),
    [(fault, page) for fault in TRANSIENT for page in (2, PAGES)]
    + [(fault, 2) for fault in ("cut in a quoted field", "latin-1")],  # the last page lacks such text
)
def test_a_page_that_fails_for_a_while_is_asked_for_again(afresh, fault, page):
    with afresh() as (server, destination):
        server.misbehave(fault, FIRST_PAGE - 1 + page, 2)
        assert fetch(server, destination)["rows"] == len(ROWS)
        assert content(destination) == truth()
        assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 2


@each("at", [1, 2])
@each("fault", ["503", "cut", "hang up", "html", "nothing"])
def test_the_header_and_the_count_are_asked_for_again_too(afresh, fault, at):
    with afresh() as (server, destination):
        server.misbehave(fault, at, 3)
        fetch(server, destination)
        assert content(destination) == truth()
        assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 3


@each(
    ("fault", "kind", "says"),
    [
        ("429 for 3600", Unreachable, "429 Too Many Requests, asking to wait 3600 s"),
        ("500", Unreachable, "HTTP 500 Internal Server Error"),
        ("503", Unreachable, "HTTP 503 Service Unavailable"),
        ("cut", Unreachable, "IncompleteRead"),
        ("cut chunked", Unreachable, "no complete response"),
        ("hang up", Unreachable, "Connection aborted"),
        ("cut silently", InputError, "cut off"),
        ("cut in a number", InputError, "cut off"),
        ("cut at a line", InputError, "page 2 has 6 rows, expected 7 from the server's count"),
        ("html", InputError, "a web page instead of data"),
        ("html as csv", InputError, "a web page instead of data"),
        ("html by type", InputError, "a web page instead of data"),
        ("nothing", InputError, "the response is empty"),
        ("empty", InputError, "page 2 is empty, expected 7 from the server's count"),
        ("short row", InputError, "row 7 has 5 fields instead of 6"),
        ("latin-1", InputError, "not UTF-8"),
        ("duplicate", InputError, "page 2 repeats the rows of the previous page"),
    ],
)
def test_a_page_that_fails_for_good_ends_the_download(afresh, fault, kind, says):
    with afresh() as (server, destination):
        server.misbehave(fault, FIRST_PAGE + 1, math.inf)
        message = failure(server, destination, kind)
        assert says in message
        assert message.startswith(f"127.0.0.1:{server.server_port}: ")
        attempts = 1 if fault == "429 for 3600" else QUICK.attempts
        assert f"(attempts: {attempts})" in message
        assert len(server.requests) == FIRST_PAGE + attempts
        assert pages_in(destination) == ["page-00000.csv"]  # what was good is kept for the next time


def test_a_cut_in_the_last_field_of_a_page(server, destination):
    # The cut falls on a line end inside quotes: nothing but the open quotation mark shows it.
    server.misbehave("cut in a quoted field", FIRST_PAGE)
    fetch(server, destination, columns=COLUMNS[:4], states=("CA",))
    assert content(destination) == truth(COLUMNS[:4], lambda row: row[2] == "CA")


def test_a_silent_server_is_asked_again(server, destination):
    server.misbehave("slow", FIRST_PAGE + 1)
    fetch(server, destination, policy=HASTY)
    assert content(destination) == truth()
    assert len(server.requests) > FIRST_PAGE - 1 + PAGES


def test_silence_ends_the_download(server, destination):
    server.misbehave("slow", 1, math.inf)
    policy = replace(HASTY, attempts=3, timeout=0.05)
    message = failure(server, destination, Unreachable, policy=policy)
    assert "timed out" in message
    assert "(attempts: 3)" in message  # only connections that fail are given up sooner


def test_retry_after_is_honoured(server, destination, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.misbehave("429 for 7", FIRST_PAGE)
    fetch(server, destination)
    assert content(destination) == truth()
    assert pauses == [7]


@pytest.mark.parametrize("kind", ["a date", "nonsense"])
def test_retry_after_in_other_words(server, destination, monkeypatch, kind):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    server.misbehave(f"429 for {until if kind == 'a date' else 'ever'}", FIRST_PAGE)
    fetch(server, destination)
    assert content(destination) == truth()
    assert len(pauses) == 1
    assert 100 < pauses[0] <= 200 if kind == "a date" else pauses[0] < 0.01


def test_the_pauses_grow(server, destination, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.misbehave("503", FIRST_PAGE, math.inf)
    failure(server, destination, Unreachable, policy=replace(QUICK, attempts=5, backoff=1.0))
    assert len(pauses) == 4
    for pause, plain in zip(pauses, [1, 2, 4, 8], strict=True):
        assert plain <= pause <= plain + 1
        assert pause != plain  # the jitter


@each("at", [1, 2, FIRST_PAGE, FIRST_PAGE + 1])
def test_404_is_not_asked_for_again(afresh, at):
    with afresh() as (server, destination):
        server.misbehave("404", at, math.inf)
        message = failure(server, destination)
        assert "HTTP 404 Not Found: Not found: the dataset is gone" in message
        assert len(server.requests) == at


@each("status", ["400", "403", "501"])
def test_other_refusals_are_not_asked_for_again(afresh, status):
    with afresh() as (server, destination):
        server.misbehave(status, FIRST_PAGE)
        assert "The service is having a bad day" in failure(server, destination)
        assert len(server.requests) == FIRST_PAGE


def test_changed_columns(server, destination):
    server.misbehave("renamed", FIRST_PAGE + 1)
    message = failure(server, destination)
    assert "page 2: the columns changed" in message
    assert message.endswith(f"missing: {COLUMNS[-1]}")
    assert len(server.requests) == FIRST_PAGE + 1


@each("name", ["hospital_pk", "collection_week", "state"])
def test_a_data_set_without_identity(afresh, name):
    with afresh() as (server, destination):
        server.columns = tuple("renamed" if column == name else column for column in COLUMNS)
        assert f"there is no column {name};" in failure(server, destination)


@each(
    ("claimed", "page_size", "says"),
    [
        (26, 7, "page 4 has 4 rows, expected 5 from the server's count"),
        (22, 7, "page 4 has 4 rows, expected 1 from the server's count"),
        (26, 5, "page 6 is empty, expected 1 from the server's count"),
    ],
)
def test_a_count_that_the_rows_do_not_bear_out(afresh, claimed, page_size, says):
    with afresh() as (server, destination):
        server.claimed_count = claimed
        assert says in failure(server, destination, page_size=page_size)


def test_no_rows_at_all(server, destination):
    message = failure(server, destination, states=("WY",))
    assert "no rows where state in ('WY')" in message
    assert not destination.parent.exists()


@pytest.mark.parametrize("body", ['"count"\n', '"count"\n"many"\n', '"a","b"\n"1","2"\n', '"count"\n"1"\n"2"\n'])
def test_a_count_that_is_no_number(server, destination, monkeypatch, body):
    monkeypatch.setattr(
        SocrataServer,
        "answer",
        lambda self, asked: body if "$select" in asked else as_csv(COLUMNS, ROWS[:1]),
    )
    assert "count(*) is not one number" in failure(server, destination)


def test_a_refused_connection_is_given_up_soon(destination, monkeypatch):
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        pauses = []
        monkeypatch.setattr(time, "sleep", pauses.append)
        asked = Query("healthdata", f"http://127.0.0.1:{port}", "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS, 7)
        with pytest.raises(Unreachable) as caught:
            download(asked, destination, progress=False)
    assert re.fullmatch(rf"127\.0\.0\.1:{port}: .*Connection refused.*\(attempts: 2\)", str(caught.value))
    assert len(pauses) == 1
    assert not destination.parent.exists()


def test_a_server_that_goes_away_later_is_waited_for(server, destination, monkeypatch):
    tries = []
    send = requests.get

    def get(url, **arguments):
        tries.append(url)
        if len(tries) > FIRST_PAGE:  # a port where nobody listens
            url = url.replace(f":{server.server_port}", ":1")
        return send(url, **arguments)

    monkeypatch.setattr(requests, "get", get)
    assert "Connection refused" in failure(server, destination, Unreachable)
    assert len(tries) == FIRST_PAGE + QUICK.attempts
