"""Downloads that were interrupted."""

import csv
import io
import math

import pytest

from private_experts.replication import files
from private_experts.replication.study.data.http_client import Unreachable
from tests.each import each
from tests.replication.study.data.healthdata.downloading import (
    FIRST_PAGE,
    content,
    failure,
    fetch,
    offsets,
    pages_in,
    parts_of,
    truth,
)
from tests.replication.study.data.socrata_server import COLUMNS, WEEKS


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


@each("damage", [b"", b"\xff\n", b'"hospital_pk"\n"1"\n', b'"half a'])
def test_a_damaged_page_is_fetched_again(afresh, damage):
    with afresh() as (server, destination):
        interrupt_after(server, destination, 2)
        (parts_of(destination) / "page-00000.csv").write_bytes(damage)
        fetch(server, destination)
        assert offsets(server) == ["0", "14", "21"]
        assert content(destination) == truth()


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
def test_pages_of_another_query_are_not_used_and_deleted_at_the_end(afresh, changes):
    with afresh() as (server, destination):
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
