"""Run a small study on this machine's Slurm, disturb it, and compare every byte with an undisturbed run.

1. A copy of the project makes the study locally.
2. Another copy makes it on the cluster. One of its jobs is killed on the node; Snakemake starts it again.
   Then all of the main process is killed, while the node goes on.
3. The same command is given once more. It cancels what was left on the cluster, and goes on to the end.

Every file of results and products must have the same bytes then, except for those that say when and where a
run was.
"""

import argparse
import hashlib
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.cluster.loopback import Cluster, MissingError
from tests.workflow.conftest import NEEDED, ROOT, Project, copy_files, copy_sources, kill, until

SUFFIXES = "src/private_experts/replication/plotting/suffixes.py"
SMOKE, SMALLER = ("config/smoke.yaml",), ("config/smoke.yaml", "config/smaller.yaml")
RESULTS = "results/smoke"
RUN = ("-m", "private_experts.replication.workflow.reproduce", "--results", RESULTS)
SLURM = (
    "--profile",
    "profiles/slurm",
    "--slurm-status-command",
    "squeue",
    "--slurm-init-seconds-before-status-checks",
    "2",
    "--latency-wait",
    "10",
)
# What says when, where or how long, or belongs to the plan of the run.
OWN = {"manifest.json", "index.html", ".lock"}
APART = ("logs", "code")
BOUND = 3600.0  # seconds for any one step


def main() -> int:
    """Do all that, and return 0 when every file agrees, 1 when not, 77 when Slurm cannot be had here."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=main.__doc__)
    parser.add_argument(
        "--small", action="store_true", help="a study of few claims and choices, in a third of the time"
    )
    small = parser.parse_args().small
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="test-slurm-") as folder:
        home = Path(folder)
        make, configs = (copy_sources, SMALLER) if small else (_copy, SMOKE)
        words = (*RUN, "--configfile", *configs)
        # now: somebody may edit the project meanwhile
        remote, local = make(home / "cluster"), make(home / "local")
        try:
            with Cluster(ROOT / "build/slurm") as cluster:
                say(started, "the cluster is up")
                remote.environment = cluster.variables(remote.environment)
                disturb(remote, cluster, words, started)
                finish(remote, (*words, *SLURM))
                say(started, "the study is finished on the cluster")
        except MissingError as missing:
            print(f"make test-slurm: {missing}", file=sys.stderr)
            return 77
        finish(local, words)
        say(started, "the study is finished locally")
        wanted, came = (sums(project / RESULTS) for project in (local, remote))
    differ = sorted(name for name in wanted.keys() | came.keys() if wanted.get(name) != came.get(name))
    say(started, f"{len(wanted) - len(differ)} of {len(wanted)} files have the same bytes")
    print("\n".join(f"  differs: {name}" for name in differ))
    return int(bool(differ) or not wanted)


def say(started: float, text: str) -> None:
    """Say what was done, with the seconds since the beginning."""
    print(f"{time.monotonic() - started:6.0f} s  {text}", flush=True)


def _copy(target: Path) -> Project:
    copy_files(target, (*NEEDED, "paper/replication.py"))
    shutil.copy2(ROOT / SUFFIXES, target / SUFFIXES)  # the notebook shows figures of all formats
    return Project(target)


def finish(project: Project, words: tuple[str, ...]) -> None:
    """Let a run end, which must be well."""
    process = project.start(*words)
    try:
        code = process.wait(BOUND)
    finally:
        kill(process)
    if code:
        raise SystemExit(f"a run ended with {code}:\n{run_output(project)}")


def disturb(project: Project, cluster: Cluster, words: tuple[str, ...], started: float) -> None:
    """Run on the cluster; kill a job in its middle, then the main process in the middle of others."""
    process = project.start(*words, *SLURM)
    try:
        victim = until(lambda: next(iter(_stages(project)), None), process, project, BOUND)
        os.kill(victim, signal.SIGKILL)
        say(started, "a job was killed on the node")
        until(lambda: "Trying to restart job" in run_output(project), process, project, BOUND)
        say(started, "its run noticed, and starts it again")
        until(lambda: _stages(project), process, project, BOUND)
    finally:
        kill(process)
    left = cluster.ask("squeue", "-h", "-o", "%A").split()
    if not left:
        raise SystemExit("no job was left on the cluster: nothing was disturbed")
    say(started, f"the main process was killed, and left {len(left)} jobs on the cluster")
    (project / "said.txt").unlink()
    again = project.start(*words, *SLURM)
    try:
        until(
            lambda: "jobs that a killed run left on the cluster" in run_output(project), again, project, BOUND
        )
        until(lambda: not {*left} & {*cluster.ask("squeue", "-h", "-o", "%A").split()}, again, project, BOUND)
        say(started, "a new run cancelled them")
        os.killpg(again.pid, signal.SIGINT)  # as Ctrl-C: this one takes its own jobs back
        again.wait(120)
        until(lambda: not cluster.ask("squeue", "-h").strip(), None, project, BOUND)
        say(started, "a run that is stopped leaves no job")
    finally:
        kill(again)


def run_output(project: Project) -> str:
    """Return what the last run has said."""
    path = project / "said.txt"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _stages(project: Project) -> list[int]:
    """Return ids of processes of a project's stages that Slurm runs: not its main process's children."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (path / "cmdline").read_text().split("\0")
            ours = (path / "cwd").readlink() == project.root
            stage = len(words) > 2 and Path(words[1]).name == "private-experts"
            if ours and stage and "SLURM_JOB_ID=" in (path / "environ").read_text(errors="replace"):
                found.append(int(path.name))
    return found


def sums(results: Path) -> dict[str, str]:
    """Return SHA-256 of each file in a folder of results that does not tell when or where it was made."""
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.is_file()
        and path.name not in OWN
        and (name := str(path.relative_to(results))).partition("/")[0] not in APART
    }


if __name__ == "__main__":
    sys.exit(main())
