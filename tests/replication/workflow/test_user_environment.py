"""Users without a name, without a home, and with a terminal that is not UTF-8."""

import getpass
import os
import pwd
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from private_experts.replication.workflow import user_environment

NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let the environment be put back after a test, and return a folder for a home."""
    for name in (*NAMES, "HOME"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return tmp_path / "run/home"


def test_a_number_without_a_name_and_without_a_home_gets_both(
    variables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(number: int) -> None:
        raise KeyError(f"uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setenv("HOME", "/no/such/home")
    user_environment.provide_user(variables)
    assert getpass.getuser() == str(os.getuid())
    assert os.environ["HOME"] == str(variables)
    assert variables.is_dir()


def test_who_has_no_name_and_no_variable_for_a_home_gets_both(variables: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; os.setgid(12345), os.setuid(12345);"
        "from private_experts.replication.workflow.user_environment import provide_user;"
        "home = Path(sys.argv[1]); provide_user(home); print(os.environ['LOGNAME'], os.environ['HOME'])"
    )
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        words = [sys.executable, "-c", program, f"{folder}/home"]
        kept = {name: value for name, value in os.environ.items() if name not in (*NAMES, "HOME")}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=kept)
        assert (done.stdout, done.stderr) == (f"12345 {folder}/home\n", "")


def test_who_has_a_name_and_a_home_keeps_them(
    variables: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USER", "reader")
    user_environment.provide_user(variables)
    assert (os.environ["HOME"], getpass.getuser()) == (str(tmp_path), "reader")
    assert not variables.exists()


def test_what_a_terminal_cannot_show_is_named() -> None:
    words, root = [sys.executable, "-m", "private_experts", "claims"], Path(__file__).parents[3]
    terminal = os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0", "COLUMNS": "9999"}
    done = subprocess.run(words, env=terminal, cwd=root, capture_output=True, timeout=600, check=False)
    assert done.stderr == b""
    assert rb"\N{NOT EQUAL TO}" in done.stdout


def test_a_command_whose_output_is_closed_tells_nobody() -> None:
    command = f"{shlex.quote(sys.executable)} -m private_experts claims >&-"
    root = Path(__file__).parents[3]
    done = subprocess.run(command, shell=True, cwd=root, stderr=subprocess.PIPE, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
