"""One run at a time in a folder; a killed one leaves no lock, and no jobs on a cluster."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.workflow import run_lock

HOLDS = (
    "import sys, time; from private_experts.replication.workflow.run_lock import hold; "
    "from pathlib import Path; hold(Path(sys.argv[1])); print('held', flush=True); time.sleep(600)"
)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/\.snakemake: cannot be written \(Not a directory\)$"):
        run_lock.hold(tmp_path / "file/.snakemake")


def test_a_folder_is_locked_until_its_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lock, "PATIENCE", 0.0)
    folder = tmp_path / "results"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], stdout=subprocess.PIPE, text=True
    ) as other:
        try:
            assert other.stdout
            assert other.stdout.readline() == "held\n"
            elsewhere = tmp_path / "runs/elsewhere"
            run_lock.hold(elsewhere)
            message = rf"another run is under way in {folder} \(process {other.pid}\); wait for it to end"
            with pytest.raises(InputError, match=message):
                run_lock.hold(folder)
        finally:
            other.kill()
    monkeypatch.setattr(run_lock, "PATIENCE", 5.0)
    (folder / run_lock.LOCK).write_text("9" * 20)  # what held it may have had a longer number
    run_lock.hold(folder)
    assert (folder / run_lock.LOCK).read_text() == str(os.getpid())
    run_lock.hold(folder, elsewhere)  # what this process has it may ask for again


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a pretended queue, from which a pretended `scancel` takes lines."""
    queue, commands = tmp_path / "queue", tmp_path / "bin"
    commands.mkdir()
    for name, text in {
        "squeue": f'[ "$1" = --me ] && cat {queue}',
        "scancel": f'for job; do sed -i "/^$job|/d" {queue}; done',
    }.items():
        (commands / name).write_text(f"#!/bin/sh\n{text}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(commands), prepend=os.pathsep)
    return queue


def test_jobs_that_snakemake_submitted_from_this_folder_are_cancelled(
    queue: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, others = tmp_path / "here", f"8|{tmp_path}|rule_games\n9|{tmp_path}/here|mine\n"
    here.mkdir()
    queue.write_text(f"7|{here}|rule_games_wildcards_NM\n{others}6|{here}|rule_checks|a\n")
    run_lock.cancel_jobs(here)
    assert queue.read_text() == others
    assert (
        capsys.readouterr().err
        == "private-experts: cancelling 2 jobs that a killed run left on the cluster\n"
    )
    run_lock.cancel_jobs(here)
    assert capsys.readouterr().err == ""


def test_a_job_that_does_not_end_is_told(
    queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.write_text(f"7|{tmp_path}|rule_games\n")
    (tmp_path / "bin/scancel").write_text("#!/bin/sh\n")
    monkeypatch.setattr(run_lock, "ANSWER", 0.5)
    with pytest.raises(InputError, match="jobs 7 of a killed run do not end"):
        run_lock.cancel_jobs(tmp_path)


WATCHED = """import os, sys, time
from private_experts.replication.workflow import job_parent
if len(sys.argv) == 1:
    job_parent.mark()
    os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, __file__, "job"])
    time.sleep(600)
job_parent.end_with_run()
print(os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_a_job_ends_with_the_run_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(WATCHED)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        assert int(run.stdout.readline()) != run.pid
        os.kill(run.pid, signal.SIGKILL)
        assert run.stdout.read() == ""  # it is closed when the last of both has ended


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_a_job_whose_run_ended_before_it_began_ends_at_once_and_what_people_start_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = [sys.executable, "-m", "private_experts", "--version"]
    with subprocess.Popen(["true"]) as ended:
        pass
    killed, space = -signal.SIGKILL, Path("/proc/self/ns/pid").readlink()
    with subprocess.Popen(["true"]) as unasked:
        os.waitid(os.P_PID, unasked.pid, os.WEXITED | os.WNOWAIT)  # its exit code is there to be asked for
        for run, code in {
            f"{ended.pid} {space}": killed,
            f"{unasked.pid} {space}": killed,
            f"{os.getpid()} {space}": 0,
            f"{ended.pid} pid:[1]": 0,
            "": 0,
        }.items():
            monkeypatch.setenv("_PRIVATE_EXPERTS_RUN", run)
            assert subprocess.run(command, capture_output=True, check=False).returncode == code
