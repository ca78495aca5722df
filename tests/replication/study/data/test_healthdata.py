"""Downloads from an imitation of healthdata.gov: behaving well, misbehaving, away, and interrupted."""

import csv
import gzip
import hashlib
import io
import json
import math
import re
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import requests
from tqdm import tqdm

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.study.data import healthdata, http_client
from private_experts.replication.study.data.healthdata import download
from private_experts.replication.study.data.http_client import Unreachable
from private_experts.replication.study.data.query import Query, record_of
from tests.replication.study.data.socrata_server import COLUMNS, ROWS, WEEKS, SocrataServer, as_csv, running

PAGES = 4  # 25 rows, 7 to a page: 7, 7, 7, 4
FIRST_PAGE = 3  # the requests before it: the header and the count


def query(server: SocrataServer, **changes) -> Query:
    plain = Query("healthdata", server.url, "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS, page_size=7)
    return replace(plain, **changes)


def fetch(server, destination, **changes):
    return download(query(server, **changes), destination)


def failure(server, destination, kind=InputError, **arguments) -> str:
    """Download in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        fetch(server, destination, **arguments)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert not destination.exists()
    assert not record_of(destination).exists()
    assert not list(destination.parent.glob(".*"))  # nothing written aside is left
    return message


def content(destination: Path) -> bytes:
    return gzip.decompress(destination.read_bytes())


def parts_of(destination: Path) -> Path:
    (folder,) = destination.parent.glob(f"{destination.name}.*.parts")
    return folder


def pages_in(destination: Path) -> list[str]:
    return sorted(path.name for path in destination.parent.glob(f"{destination.name}.*.parts/page-*"))


def truth(columns=COLUMNS, keep=lambda row: True) -> bytes:
    chosen = [COLUMNS.index(name) for name in columns]
    return as_csv(columns, [tuple(row[i] for i in chosen) for row in ROWS if keep(row)]).encode()


def offsets(server):
    return [asked["$offset"] for asked in server.requests if "$offset" in asked]


@pytest.fixture
def server():
    with running() as server:
        yield server


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "reports.csv.gz"


# ---------------------------------------------------------------- a server that behaves well


@pytest.mark.parametrize("page_size", [1, 5, 7, 25, 26, 50_000])  # 5 and 25 divide the number of rows
def test_pages_join_into_the_whole(server, destination, page_size):
    server.rows.reverse()  # the order must be asked for, it is not the server's own
    result = fetch(server, destination, page_size=page_size)
    assert content(destination) == truth()
    assert result["rows"] == len(ROWS)
    pages = server.requests[FIRST_PAGE - 1 :]
    assert len(pages) == math.ceil(len(ROWS) / page_size)
    assert [page["$offset"] for page in pages] == [str(page_size * k) for k in range(len(pages))]
    assert {page["$limit"] for page in pages} == {str(page_size)}
    assert sorted(path.name for path in destination.parent.iterdir()) == [
        "reports.csv.gz",
        "reports.csv.gz.provenance.json",
    ]


def test_the_requests_are_socratas_own(server, destination):
    fetch(server, destination, states=("NM", "PA"), first_week=WEEKS[1], last_week=WEEKS[3], page_size=50)
    where = "state in ('NM','PA') and collection_week between '2021-01-08T00:00:00' and '2021-01-22T00:00:00'"
    assert server.requests == [
        {"$limit": "1"},
        {"$select": "count(*)", "$where": where},
        {
            "$select": ",".join(COLUMNS),
            "$where": where,
            "$order": "hospital_pk,collection_week",
            "$limit": "50",
            "$offset": "0",
        },
    ]
    weeks = {f"{week}T00:00:00.000" for week in WEEKS[1:4]}
    assert content(destination) == truth(keep=lambda row: row[2] in {"NM", "PA"} and row[1] in weeks)


def test_columns_that_the_data_set_lacks_are_left_out(server, destination):
    asked = ("state", "hospital_pk", "no_such_column", "collection_week", "state")
    result = fetch(server, destination, columns=asked)
    assert result["columns"] == ["hospital_pk", "collection_week", "state"]
    assert content(destination) == truth(COLUMNS[:3])


def test_provenance(server, destination):
    before = datetime.now(UTC) - timedelta(seconds=1)
    server.dataset = "uqq2-txqb"  # the raw variant
    asked = {"dataset": server.dataset, "states": ("PA",), "first_week": WEEKS[1], "base_url": f"{server.url}/"}
    result = fetch(server, destination, **asked)
    assert json.loads(record_of(destination).read_text(encoding="utf-8")) == result
    retrieved = datetime.fromisoformat(result.pop("retrieved"))
    assert retrieved.utcoffset() == timedelta(0)
    assert before <= retrieved <= datetime.now(UTC)
    assert result == {
        "url": f"{server.url}/resource/uqq2-txqb.csv",
        "base_url": server.url,
        "dataset": "uqq2-txqb",
        "query": {
            "$select": ",".join(COLUMNS),
            "$where": "state in ('PA') and collection_week between '2021-01-08T00:00:00' and '2021-01-29T00:00:00'",
            "$order": "hospital_pk,collection_week",
            "$limit": "7",
        },
        "rows": 8,
        "columns": list(COLUMNS),
        "states": ["PA"],
        "first_week": "2021-01-08",
        "last_week": "2021-01-29",
        "sha256": hashlib.sha256(destination.read_bytes()).hexdigest(),
    }


def test_gzip_is_the_same_each_time(server, destination, monkeypatch):
    one, two = destination.with_name("one.csv.gz"), destination.with_name("two.csv.gz")
    first = fetch(server, one)
    with monkeypatch.context() as later:
        later.setattr(time, "time", lambda: 4e9)
        second = fetch(server, two)
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == truth()
    assert first["sha256"] == second["sha256"] == hashlib.sha256(one.read_bytes()).hexdigest()


def test_progress_counts_rows_on_stderr(server, destination, capsys, monkeypatch):
    fetch(server, destination)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(healthdata, "tqdm", tqdm)
    fetch(server, destination)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "25/25" in shown.err


# ---------------------------------------------------------------- a server that misbehaves, and none at all

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


@pytest.mark.parametrize(
    ("fault", "page"),
    [(fault, page) for fault in TRANSIENT for page in (2, PAGES)]
    + [(fault, 2) for fault in ("cut in a quoted field", "latin-1")],  # the last page lacks such text
)
def test_a_page_that_fails_for_a_while_is_asked_for_again(server, destination, fault, page):
    server.misbehave(fault, FIRST_PAGE - 1 + page, 2)
    assert fetch(server, destination)["rows"] == len(ROWS)
    assert content(destination) == truth()
    assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 2


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("fault", ["503", "cut", "hang up", "html", "nothing"])
def test_the_header_and_the_count_are_asked_for_again_too(server, destination, fault, at):
    server.misbehave(fault, at, 3)
    fetch(server, destination)
    assert content(destination) == truth()
    assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 3


@pytest.mark.parametrize(
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
def test_a_page_that_fails_for_good_ends_the_download(server, destination, fault, kind, says):
    server.misbehave(fault, FIRST_PAGE + 1, math.inf)
    message = failure(server, destination, kind)
    assert says in message
    assert message.startswith(f"127.0.0.1:{server.server_port}: ")
    attempts = 1 if fault == "429 for 3600" else http_client.ATTEMPTS
    assert f"(attempts: {attempts})" in message
    assert len(server.requests) == FIRST_PAGE + attempts
    assert pages_in(destination) == ["page-00000.csv"]  # what was good is kept for the next time


def test_a_cut_in_the_last_field_of_a_page(server, destination):
    # The cut falls on a line end inside quotes: nothing but the open quotation mark shows it.
    server.misbehave("cut in a quoted field", FIRST_PAGE)
    fetch(server, destination, columns=COLUMNS[:4], states=("CA",))
    assert content(destination) == truth(COLUMNS[:4], lambda row: row[2] == "CA")


def test_silence_ends_the_download(server, destination, monkeypatch):
    server.misbehave("slow", 1, math.inf)
    monkeypatch.setattr(http_client, "TIMEOUT", 0.05)
    message = failure(server, destination, Unreachable)
    assert "timed out" in message
    assert "(attempts: 4)" in message  # only connections that fail are given up sooner


def test_a_response_is_bounded_in_size_and_time(server, destination, monkeypatch):
    server.misbehave("bomb", 1, math.inf)
    monkeypatch.setattr(http_client, "LARGEST", 100_000)
    assert "the response has more than 100,000 bytes; write a smaller page_size" in failure(
        server, destination, InputError
    )
    server.faults[0] = ("dripping", 1, math.inf)
    monkeypatch.setattr(http_client, "LONGEST", 0.02)
    assert "no complete response within 0 s (attempts: 4)" in failure(server, destination, Unreachable)


@pytest.fixture
def pauses(monkeypatch):
    """Sleep for no time, and return for how long it would have been."""
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


@pytest.mark.parametrize(("words", "least", "most"), [("7", 7, 7), ("a date in 200 s", 50, 200), ("ever", 0, 0.01)])
def test_retry_after_is_honoured_if_it_can_be_read(server, destination, pauses, words, least, most):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    server.misbehave(f"429 for {date if 'date' in words else words}", FIRST_PAGE)
    fetch(server, destination)
    assert content(destination) == truth()
    assert len(pauses) == 1
    assert least <= pauses[0] <= most


def test_the_pauses_grow(server, destination, pauses, monkeypatch):
    server.misbehave("503", FIRST_PAGE, math.inf)
    monkeypatch.setattr(http_client, "BACKOFF", 1.0)
    failure(server, destination, Unreachable)
    for pause, plain in zip(pauses, [1, 2, 4], strict=True):
        assert plain <= pause <= plain + 1
        assert pause != plain  # the jitter


@pytest.mark.parametrize(
    ("status", "at", "says"),
    [("404", at, "HTTP 404 Not Found: Not found: the dataset is gone") for at in range(1, FIRST_PAGE + 2)]
    + [(status, FIRST_PAGE, "The service is having a bad day") for status in ("400", "403", "501")],
)
def test_other_refusals_are_not_asked_for_again(server, destination, status, at, says):
    server.misbehave(status, at, math.inf)
    assert says in failure(server, destination)
    assert len(server.requests) == at


def test_changed_columns(server, destination):
    server.misbehave("renamed", FIRST_PAGE + 1)
    message = failure(server, destination)
    assert "page 2: the columns changed" in message
    assert message.endswith(f"missing: {COLUMNS[-1]}")
    assert len(server.requests) == FIRST_PAGE + 1


@pytest.mark.parametrize("name", ["hospital_pk", "collection_week", "state"])
def test_a_data_set_without_identity(server, destination, name):
    server.columns = tuple("renamed" if column == name else column for column in COLUMNS)
    assert f"there is no column {name};" in failure(server, destination)


@pytest.mark.parametrize(
    ("claimed", "page_size", "says"),
    [
        (26, 7, "page 4 has 4 rows, expected 5 from the server's count"),
        (22, 7, "page 4 has 4 rows, expected 1 from the server's count"),
        (26, 5, "page 6 is empty, expected 1 from the server's count"),
    ],
)
def test_a_count_that_the_rows_do_not_bear_out(server, destination, claimed, page_size, says):
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


def test_a_refused_connection_is_given_up_soon(destination, pauses):
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        asked = Query("healthdata", f"http://127.0.0.1:{port}", "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS, 7)
        with pytest.raises(Unreachable) as caught:
            download(asked, destination)
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
    assert len(tries) == FIRST_PAGE + http_client.ATTEMPTS


# ---------------------------------------------------------------- the file that a download ends with


def test_the_checksum_must_be_the_one_asked_for(server, destination):
    digest = fetch(server, destination)["sha256"]
    assert fetch(server, destination, sha256=digest)["sha256"] == digest
    for path in destination.parent.iterdir():
        path.unlink()
    assert f"the download's sha256 is {digest}, expected {'ab' * 32}" in failure(server, destination, sha256="ab" * 32)
    assert list(destination.parent.iterdir()) == []


def test_an_old_file_stays_until_the_new_one_is_whole(server, destination):
    destination.parent.mkdir()
    destination.write_bytes(b"old")
    server.misbehave("503", FIRST_PAGE + 2, math.inf)
    with pytest.raises(Unreachable):
        fetch(server, destination)
    assert destination.read_bytes() == b"old"
    server.faults.clear()
    with pytest.raises(InputError, match="sha256"):
        fetch(server, destination, sha256="0" * 64)
    assert destination.read_bytes() == b"old"
    fetch(server, destination)
    assert content(destination) == truth()


def test_a_failure_while_joining_leaves_no_file_and_keeps_the_pages(server, destination, monkeypatch):
    def fail(path):
        assert content(path) == truth()  # everything was written, but aside
        assert not destination.exists()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(files, "sha256", fail)
        assert "No space left on device" in failure(server, destination)
    assert len(pages_in(destination)) == PAGES
    server.requests.clear()
    fetch(server, destination)
    assert offsets(server) == []


# ---------------------------------------------------------------- downloads that were interrupted


def interrupt_after(server, destination, pages, **changes):
    server.misbehave("503", FIRST_PAGE + pages, math.inf)
    failure(server, destination, Unreachable, **changes)
    assert len(pages_in(destination)) == pages
    server.faults.clear()
    server.requests.clear()


def test_an_interrupted_download_goes_on_at_the_first_missing_page(server, destination):
    interrupt_after(server, destination, 2)
    fetch(server, destination)
    assert len(server.requests) == FIRST_PAGE - 1 + 2
    assert offsets(server) == ["14", "21"]
    assert content(destination) == truth()
    assert pages_in(destination) == []


def test_a_keyboard_interrupt_leaves_whole_pages(server, destination, monkeypatch):
    def write(path, text):
        if path.name == "page-00002.csv":
            raise KeyboardInterrupt
        write_text(path, text)

    write_text = files.write_text
    with monkeypatch.context() as interrupted:
        interrupted.setattr(files, "write_text", write)
        with pytest.raises(KeyboardInterrupt):
            fetch(server, destination)
    assert pages_in(destination) == ["page-00000.csv", "page-00001.csv"]
    assert not destination.exists()
    server.requests.clear()
    fetch(server, destination)
    assert offsets(server) == ["14", "21"]
    assert content(destination) == truth()


def test_a_resumed_page_is_still_compared_with_the_one_before(server, destination):
    interrupt_after(server, destination, 2)
    server.misbehave("duplicate", FIRST_PAGE, math.inf)
    assert "page 3 repeats" in failure(server, destination)


@pytest.mark.parametrize("damage", [b"", b"\xff\n", b'"hospital_pk"\n"1"\n', b'"half a'])
def test_a_damaged_page_is_fetched_again(server, destination, damage):
    interrupt_after(server, destination, 2)
    (parts_of(destination) / "page-00000.csv").write_bytes(damage)
    fetch(server, destination)
    assert offsets(server) == ["0", "14", "21"]
    assert content(destination) == truth()


@pytest.mark.parametrize(
    "changes",
    [
        {"states": ("NM", "PA")},
        {"first_week": WEEKS[1]},
        {"last_week": WEEKS[3]},
        {"columns": COLUMNS[:4]},
        {"page_size": 8},
    ],
)
def test_pages_of_another_query_are_not_used_and_deleted_at_the_end(server, destination, changes):
    interrupt_after(server, destination, 2)
    fetch(server, destination, **changes)
    assert pages_in(destination) == []
    names = changes.get("columns", COLUMNS)
    states, first = changes.get("states"), changes.get("first_week", WEEKS[0])
    last = changes.get("last_week", WEEKS[-1])
    assert content(destination) == truth(
        names, lambda row: (states is None or row[2] in states) and first <= row[1][:10] <= last
    )


def test_pages_of_another_row_count_are_not_used(server, destination):
    interrupt_after(server, destination, 2)
    late = ("990001", "2021-01-01T00:00:00.000", "NM", "NEW", "1.0", "0.0")
    server.rows.append(late)
    assert fetch(server, destination)["rows"] == 26
    assert offsets(server) == ["0", "7", "14", "21"]
    assert list(csv.reader(io.StringIO(content(destination).decode(), newline="")))[-1] == list(late)
