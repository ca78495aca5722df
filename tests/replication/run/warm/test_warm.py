"""A run has a server of warm processes, which ends with it."""

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from private_experts import __version__
from private_experts.errors import PROGRAM
from private_experts.replication.run import warm as warming
from private_experts.replication.run.warm import FUNCTION, server, warm
from private_experts.replication.run.warm.ask import ask


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere jobs begin cold")
def test_a_job_is_run_by_the_server_which_ends_with_the_run_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(FUNCTION, raising=False)
    monkeypatch.setattr(warming.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "door"))
    door = tmp_path / "door/door"
    door.parent.mkdir()
    with warm():
        assert str(door) in os.environ[FUNCTION]
        while not door.exists():
            time.sleep(0.01)
        with (tmp_path / "said").open("w") as said:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            environment = os.environ | {"OMP_NUM_THREADS": "1", "PATH": path}
            assert ask(str(door), str(tmp_path), environment, [PROGRAM, "--version"], [0, said.fileno(), 2]) == 0
    assert (tmp_path / "said").read_text() == f"{PROGRAM} {__version__}\n"
    assert FUNCTION not in os.environ
    assert not door.parent.exists()


def test_a_run_within_a_run_has_no_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FUNCTION, "() { true; }")
    monkeypatch.setattr(subprocess, "Popen", None)
    with warm():
        assert os.environ[FUNCTION] == "() { true; }"


def test_what_the_server_imports_is_installed_and_not_ours() -> None:
    for name in server.FOREIGN:
        assert find_spec(name)
        assert not name.startswith("private_experts")
