"""A run may be killed at any moment, on any number of cores: started again, it ends with the same bytes.

The run that it is compared with (`finished`) had one core and no disturbance. The disturbed one has all cores
and makes some of the results.
"""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.workflow.job_parent import VARIABLE
from tests.workflow import forks
from tests.workflow.conftest import (
    KEPT,
    LEDGER,
    PRODUCTS,
    REPRODUCE,
    SNAKEMAKE,
    Project,
    before_any_run,
    copy_project,
    digests,
    kill,
    until,
)

RESULTS = "results/smoke"
SOME = [f"paper/{name}" for name in ("figures/figure-2.svg", "facts.tex")]
SOME += [f"paper/tables/sensitivity-{choice}.csv" for choice in ("suppression", "learner-family")]
REPRODUCE_SOME = (*REPRODUCE[:2], *(f"{RESULTS}/{name}" for name in SOME), *REPRODUCE[2:])

Done = subprocess.CompletedProcess[str]


def _under_way(project: Project, logs: str, output: str) -> list[Path]:
    """Return what jobs of a kind are making now: the log is open, and the output is not there."""
    results = project / RESULTS
    started = [log.stem.replace("-NM", "/NM").replace("-VT", "/VT") for log in (results / logs).glob("*.log")]
    return [path for name in started if not (path := results / output.format(name)).exists()]


def _noted(project: Project) -> list[str]:
    """Return the files that a killed run was making, by Snakemake's notes."""
    return [urlsafe_b64decode(note.name).decode() for note in (project / ".snakemake/incomplete").iterdir()]


def _halve(project: Project) -> list[Path]:
    """Write half of each file that a killed run was making, and return them.

    Ours write whole files or none. A disk that failed may leave half of one, and so may other programs.
    """
    halves = [path for note in _noted(project) if not (path := project / note).exists()]
    for half in halves:
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_text("state,")
    return halves


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _stopped(project: Project, *job: str) -> tuple[int, str]:
    """Start a run, press Ctrl-C while a job is under way, and return its exit code and its words."""
    process = project.start(*REPRODUCE_SOME)
    try:
        until(lambda: _under_way(project, *job), process, project)
        os.killpg(process.pid, signal.SIGINT)
        code = process.wait(timeout=60)
    finally:
        kill(process)
    assert not any((project / ".snakemake/locks").glob("*"))
    return code, (project / "said.txt").read_text()


# Starts beside a run, which do not wait for the other to die.
IMPATIENT = """import sys
from snakemake.cli import main
from private_experts.replication.workflow import reproduce, run_lock
run_lock.PATIENCE = 0.1
sys.exit({}(sys.argv[1:]))
"""


def _started_twice(project: Project, *job: str) -> tuple[Done, Done]:
    """Return a start beside a run, and what plain Snakemake says there.

    The run and all it started are killed in the end, while a job is under way, which leaves half of a file.
    """
    first = project.start(*REPRODUCE_SOME)
    try:
        until(lambda: (project / ".snakemake/.lock").read_text() == str(first.pid), first, project)
        os.killpg(first.pid, signal.SIGSTOP)  # so that it does not end meanwhile
        second = project.run("-c", IMPATIENT.format("reproduce.main"), *REPRODUCE_SOME[2:])
        plain = project.run("-c", IMPATIENT.format("main"), "--list-rules", *SNAKEMAKE[2:])
        os.killpg(first.pid, signal.SIGCONT)
        until(lambda: _under_way(project, *job), first, project)
    finally:
        kill(first)
    assert _halve(project)
    return second, plain


class Troubles(NamedTuple):
    """What the starts of a run said that was disturbed in every way in turn, and then let run to its end."""

    project: Project
    after_ctrl_c: tuple[int, str]
    beside_a_run: Done
    plain_beside_a_run: Done
    last: Done


