import csv
import gzip
import hashlib
import io
import itertools
import json
import math
import re
import socket
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import requests

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.hospital.answers import Unreachable
from private_experts.replication.hospital.healthdata import download
from private_experts.replication.hospital.portal import Patience, Query
from tests.each import each

from .socrata_server import COLUMNS, ROWS, WEEKS, SocrataServer, as_csv, running

QUICK = Patience(attempts=4, backoff=0.001, timeout=10)
# On a busy machine any answer may be later than this, so that only outcomes can be tested with it.
HASTY = Patience(attempts=8, backoff=0.001, timeout=0.15)
PAGES = 4  # 25 rows, 7 to a page: 7, 7, 7, 4
FIRST_PAGE = 3  # the requests before it: the header and the count


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server():
    with running() as server:
        yield server


@pytest.fixture
def afresh(tmp_path):
    """Return a server that behaves again and a destination that nothing was written to, for each case of a table."""
    count = itertools.count()

    @contextmanager
    def begin():
        with running() as server:
            yield server, tmp_path / str(next(count)) / "data" / "reports.csv"

    return begin


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "reports.csv"


def query(server: SocrataServer, **changes) -> Query:
    plain = Query(server.url, "anag-cw7u", COLUMNS, (), WEEKS[0], WEEKS[-1], page_size=7)
    return replace(plain, **changes)


def fetch(server, destination, *, sha256=None, patience=QUICK, **changes):
    return download(query(server, **changes), destination, sha256=sha256, patience=patience, progress=False)


