"""What `make test-bare` says when it cannot be, and what it tells of what it did."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bare import root


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    root.namespaces.cache_clear()


def test_who_is_not_root_becomes_it_in_a_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(root.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0))
    assert root.namespaces() == ("unshare", "--user", "--map-auto", "--map-root-user")


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
