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


def test_processes_of_a_run_in_this_folder_and_no_others_are_found_and_ended(tmp_path: Path) -> None:
    here, other, linked = tmp_path / "project", tmp_path / "project-2", tmp_path / "link"
    here.mkdir()
    linked.symlink_to(here)
    with ExitStack() as started:
        families = {}
        for folder in (here, linked, other):
            with marked(folder):
                families[folder] = started.enter_context(family())
        families[tmp_path] = started.enter_context(family())
        ours = {*families[here], *families[linked]}
        assert {*strays(here)} == {*strays(linked)} == ours
        end(strays(here), here)
        assert strays(here) == []
        assert {*strays(other)} == {*families[other]}
        os.kill(families[tmp_path][0], 0)  # is there


def test_nothing_is_left_of_the_mark(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), marked(tmp_path):
        raise KeyboardInterrupt
    assert VARIABLE not in os.environ
    assert strays(tmp_path) == []


def test_what_does_not_end_stops_the_next_run_with_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    monkeypatch.setattr(os, "kill", lambda *_: None)
    with marked(tmp_path), family(), pytest.raises(InputError, match="do not end; wait until they have"):
        end(strays(tmp_path), tmp_path)