def failure(server, destination, kind=InputError, **arguments) -> str:
    """Download in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        fetch(server, destination, **arguments)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert not destination.exists()
    assert not provenance_of(destination).exists()
    assert not list(destination.parent.glob(".*"))  # nothing written aside is left
    return message


def provenance_of(destination: Path) -> Path:
    return destination.with_name(destination.name + ".provenance.json")


def parts_of(destination: Path) -> Path:
    return destination.with_name(destination.name + ".parts")


def pages_in(destination: Path) -> list[str]:
    return sorted(path.name for path in parts_of(destination).glob("page-*"))


def truth(columns=COLUMNS, keep=lambda row: True) -> bytes:
    chosen = [COLUMNS.index(name) for name in columns]
    return as_csv(columns, [tuple(row[i] for i in chosen) for row in ROWS if keep(row)]).encode()


# ---------------------------------------------------------------- a well-behaved server


@each("page_size", [1, 5, 7, 25, 26, 50_000])  # 5 and 25 divide the number of rows
def test_pages_join_into_the_whole(afresh, page_size):
    with afresh() as (server, destination):
        server.rows.reverse()  # the order must be asked for, it is not the server's own
        result = fetch(server, destination, page_size=page_size)
        assert destination.read_bytes() == truth()
        assert result["rows"] == len(ROWS)
        pages = server.requests[FIRST_PAGE - 1 :]
        assert len(pages) == math.ceil(len(ROWS) / page_size)
        assert [page["$offset"] for page in pages] == [str(page_size * k) for k in range(len(pages))]
        assert {page["$limit"] for page in pages} == {str(page_size)}
        assert sorted(path.name for path in destination.parent.iterdir()) == [
            "reports.csv",
            "reports.csv.provenance.json",
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
    assert destination.read_bytes() == truth(keep=lambda row: row[2] in {"NM", "PA"} and row[1] in weeks)


def test_one_state(server, destination):
    assert fetch(server, destination, states=("CA",))["rows"] == 5
    assert destination.read_bytes() == truth(keep=lambda row: row[2] == "CA")


def test_columns_that_the_data_set_lacks_are_left_out(server, destination):
    asked = ("state", "hospital_pk", "no_such_column", "collection_week", "state")
    result = fetch(server, destination, columns=asked)
    assert result["columns"] == ["state", "hospital_pk", "collection_week"]
    assert destination.read_bytes() == truth(("state", "hospital_pk", "collection_week"))


def test_the_raw_variant(server, destination):
    server.dataset = "uqq2-txqb"
    assert fetch(server, destination, dataset="uqq2-txqb")["url"] == f"{server.url}/resource/uqq2-txqb.csv"
    assert destination.read_bytes() == truth()


def test_provenance(server, destination):
    before = datetime.now(UTC) - timedelta(seconds=1)
    result = fetch(server, destination, states=("PA",), first_week=WEEKS[1], base_url=server.url + "/")
    assert json.loads(provenance_of(destination).read_text(encoding="utf-8")) == result
    retrieved = datetime.fromisoformat(result.pop("retrieved"))
    assert retrieved.utcoffset() == timedelta(0)
    assert before <= retrieved <= datetime.now(UTC)
    assert result == {
        "url": f"{server.url}/resource/anag-cw7u.csv",
        "base_url": server.url,
        "dataset": "anag-cw7u",
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


def test_progress_counts_rows_on_stderr(server, destination, capsys):
    fetch(server, destination)
    assert capsys.readouterr() == ("", "")
    download(query(server), destination, patience=QUICK)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "25/25" in shown.err


# ---------------------------------------------------------------- a server that misbehaves

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
        assert destination.read_bytes() == truth()
        assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 2


@each("at", [1, 2])
@each("fault", ["503", "cut", "hang up", "html", "nothing"])
def test_the_header_and_the_count_are_asked_for_again_too(afresh, fault, at):
    with afresh() as (server, destination):
        server.misbehave(fault, at, 3)
        fetch(server, destination)
        assert destination.read_bytes() == truth()
        assert len(server.requests) == FIRST_PAGE - 1 + PAGES + 3


@each(
    ("fault", "kind", "says"),
    [
        ("429 for 3600", Unreachable, "429 Too Many Requests, asking to wait 3600 s"),
        ("500", Unreachable, "HTTP 500 Internal Server Error"),
        ("503", Unreachable, "HTTP 503 Service Unavailable"),
        ("cut", Unreachable, "IncompleteRead"),
        ("cut chunked", Unreachable, "no complete answer"),
        ("hang up", Unreachable, "Connection aborted"),
        ("cut silently", InputError, "cut off"),
        ("cut in a number", InputError, "cut off"),
        ("cut at a line", InputError, "page 2 has 6 rows where the server's count promised 7"),
        ("html", InputError, "a web page instead of data"),
        ("html as csv", InputError, "a web page instead of data"),
        ("html by type", InputError, "a web page instead of data"),
        ("nothing", InputError, "the server's answer is empty"),
        ("empty", InputError, "page 2 is empty where the server's count promised 7"),
        ("short row", InputError, "row 7 has 5 fields instead of 6"),
        ("latin-1", InputError, "not UTF-8"),
        ("duplicate", InputError, "page 2 repeats the rows of the page before it"),
    ],
)
def test_a_page_that_fails_for_good_ends_the_download(afresh, fault, kind, says):
    with afresh() as (server, destination):
        server.misbehave(fault, FIRST_PAGE + 1, math.inf)
        message = failure(server, destination, kind)
        assert says in message
        assert message.startswith(f"127.0.0.1:{server.server_port}: ")
        attempts = 1 if fault == "429 for 3600" else QUICK.attempts
        assert f"attempt {attempts}, the last" in message
        assert len(server.requests) == FIRST_PAGE + attempts
        assert pages_in(destination) == ["page-00000.csv"]  # what was good is kept for the next time


def test_a_cut_in_the_last_field_of_a_page(server, destination):
    # The cut falls on a line end inside quotes: nothing but the open quotation mark shows it.
    server.misbehave("cut in a quoted field", FIRST_PAGE)
    fetch(server, destination, columns=COLUMNS[:4], states=("CA",))
    assert destination.read_bytes() == truth(COLUMNS[:4], lambda row: row[2] == "CA")


def test_a_silent_server_is_asked_again(server, destination):
    server.misbehave("slow", FIRST_PAGE + 1)
    fetch(server, destination, patience=HASTY)
    assert destination.read_bytes() == truth()
    assert len(server.requests) > FIRST_PAGE - 1 + PAGES


def test_silence_ends_the_download(server, destination):
    server.misbehave("slow", 1, math.inf)
    patience = replace(HASTY, attempts=3, timeout=0.05)
    message = failure(server, destination, Unreachable, patience=patience)
    assert "timed out" in message
    assert "attempt 3, the last" in message  # only connections that fail are given up sooner


def test_retry_after_is_honoured(server, destination, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.misbehave("429 for 7", FIRST_PAGE)
    fetch(server, destination)
    assert destination.read_bytes() == truth()
    assert pauses == [7]


@pytest.mark.parametrize("kind", ["a date", "nonsense"])
def test_retry_after_in_other_words(server, destination, monkeypatch, kind):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    server.misbehave(f"429 for {until if kind == 'a date' else 'ever'}", FIRST_PAGE)
    fetch(server, destination)
    assert destination.read_bytes() == truth()
    assert len(pauses) == 1
    assert 100 < pauses[0] <= 200 if kind == "a date" else pauses[0] < 0.01


def test_the_pauses_grow(server, destination, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.misbehave("503", FIRST_PAGE, math.inf)
    failure(server, destination, Unreachable, patience=replace(QUICK, attempts=5, backoff=1.0))
    assert len(pauses) == 4
    for pause, plain in zip(pauses, [1, 2, 4, 8], strict=True):
        assert 0.5 * plain <= pause <= 1.5 * plain
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
        (26, 7, "page 4 has 4 rows where the server's count promised 5"),
        (22, 7, "page 4 has 4 rows where the server's count promised 1"),
        (26, 5, "page 6 is empty where the server's count promised 1"),
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


# ---------------------------------------------------------------- no server


def test_a_refused_connection_is_given_up_soon(destination, monkeypatch):
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        pauses = []
        monkeypatch.setattr(time, "sleep", pauses.append)
        asked = Query(f"http://127.0.0.1:{port}", "anag-cw7u", COLUMNS, (), WEEKS[0], WEEKS[-1])
        with pytest.raises(Unreachable) as caught:
            download(asked, destination, progress=False)
    assert re.fullmatch(rf"127\.0\.0\.1:{port}: .*Connection refused.*attempt 2.*", str(caught.value))
    assert len(pauses) == 1
    assert not destination.parent.exists()


def test_a_server_that_goes_away_later_is_waited_for(server, destination, monkeypatch):
    tries = []
    send = requests.Session.get

    def get(self, url, **arguments):
        tries.append(url)
        if len(tries) > FIRST_PAGE:  # a port where nobody listens
            url = url.replace(f":{server.server_port}", ":1")
        return send(self, url, **arguments)

    monkeypatch.setattr(requests.Session, "get", get)
    assert "Connection refused" in failure(server, destination, Unreachable)
    assert len(tries) == FIRST_PAGE + QUICK.attempts


# ---------------------------------------------------------------- interrupted downloads


def interrupt_after(server, destination, pages, **changes):
    server.misbehave("503", FIRST_PAGE + pages, math.inf)
    failure(server, destination, Unreachable, **changes)
    assert len(pages_in(destination)) == pages
    server.faults.clear()
    server.requests.clear()


def offsets(server):
    return [asked["$offset"] for asked in server.requests if "$offset" in asked]


def test_an_interrupted_download_goes_on_at_the_first_missing_page(server, destination):
    interrupt_after(server, destination, 2)
    fetch(server, destination)
    assert len(server.requests) == FIRST_PAGE - 1 + 2
    assert offsets(server) == ["14", "21"]
    assert destination.read_bytes() == truth()
    assert not parts_of(destination).exists()


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
    assert destination.read_bytes() == truth()


def test_a_resumed_page_is_still_compared_with_the_one_before(server, destination):
    interrupt_after(server, destination, 2)
    server.misbehave("duplicate", FIRST_PAGE, math.inf)
    assert "page 3 repeats" in failure(server, destination)


@each("damage", [b"", b"\xff\n", b'"hospital_pk"\n"1"\n', b'"half a'])
def test_a_damaged_page_is_fetched_again(afresh, damage):
    with afresh() as (server, destination):
        interrupt_after(server, destination, 2)
        (parts_of(destination) / "page-00000.csv").write_bytes(damage)
        fetch(server, destination)
        assert offsets(server) == ["0", "14", "21"]
        assert destination.read_bytes() == truth()


@each(
    "changes",
    [
        {"states": ("NM", "PA")},
        {"first_week": WEEKS[1]},
        {"last_week": WEEKS[3]},
        {"columns": COLUMNS[:4]},
        {"page_size": 8},
    ],
)
def test_pages_of_another_query_are_discarded(afresh, changes):
    with afresh() as (server, destination):
        interrupt_after(server, destination, 2)
        stray = parts_of(destination) / "page-00009.csv"
        stray.write_text("stray", encoding="utf-8")
        server.misbehave("503", FIRST_PAGE, math.inf)
        failure(server, destination, Unreachable, **changes)
        assert pages_in(destination) == []
        server.faults.clear()
        fetch(server, destination, **changes)
        names = changes.get("columns", COLUMNS)
        states, first = changes.get("states"), changes.get("first_week", WEEKS[0])
        last = changes.get("last_week", WEEKS[-1])
        assert destination.read_bytes() == truth(
            names, lambda row: (states is None or row[2] in states) and first <= row[1][:10] <= last
        )


def test_pages_of_another_row_count_are_discarded(server, destination):
    interrupt_after(server, destination, 2)
    late = ("990001", "2021-01-01T00:00:00.000", "NM", "NEW", "1.0", "0.0")
    server.rows.append(late)
    assert fetch(server, destination)["rows"] == 26
    assert offsets(server) == ["0", "7", "14", "21"]
    assert list(csv.reader(io.StringIO(destination.read_text("utf-8"), newline="")))[-1] == list(late)


@each("record", ["", "{", "[]", "null"])
def test_pages_without_a_sound_record_are_discarded(afresh, record):
    with afresh() as (server, destination):
        interrupt_after(server, destination, 2)
        (parts_of(destination) / "query.json").write_text(record, encoding="utf-8")
        fetch(server, destination)
        assert offsets(server) == ["0", "7", "14", "21"]


# ---------------------------------------------------------------- the file


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_checksum_that_agrees(server, destination, suffix):
    destination = destination.with_name(destination.name + suffix)
    digest = fetch(server, destination)["sha256"]
    destination.unlink()
    assert fetch(server, destination, sha256=digest.upper())["sha256"] == digest
    assert hashlib.sha256(destination.read_bytes()).hexdigest() == digest


def test_a_checksum_that_differs(server, destination):
    message = failure(server, destination, sha256="ab" * 32)
    assert "ab" * 32 in message
    assert hashlib.sha256(truth()).hexdigest() in message
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
    assert destination.read_bytes() == truth()


def test_a_failure_while_joining_leaves_no_file_and_keeps_the_pages(server, destination, monkeypatch):
    def fail(path):
        assert path.read_bytes() == truth()  # everything was written, but aside
        assert not destination.exists()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(files, "sha256", fail)
        assert "No space left on device" in failure(server, destination)
    assert len(pages_in(destination)) == PAGES
    server.requests.clear()
    fetch(server, destination)
    assert offsets(server) == []


def test_parts_that_cannot_be_removed(server, destination):
    parts_of(destination).parent.mkdir()
    parts_of(destination).write_text("a file, not a folder", encoding="utf-8")
    assert "cannot be removed" in failure(server, destination)


# ---------------------------------------------------------------- a query that is wrong


@each(
    ("changes", "says"),
    [
        ({"columns": ("hospital_pk", "state")}, "collection_week must be among the columns"),
        ({"states": ("PA", "nm")}, "nm is no postal abbreviation"),
        ({"states": ("X') or ('1'='1",)}, "no postal abbreviation"),
        ({"first_week": "2021/01/08"}, "2021/01/08 is no date"),
        ({"last_week": "20210108"}, "20210108 is no date"),
        ({"last_week": "2021-02-30"}, "2021-02-30 is no date"),
        ({"first_week": "2021-01-15", "last_week": "2021-01-08"}, "2021-01-15 is after 2021-01-08"),
        ({"page_size": 0}, "page_size"),
        ({"page_size": 50_001}, "page_size"),
        ({"sha256": "abc"}, "sha256"),
        ({"sha256": ""}, "sha256"),
    ],
)
def test_a_wrong_query_is_refused_before_any_request(afresh, changes, says):
    with afresh() as (server, destination):
        assert says in failure(server, destination, **changes)
        assert server.requests == []


def test_a_folder_is_no_destination(server, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        fetch(server, tmp_path)
    assert server.requests == []


@each("address", ["healthdata.gov", "ftp://healthdata.gov", "http://"])
def test_a_wrong_address(afresh, address):
    with afresh() as (server, destination):
        failure(server, destination, base_url=address)
