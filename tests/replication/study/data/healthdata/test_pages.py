"""A server that behaves well."""

import gzip
import hashlib
import json
import math
import time
from datetime import UTC, datetime, timedelta

from private_experts.replication.study.data.healthdata import download
from tests.each import each
from tests.replication.study.data.healthdata.downloading import (
    FIRST_PAGE,
    QUICK,
    content,
    fetch,
    provenance_of,
    query,
    truth,
)
from tests.replication.study.data.socrata_server import COLUMNS, ROWS, WEEKS


@each("page_size", [1, 5, 7, 25, 26, 50_000])  # 5 and 25 divide the number of rows
def test_pages_join_into_the_whole(afresh, page_size):
    with afresh() as (server, destination):
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


def test_one_state(server, destination):
    assert fetch(server, destination, states=("CA",))["rows"] == 5
    assert content(destination) == truth(keep=lambda row: row[2] == "CA")


def test_columns_that_the_data_set_lacks_are_left_out(server, destination):
    asked = ("state", "hospital_pk", "no_such_column", "collection_week", "state")
    result = fetch(server, destination, columns=asked)
    assert result["columns"] == ["hospital_pk", "collection_week", "state"]
    assert content(destination) == truth(COLUMNS[:3])


def test_the_raw_variant(server, destination):
    server.dataset = "uqq2-txqb"
    assert fetch(server, destination, dataset="uqq2-txqb")["url"] == f"{server.url}/resource/uqq2-txqb.csv"
    assert content(destination) == truth()


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
    download(query(server), destination, policy=QUICK)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "25/25" in shown.err
