"""How these tests download reports from a server, and what they then find."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data.healthdata import download
from private_experts.replication.study.data.http_client import RetryPolicy
from private_experts.replication.study.data.query import Query
from tests.replication.study.data.socrata_server import COLUMNS, ROWS, WEEKS, SocrataServer, as_csv

QUICK = RetryPolicy(attempts=4, backoff=0.001, timeout=10)
# On a busy machine any answer may be later than this, so that only outcomes can be tested with it.
HASTY = RetryPolicy(attempts=8, backoff=0.001, timeout=0.15)
PAGES = 4  # 25 rows, 7 to a page: 7, 7, 7, 4
FIRST_PAGE = 3  # the requests before it: the header and the count


def query(server: SocrataServer, **changes) -> Query:
    plain = Query("healthdata", server.url, "anag-cw7u", (), WEEKS[0], WEEKS[-1], COLUMNS, page_size=7)
    return replace(plain, **changes)


def fetch(server, destination, *, policy=QUICK, **changes):
    return download(query(server, **changes), destination, policy=policy, progress=False)


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
