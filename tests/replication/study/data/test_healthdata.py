"""Downloads from an imitation of healthdata.gov: behaving well, misbehaving, and away."""

import gzip
import hashlib
import json
import math
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import http_client
from private_experts.replication.study.data.healthdata import download
from private_experts.replication.study.data.query import Query, record_of
from tests.replication.study.data.socrata_server import COLUMNS, ROWS, WEEKS, SocrataServer, as_csv, running

REPORTS = 3  # the request for them, after those for the header and the count


def query(server: SocrataServer, **changes) -> Query:
    return replace(Query(server.url, "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS), **changes)


def fetch(server, destination, **changes):
    return download(query(server, **changes), destination)


def failure(server, destination, **arguments) -> str:
    """Download in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        fetch(server, destination, **arguments)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    assert not [*destination.parent.glob("*"), *destination.parent.glob(".*")]  # nothing half-written is left
    return message


def content(destination: Path) -> bytes:
    return gzip.decompress(destination.read_bytes())


def truth(columns=COLUMNS, keep=lambda row: True) -> bytes:
    chosen = [COLUMNS.index(name) for name in columns]
    return as_csv(columns, [tuple(row[i] for i in chosen) for row in ROWS if keep(row)]).encode()


@pytest.fixture
def server():
    with running() as server:
        yield server


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "reports.csv.gz"


# ---------------------------------------------------------------- a server that behaves well


def test_the_requests_are_socratas_own_the_rows_come_in_order_and_the_record_tells(server, destination):
    before = datetime.now(UTC) - timedelta(seconds=1)
    server.dataset = "uqq2-txqb"  # the raw variant
    server.rows.reverse()  # the order must be asked for, it is not the server's own
    states, weeks = ("NM", "PA"), {"first_week": WEEKS[1], "last_week": WEEKS[3]}
    asked_for = {"base_url": f"{server.url}/", "dataset": server.dataset, "states": states, **weeks}
    result = fetch(server, destination, **asked_for)
    where = "state in ('NM','PA') and collection_week between '2021-01-08T00:00:00' and '2021-01-22T00:00:00'"
    asked = {"$select": ",".join(COLUMNS), "$where": where, "$order": "hospital_pk,collection_week"}
    asked["$limit"] = "12"
    assert server.requests == [{"$limit": "1"}, {"$select": "count(*)", "$where": where}, asked]
    inside = {f"{week}T00:00:00.000" for week in WEEKS[1:4]}
    assert content(destination) == truth(keep=lambda row: row[2] in states and row[1] in inside)
    assert record_of(destination).read_text(encoding="utf-8") == json.dumps(result, indent=2) + "\n"
    assert before <= datetime.fromisoformat(result.pop("retrieved")) <= datetime.now(UTC)
    assert result == {
        "url": f"{server.url}/resource/uqq2-txqb.csv",
        "base_url": server.url,
        "dataset": "uqq2-txqb",
        "query": asked,
        "rows": 12,
        "columns": list(COLUMNS),
        "states": [*states],
        **weeks,
        "sha256": hashlib.sha256(destination.read_bytes()).hexdigest(),
    }


def test_columns_that_the_data_set_lacks_are_left_out(server, destination):
    parameters = ("state", "hospital_pk", "no_such_column", "collection_week", "state")
    result = fetch(server, destination, columns=parameters)
    assert result["columns"] == ["hospital_pk", "collection_week", "state", "hospital_name"]
    assert content(destination) == truth(COLUMNS[:4])


# ---------------------------------------------------------------- a server that misbehaves, and none at all


@pytest.mark.parametrize(
    ("fault", "at"), [("202", 1), ("500", 2), ("502", REPORTS), ("503", 1), ("504", 2), ("hang up", REPORTS)]
)
def test_a_request_that_fails_for_a_while_is_sent_again(server, destination, fault, at):
    server.misbehave(fault, at, 2)
    assert fetch(server, destination)["rows"] == len(ROWS)
    assert content(destination) == truth()
    assert len(server.requests) == REPORTS + 2


@pytest.mark.parametrize(
    ("fault", "excerpt"),
    [
        ("429", "HTTP 429 Too Many Requests; run again later"),
        ("503", "HTTP 503 Service Unavailable"),
        ("cut", "no complete response (IncompleteRead"),
        ("hang up", "no complete response"),
        ("cut silently", "is not the 25 rows that the service counts"),
        ("cut in a number", "is not the 25 rows"),
        ("empty", "is not the 25 rows"),
        ("short row", "is not the 25 rows"),
        ("html as csv", "a web page instead of data"),
        ("html by type", "a web page instead of data"),
        ("latin-1", "not UTF-8"),
        ("404", "anag-cw7u.csv: HTTP 404 Not Found; check hospital.healthdata"),
    ],
)
def test_reports_that_do_not_come_end_the_download(server, destination, fault, excerpt):
    server.misbehave(fault, REPORTS, math.inf)
    message = failure(server, destination)
    assert excerpt in message
    assert f"127.0.0.1:{server.server_port}" in message
    again = {"503": http_client.RETRIES.total, "hang up": 2}.get(fault, 0)
    assert len(server.requests) == REPORTS + again


def test_a_cut_in_the_last_field(server, destination):
    # The cut falls on a line end inside quotes: nothing but the open quotation mark shows it.
    server.misbehave("cut in a quoted field", REPORTS)
    assert "is not the 5 rows" in failure(server, destination, columns=COLUMNS[:4], states=("CA",))


def test_silence_ends_the_download(server, destination, monkeypatch):
    server.misbehave("slow", 1, math.inf)
    monkeypatch.setattr(http_client, "TIMEOUT", 0.05)
    assert "timed out" in failure(server, destination)


def test_a_response_is_bounded(server, destination, monkeypatch):
    server.misbehave("bomb", 1, math.inf)
    monkeypatch.setattr(http_client, "LARGEST", 100_000)
    assert "the response has more than 100,000 bytes; ask for fewer states" in failure(server, destination)


def test_a_data_set_without_identity(server, destination):
    server.columns = ("renamed", *COLUMNS[1:])
    assert "there is no column hospital_pk; check the data set's name" in failure(server, destination)


def test_a_required_column_that_is_absent_is_refused_before_anything_is_counted(server, destination):
    wanted = (*COLUMNS, "first_choice")
    message = failure(server, destination, columns=wanted, required=("first_choice",))
    assert "there is no column first_choice, which hospital.columns names first; take it out there" in message
    assert len(server.requests) == 1
    assert fetch(server, destination, columns=wanted, required=COLUMNS)["columns"] == list(COLUMNS)


def test_no_rows_at_all(server, destination):
    assert "no rows where state in ('WY')" in failure(server, destination, states=("WY",))


@pytest.mark.parametrize("count", ["", "many"])
def test_a_count_that_is_no_number(server, destination, count):
    server.claimed_count = count
    assert "the response to count(*) is not a number" in failure(server, destination)


def test_a_refused_connection_is_given_up_soon(destination):
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        parameters = Query(f"http://{host}", "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS)
        why = rf"^{host}: no complete response \(.*Connection refused\); run again"
        with pytest.raises(InputError, match=why):
            download(parameters, destination)
    assert not destination.parent.exists()


# ---------------------------------------------------------------- the file that a download ends with


def test_the_checksum_is_the_same_each_time_and_must_be_the_one_asked_for(server, destination, monkeypatch):
    digest = fetch(server, destination)["sha256"]
    with monkeypatch.context() as later:
        later.setattr(time, "time", lambda: 4e9)
        assert fetch(server, destination, sha256=digest)["sha256"] == digest
    assert destination.read_bytes()[4:8] == bytes(4)  # the time, or a checksum in a config would be another
    for path in destination.parent.iterdir():
        path.unlink()
    other = "ab" * 32
    why = f"the download's sha256 is {digest}, expected {other}"
    assert why in failure(server, destination, sha256=other)


def test_an_old_file_stays_until_the_new_one_is_whole(server, destination):
    destination.parent.mkdir()
    destination.write_bytes(b"old")
    server.misbehave("cut", REPORTS, 1)
    with pytest.raises(InputError):
        fetch(server, destination)
    with pytest.raises(InputError, match="sha256"):
        fetch(server, destination, sha256="0" * 64)
    assert destination.read_bytes() == b"old"
    fetch(server, destination)
    assert content(destination) == truth()
