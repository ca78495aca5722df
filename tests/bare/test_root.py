"""What `make test-bare` says when it cannot be, and what it tells of what it did."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bare import root
from tests.bare.__main__ import Record


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    root.namespaces.cache_clear()


def test_who_is_not_root_and_has_no_namespaces_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root.os, "geteuid", lambda: 1000)
    refused = subprocess.CompletedProcess([], 1, "", "unshare: unshare failed: Operation not permitted\n")
    monkeypatch.setattr(root.subprocess, "run", lambda command, **_: refused)
    with pytest.raises(root.CannotError, match=r"neither root nor user namespaces .*not permitted.*uidmap"):
        root.namespaces()


def test_who_is_not_root_becomes_it_in_a_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(root.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0))
    assert root.namespaces() == ("unshare", "--user", "--map-auto", "--map-root-user")


def test_without_mmdebstrap_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(root, "namespaces", lambda: ())
    monkeypatch.setattr(root.shutil, "which", lambda name: None)
    with pytest.raises(root.CannotError, match=r"mmdebstrap.*apt-get"):
        root.make(tmp_path, {}, [], time.monotonic())


def test_a_folder_goes_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "namespaces", lambda: ())
    folders, run = [], root.subprocess.run

    def impatient(command: list[str], **options: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)  # in the midst of removing
        run(command, **options)

    monkeypatch.setattr(root.subprocess, "run", impatient)

    def stopped() -> None:
        with root.workspace() as folder:
            (folder / "root").mkdir()
            folders.append(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert [folder.exists() for folder in folders] == [False]


def test_a_command_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(root, "namespaces", lambda: ("timeout",))  # which knows none of the options that follow
    with pytest.raises(root.CannotError, match="`true` ended with code 125"):
        root.Root(tmp_path, {}, [], time.monotonic()).run("true")
    monkeypatch.setattr(root, "namespaces", lambda: ("sh", "-c", "exec sleep 60"))
    monkeypatch.setattr(root, "LEAST", 0.01)
    with pytest.raises(root.CannotError, match="time was up during `make test`"):
        root.Root(tmp_path, {}, [], time.monotonic()).run("make", "test")


def test_what_is_not_there_takes_nothing(tmp_path: Path) -> None:
    assert root.Root(tmp_path, {}, [], 0.0).megabytes("/missing") == 0


def test_steps_are_told_with_what_they_added_to_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    record, sizes = Record(), iter([200, 1000])
    record.root = root.Root(Path(), {}, [], 0.0)
    monkeypatch.setattr(root.Root, "megabytes", lambda self: next(sizes))
    for name in ("Debian", "make test"):
        with record.step(name):
            pass
    lines = record.table().splitlines()[1:]
    assert [line.split()[-2:] for line in lines] == [["200", "MB"], ["800", "MB"], ["1000", "MB"]]
