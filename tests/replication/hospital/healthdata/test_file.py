"""The file that a download ends with."""

import hashlib
import math

import pytest

from private_experts.errors import InputError
from private_experts.replication import files
from private_experts.replication.hospital.answers import Unreachable
from tests.replication.hospital.healthdata.downloading import (
    FIRST_PAGE,
    PAGES,
    failure,
    fetch,
    offsets,
    pages_in,
    parts_of,
    truth,
)


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
