"""What a killed run left on this machine is found by its environment, and ended before the next run."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.run import strays as module
from private_experts.replication.run.strays import VARIABLE, end, marked, strays

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how an environment began")

# Starts one more process, and tells the numbers of both.
FAMILY = "sleep 600 & echo $$ $!; wait"


@contextmanager
def family() -> Iterator[list[int]]:
    """Yield the numbers of a process and of its child; whatever is left of them is killed in the end."""
    with subprocess.Popen(["sh", "-c", FAMILY], stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        assert parent.stdout
        try:
            yield [int(each) for each in parent.stdout.readline().split()]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "reproduce.lock"
    path.touch()
    return path


def test_processes_of_a_run_with_this_lock_and_no_others_are_found_and_ended(tmp_path: Path, lock: Path) -> None:
    other, linked = tmp_path / "other.lock", tmp_path / "link"
    other.touch()
    linked.symlink_to(lock)
    with ExitStack() as started:
        families = {}
        for path in (lock, linked, other):
            with marked(path):
                families[path] = started.enter_context(family())
        unmarked = started.enter_context(family())
        assert {*strays(lock)} == {*strays(linked)} == {*families[lock], *families[linked]}
        end(strays(lock), lock)
        assert strays(lock) == []
        assert {*strays(other)} == {*families[other]}
        os.kill(unmarked[0], 0)  # is there


def test_a_lock_in_another_place_is_the_same_and_a_new_one_in_its_place_is_not(tmp_path: Path, lock: Path) -> None:
    with marked(lock), family() as ours:
        moved = lock.rename(tmp_path / "moved")
        lock.touch()
        assert strays(lock) == []
        assert {*strays(moved)} == {*ours}


def test_what_does_not_listen_is_ended_as_well(lock: Path) -> None:
    with marked(lock), subprocess.Popen(["sh", "-c", "trap '' TERM; echo ready; read it"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE) as deaf:  # fmt: skip
        assert deaf.stdout
        deaf.stdout.readline()
        end(strays(lock), lock)
        assert deaf.wait(timeout=60) == -signal.SIGKILL


def test_the_mark_of_before_is_put_back(tmp_path: Path, lock: Path) -> None:
    outer = tmp_path / "outer.lock"
    outer.touch()
    with marked(outer):
        mark = os.environ[VARIABLE]
        with pytest.raises(KeyboardInterrupt), marked(lock):
            raise KeyboardInterrupt
        assert os.environ[VARIABLE] == mark
    assert VARIABLE not in os.environ


def test_what_does_not_end_stops_the_next_run_with_one_line(monkeypatch: pytest.MonkeyPatch, lock: Path) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    monkeypatch.setattr(os, "kill", lambda *_: None)
    with marked(lock), family(), pytest.raises(InputError, match="do not end; wait until they have"):
        end(strays(lock), lock)
