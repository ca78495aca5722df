"""A job that begins as a fork of a warm process ends as a process of its own would, whatever happens to it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from private_experts.errors import PROGRAM
from private_experts.replication import cli
from private_experts.replication.hospital.job_environment import SOURCE_VARIABLE
from private_experts.replication.hospital.source import OFFLINE_VARIABLE
from private_experts.replication.run.warm import FUNCTION, ask, function, server

# The command in small. It says which process began it, and then does as it is told.
COMMAND = """
import os, signal, sys, time

def main(words):
    how, *more = words
    if how == "unflushed":
        print("lost")
        return 0
    print("imported" if "heavy" in sys.modules else "cold", os.getppid(), os.getcwd(), *more, flush=True)
    if how == "exit":
        raise SystemExit(eval(more[0]))
    if how == "fail":
        raise RuntimeError("no such thing")
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "path":
        print(sys.path[0], file=sys.stderr)
        return 0
    if how == "wait":
        time.sleep(60)
    return int(how)
"""
SERVE = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("warm_server", sys.argv[1])
server = importlib.util.module_from_spec(spec)
spec.loader.exec_module(server)
server.serve(sys.argv[2], ["broken", "not_installed", "heavy"], {"private-experts": "command"}, server.of_this_run)
"""


class Running(NamedTuple):
    """A server, its address, the folder of what it imports, and the environment of those who ask it."""

    process: subprocess.Popen[bytes]
    address: str
    folder: Path
    environment: dict[str, str]

    def start(self, *words: str, closed: Iterable[int] = (), **variables: str) -> subprocess.Popen[str]:
        """Let Bash run our command as a rule would, without some of the standard files."""

        def prepare() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for number in closed:
                os.close(number)

        return subprocess.Popen(
            ["bash", "-c", 'private-experts "$@"', "bash", *words],
            cwd=self.folder,
            env=self.environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def run(self, *words: str, **variables: str) -> tuple[int, str, str]:
        """Return the exit code, what it said, and what it complained of."""
        job = self.start(*words, **variables)
        said, complained = job.communicate(timeout=60)
        return job.returncode, said, complained


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a server of the command in small."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "command.py").write_text(COMMAND)
    (folder / "broken.py").write_text("raise ValueError('it does not like this machine')")
    (folder / "heavy.py").write_text("import os; open('imported', 'w').write(os.environ['OPENBLAS_NUM_THREADS'])")
    elsewhere = folder / "elsewhere"  # where the server is
    elsewhere.mkdir()
    on_path = folder / "bin/private-experts"
    on_path.parent.mkdir()
    on_path.write_text("#!/bin/sh\necho by itself\n")
    on_path.chmod(0o755)
    door = tmp_path_factory.mktemp("door") / "door"
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    environment = buffered | {"PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "4"}
    python = on_path.with_name("python")  # a command is beside its Python
    python.symlink_to(sys.executable)
    process = subprocess.Popen(
        [python, "-P", "-c", SERVE, server.__file__, door], stdin=subprocess.PIPE, env=environment, cwd=elsewhere
    )
    assert process.stdin
    while not door.exists():
        assert process.poll() is None
    path = f"{on_path.parent}{os.pathsep}{os.environ['PATH']}"
    yield Running(process, str(door), folder, environment | {"PATH": path, FUNCTION: function(str(door))})
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert not door.parent.exists()


def test_nothing_is_imported_before_somebody_asks(running: Running) -> None:
    imported = running.folder / "elsewhere/imported"
    assert not imported.exists()
    assert running.run("0")[1].startswith("imported ")
    assert imported.read_text() == "1"  # thread, since NumPy asks when it is imported


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["0"], 0, ""),
        (["3"], 3, ""),
        (["-1"], 255, ""),
        (["exit", "None"], 0, ""),
        (["exit", "True"], 1, ""),
        (["exit", "''"], 1, "\n"),
        (["exit", "'not so'"], 1, "not so\n"),
        (["fail"], 1, "RuntimeError: no such thing\n"),
        (["kill"], 137, "private-experts: something killed this job; perhaps it needs more memory\n"),
    ],
)
def test_a_job_ends_as_a_process_of_its_own_would(
    running: Running, words: list[str], code: int, complaint: str
) -> None:
    ended, said, complained = running.run(*words)
    assert said.split() == " ".join(["imported", str(running.process.pid), str(running.folder), *words[1:]]).split()
    assert ended == code
    assert complained.endswith(complaint)
    assert bool(complained) == bool(complaint)


def test_ctrl_c_reaches_a_job(running: Running) -> None:
    job = running.start("wait")
    assert job.stdout
    assert job.stdout.readline().startswith("imported")
    os.killpg(job.pid, signal.SIGINT)
    _, complained = job.communicate(timeout=60)
    assert job.returncode
    assert "KeyboardInterrupt" in complained