@pytest.fixture(scope="module")
def troubles(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Troubles:
    """Return a project that was stopped, started twice and killed, one after the other."""
    project = before_any_run(tmp_path_factory.mktemp("troubles") / "project", finished)
    stopped = _stopped(project, "logs/panels", "hospital/{}/quality.csv")
    twice = _started_twice(project, "logs/games/study/main", "games/study/main/{}.totals.csv")
    done = project.run(*REPRODUCE_SOME)
    assert done.returncode == 0, done.stderr
    return Troubles(project, stopped, *twice, done)


def test_a_run_disturbed_in_every_way_on_all_cores_ends_with_the_bytes_of_an_undisturbed_one_on_one_core(
    troubles: Troubles, finished: Path
) -> None:
    came, wanted = digests(troubles.project.root), digests(finished)
    assert {Path(name).suffix for name in wanted} == PRODUCTS
    assert {*SOME} <= came.keys()
    assert came.keys() <= wanted.keys()
    other = [troubles.project / RESULTS / name for name in came if came[name] != wanted[name]]
    # CI shows what a message says alone
    assert not other, {path.name: path.read_text()[:99] for path in other}


def test_a_resumed_run_keeps_what_was_finished_before(troubles: Troubles) -> None:
    log = max(
        (troubles.project / ".snakemake/log").iterdir(), key=lambda path: path.stat().st_mtime
    ).read_text()
    assert "rule sensitivity:" in log
    assert "rule reports:" not in log
    assert "rule panels:" not in log


def test_a_run_says_in_plain_lines_how_far_it_is(troubles: Troubles) -> None:
    lines = troubles.last.stderr
    done = [
        (int(done), int(total)) for done, total in re.findall(r"^(\d+) of (\d+) jobs, ", lines, re.MULTILINE)
    ]
    assert done == sorted(done)
    assert len(done) > 3
    assert done[-1][0] == done[-1][1]
    assert "\r" not in lines
    assert "\x1b" not in lines


def test_a_second_run_in_the_same_folder_is_refused_in_one_line(troubles: Troubles) -> None:
    second = troubles.beside_a_run
    assert second.returncode == 2
    assert second.stdout == ""
    assert len(_lines(second.stderr)) == 1
    assert "another run is under way" in second.stderr


def test_plain_snakemake_is_refused_beside_a_run(troubles: Troubles) -> None:
    assert troubles.plain_beside_a_run.returncode == 2
    assert "another run is under way" in _lines(troubles.plain_beside_a_run.stderr)[-1]


@pytest.mark.parametrize("name", ["results", "paper"])
def test_a_folder_that_another_clone_writes_to_is_refused(
    name: str, project: Project, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    config = tmp_path / "shared.yaml"
    config.write_text(yaml.safe_dump({"pathvars": {name: str(shared)}}))
    with (shared / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = project.run("-c", IMPATIENT.format("main"), "-n", *SNAKEMAKE[2:], str(config))
    assert done.returncode == 2
    assert f"another run is under way in {shared}" in _lines(done.stderr)[-1]


def _jobs_of(run: int) -> set[int]:
    """Return the processes that a run has started, by what their environment says."""
    mark, found = f"\0{VARIABLE}={run} ".encode(), set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if mark in (process / "environ").read_bytes():
                found.add(int(process.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_jobs_do_not_outlive_a_snakemake_that_was_killed_alone_and_are_noted(
    finished: Path, tmp_path: Path
) -> None:
    """They would write over what the next run makes. What they made before would never be made again."""
    project = before_any_run(tmp_path / "project", finished)
    target = f"{RESULTS}/readings/weekly.csv"
    process = project.start(*REPRODUCE[:2], target, *REPRODUCE[2:])
    try:
        until(lambda: (project / RESULTS / "logs/readings-played.log").exists(), process, project)
        until(lambda: target in _noted(project) and _jobs_of(process.pid), process, project)
        process.kill()
        process.wait()
        until(lambda: not _jobs_of(process.pid), None, project)
    finally:
        kill(process)
    assert not (project / target).exists()
    assert target in _noted(project)


def test_a_job_on_a_cluster_leaves_its_note_to_the_main_process(finished: Path, tmp_path: Path) -> None:
    project, reports = before_any_run(tmp_path / "project", finished), f"{RESULTS}/hospital/reports.csv"
    note = project / ".snakemake/incomplete" / urlsafe_b64encode(reports.encode()).decode()
    note.parent.mkdir(parents=True)
    note.touch()
    profile = load_yaml((project / "profiles/slurm/config.yaml").read_text())
    words = (reports, "--mode", "remote", "--cores", "1", "--shared-fs-usage", *profile["shared-fs-usage"])
    done = forks.run(project.root, project.environment, *words, *SNAKEMAKE[2:])
    assert done.returncode == 0, done.stderr
    assert (project / reports).exists()
    assert reports in _noted(project)


def test_ctrl_c_ends_a_run_with_one_line_of_ours_and_no_traceback(troubles: Troubles) -> None:
    code, lines = troubles.after_ctrl_c
    assert code == 130
    assert "Traceback" not in lines
    assert "Error in" not in lines
    assert _lines(lines)[-1].startswith("private-experts: stopped")


def test_a_run_for_some_of_the_results_ends_well(finished: Path, tmp_path: Path) -> None:
    """What tells of the whole run at its end has nothing to tell of yet."""
    project = before_any_run(tmp_path / "project", finished)
    done = project.fork(f"{RESULTS}/claims/000/tree-nodes.csv", *SNAKEMAKE[2:])
    assert done.returncode == 0, done.stderr
    assert (project / RESULTS / "claims/000/tree-nodes.csv").exists()
    assert not (project / RESULTS / "manifest.json").exists()


def test_a_run_with_nothing_to_do_says_so_and_ends_with_the_summary(project: Project) -> None:
    done = project.run(*REPRODUCE)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout + done.stderr
    beginnings = [line.partition(":")[0] for line in _lines(done.stdout) if not line.startswith(" ")]
    lines = ["Page", "Data", "Code", "Claims", "Tables", "Time"]  # of no repository
    assert beginnings[-len(lines) :] == lines


@pytest.fixture(scope="module")
def surprised(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """Return a project whose ledger expects a wrong verdict, and what a run up to the verdicts said."""
    project = copy_project(finished, tmp_path_factory.mktemp("surprised") / "project")
    ledger = load_yaml((project / LEDGER).read_text(encoding="utf-8"))
    assert ledger["claims"][0] | {"id": "000/tree-nodes", "expected": "holds"} == ledger["claims"][0]
    ledger["claims"][0]["expected"] = "fails"
    (project / LEDGER).write_text(yaml.safe_dump(ledger, sort_keys=False, width=1000), encoding="utf-8")
    return project, project.run(*REPRODUCE[:2], f"{RESULTS}/verdicts.txt", *REPRODUCE[2:])


def test_a_verdict_otherwise_than_expected_ends_the_run_with_one_line(
    surprised: tuple[Project, Done],
) -> None:
    _, done = surprised
    assert done.returncode not in (0, None)
    lines = _lines(done.stdout + done.stderr)
    assert lines[-1] == (
        "private-experts: claims: 1 did not come out as expected: 000/tree-nodes (holds, expected fails); "
        "see claims.md"
    )
    assert not any(line.lstrip().startswith(("File ", "Traceback")) for line in lines)


def test_a_verdict_otherwise_than_expected_still_stands_in_the_ledger(
    surprised: tuple[Project, Done],
) -> None:
    project, _ = surprised
    entries = {
        claim["id"]: claim for claim in json.loads((project / RESULTS / "claims.json").read_text())["claims"]
    }
    assert entries.keys() == KEPT.keys()
    assert {name for name, entry in entries.items() if not entry["as_expected"]} >= {"000/tree-nodes"}
    shown = (project / RESULTS / "paper/claims.md").read_text(encoding="utf-8")
    assert "| **holds** (!) | fails |" in shown
    assert not (project / RESULTS / "verdicts.txt").exists()


def _bad_config_says(config: dict[str, object], tmp_path: Path, run: Callable[..., Done]) -> str:
    """Return the last line that a run with a config says, which ends without a traceback."""
    bad = tmp_path / "bad.yaml"
    bad.write_text(yaml.safe_dump(config))
    done = run(str(bad))
    assert done.returncode not in (0, None)
    lines = _lines(done.stdout + done.stderr)
    assert not any(line.lstrip().startswith(("File ", "Traceback")) for line in lines)
    return lines[-1]


def test_a_misspelt_key_ends_the_run_with_the_one_line_that_says_what_to_write(
    project: Project, tmp_path: Path
) -> None:
    lines = _bad_config_says({"repetitons": 3}, tmp_path, lambda config: project.run(*REPRODUCE, config))
    assert lines == "private-experts: config: unknown key 'repetitons'; did you mean 'repetitions'?"


def test_a_missing_file_ends_snakemake_with_the_one_line_that_says_what_to_write(
    project: Project, tmp_path: Path
) -> None:
    config = {"hospital": {"data": "a b/absent.csv"}}
    lines = _bad_config_says(config, tmp_path, lambda config: project.fork(*SNAKEMAKE[2:], config))
    assert lines.startswith(
        "private-experts: a b/absent.csv: no such file; hospital.data (DATA=...) is pinned, "
    )
