"""The file that a download ends with."""

import hashlib
import math

import pytest

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.study.data.http_client import Unreachable
from tests.replication.study.data.healthdata.downloading import (
    FIRST_PAGE,
    PAGES,
    content,
    failure,
    fetch,
    offsets,
    pages_in,
    truth,
)


def test_a_checksum_that_agrees(server, destination):
    digest = fetch(server, destination)["sha256"]
    destination.unlink()
    assert fetch(server, destination, sha256=digest)["sha256"] == digest
    assert hashlib.sha256(destination.read_bytes()).hexdigest() == digest


def test_a_checksum_that_differs(server, destination):
    message = failure(server, destination, sha256="ab" * 32)
    assert "ab" * 32 in message
    assert "the download's sha256 is" in message
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
