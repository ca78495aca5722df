import itertools
from contextlib import contextmanager

import pytest

from tests.replication.study.data.socrata_server import running


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
            yield server, tmp_path / str(next(count)) / "data" / "reports.csv.gz"

    return begin


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "reports.csv.gz"