@pytest.mark.parametrize("closed", [(), (0,), (0, 2)])
def test_a_job_ends_when_who_asked_for_it_is_killed(running: Running, closed: tuple[int, ...]) -> None:
    job = running.start("wait", closed=closed)
    assert job.stdout
    assert job.stdout.readline().startswith("imported")
    os.killpg(job.pid, signal.SIGKILL)
    # The fork had the other end of this pipe too: it ends when the fork does.
    assert job.communicate(timeout=60) == ("", "")


@pytest.mark.parametrize(
    "variables", [{"SLURM_JOB_ID": "7"}, {"CONDA_PREFIX": "/elsewhere"}, {"PYTHONPATH": "/elsewhere"}]
)
def test_a_job_of_another_place_is_a_process_of_its_own(running: Running, variables: dict[str, str]) -> None:
    assert running.run("0", **variables) == (0, "by itself\n", "")


def test_a_job_after_the_end_of_its_run_is_a_process_of_its_own(running: Running, tmp_path: Path) -> None:
    gone = str(tmp_path / "door")
    assert running.run("0", **{FUNCTION: function(gone)}) == (0, "by itself\n", "")
    with socket.socket(socket.AF_UNIX) as door:  # nobody listens: the server was killed
        door.bind(gone)
    assert running.run("0", **{FUNCTION: function(gone)}) == (0, "by itself\n", "")


def test_a_job_ends_when_who_asked_for_it_is_killed_before_it_hears_anything(running: Running) -> None:
    read, write = os.pipe()
    with socket.socket(socket.AF_UNIX) as line, open(read) as said:  # noqa: PTH123 (a pipe has no path)
        line.connect(running.address)
        asked = {
            "folder": str(running.folder),
            "environment": running.environment,
            "words": ["private-experts", "wait"],
        }
        socket.send_fds(line, [b"?"], [write] * 3)
        line.sendall(json.dumps(asked).encode() + b"\n")
        os.close(write)
        assert said.readline().startswith("imported")
        line.close()  # which has a plus in it
        assert said.read() == ""


def test_a_job_that_cannot_be_begun_warm_is_a_process_of_its_own(running: Running, tmp_path: Path) -> None:
    address = str(tmp_path / "door")
    with socket.socket(socket.AF_UNIX) as door:  # the server is killed before it answers
        door.bind(address)
        door.listen()
        job = running.start("0", **{FUNCTION: function(address)})
        door.accept()[0].close()
        assert job.communicate(timeout=60) == ("by itself\n", "")


def test_a_job_does_not_import_from_the_folder_of_the_run(running: Running) -> None:
    """As a command on the path does not."""
    assert running.run("path")[2] == f"{running.folder}\n"  # PYTHONPATH, which the server has too


def test_without_a_place_for_its_door_a_server_ends_in_silence(tmp_path: Path) -> None:
    address = tmp_path / ("long" * 30) / "door"
    done = subprocess.run([sys.executable, "-P", server.__file__, address], capture_output=True, check=True)
    assert done.stdout + done.stderr == b""


def test_a_job_whose_command_is_another_one_is_a_process_of_its_own(running: Running, tmp_path: Path) -> None:
    other = tmp_path / "private-experts"
    other.write_text("#!/bin/sh\necho the other one\n")
    other.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{running.environment['PATH']}"
    assert running.run("0", PATH=path) == (0, "the other one\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk")
def test_words_that_cannot_be_written_end_one_job_and_no_more(running: Running) -> None:
    script = 'private-experts unflushed > /dev/full; echo "code $?"; private-experts 0'
    done = subprocess.run(
        ["bash", "-c", script], env=running.environment, cwd=running.folder, capture_output=True, text=True
    )
    assert done.stdout.startswith(f"code 120\nimported {running.process.pid} ")
    assert "No space left" in done.stderr


def test_what_a_run_sets_for_its_jobs_makes_no_other_place(monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}/bin"
    ours = os.environ | {"PATH": path}
    set_for_it = {"OMP_NUM_THREADS": "4", "TMPDIR": "/elsewhere", "PRIVATE_EXPERTS_SOURCE": "x"}
    assert server.of_this_run(ours | set_for_it)
    monkeypatch.setenv("MPLBACKEND", "svg")
    assert not server.of_this_run(ours)
    assert server.of_this_run(ours | {"MPLBACKEND": "svg"})
    assert not server.of_this_run(ours | {"MPLBACKEND": "svg", "PATH": "/bin"})


def test_what_the_scripts_cannot_import_is_what_the_package_says() -> None:
    assert (server.PROGRAM, server.THREADS, server.INTERRUPTED) == (PROGRAM, cli.THREADS, ask.INTERRUPTED)
    assert server.SET_BY_US == ("PRIVATE_EXPERTS_", FUNCTION)
    assert {PROGRAM: cli.__name__} == server.PROGRAMS
    assert SOURCE_VARIABLE.startswith(server.SET_BY_US)
    assert OFFLINE_VARIABLE.startswith(server.SET_BY_US)
