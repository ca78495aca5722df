"""A run may be killed at any moment, on any number of cores: started again, it ends with the same bytes."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.workflow.conftest import (
    KEPT,
    LEDGER,
    REPRODUCE,
    SNAKEMAKE,
    Project,
    copy_project,
    copy_sources,
    digests,
    kill,
    until,
)

RESULTS = "results/smoke"

# Each is in the middle of a job: its log is open, and its output is not there yet.
MOMENTS: dict[str, Callable[[Project], bool]] = {
    "while reports are cleaned": lambda project: _under_way(project, "logs/panels", "hospital/{}/quality.csv"),
    "while RW-Meta plays": lambda project: _under_way(project, "logs/rw-meta", "games/{}/rw-meta.totals.csv"),
    "while tables are written": lambda project: _under_way(
        project, "logs/sensitivity", "paper/tables/sensitivity-{}.csv"
    ),
}


def _under_way(project: Project, logs: str, output: str) -> bool:
    results = project / RESULTS
    started = [log.stem for log in (results / logs).glob("*.log")]
    return any(
        not (results / output.format(name.replace("-NM", "/NM").replace("-VT", "/VT"))).exists() for name in started
    )


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def killed_and_resumed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """Return a project whose run was killed at all moments in turn, and what the last start said."""
    project = copy_sources(tmp_path_factory.mktemp("killed") / "project")
    for happened in MOMENTS.values():
        process = project.start(*REPRODUCE)
        until(lambda happened=happened: happened(project), process, project)  # type: ignore[misc]
        kill(process)
        assert not (project / RESULTS / "manifest.json").exists()
    done = project.run(*REPRODUCE)
    assert done.returncode == 0, done.stderr
    return project, done.stdout + done.stderr


def test_a_run_killed_three_times_ends_with_the_bytes_of_an_uninterrupted_one(
    killed_and_resumed: tuple[Project, str], finished: Path
) -> None:
    wanted = digests(finished)
    assert {Path(name).suffix for name in wanted} == {".csv", ".md", ".tex", ".svg", ".pdf", ".png"}
    assert digests(killed_and_resumed[0].root) == wanted


def test_a_resumed_run_keeps_what_was_finished_before(killed_and_resumed: tuple[Project, str]) -> None:
    said = killed_and_resumed[1]
    assert "(Rule: reports)" not in said
    assert "(Rule: panels)" not in said
    assert "(Rule: manifest)" in said


Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def on_one_core(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """Return a project in which Snakemake made three products and no more, on one core."""
    project = copy_sources(tmp_path_factory.mktemp("one-core") / "project")
    targets = [
        f"{RESULTS}/paper/{name}" for name in ("tables/table-2.csv", "tables/quality.csv", "figures/figure-2.svg")
    ]
    return project, project.run("-m", "snakemake", *targets, "--cores", "1", *SNAKEMAKE[2:])


def test_one_core_gives_the_bytes_of_all_cores(on_one_core: tuple[Project, Done], finished: Path) -> None:
    came, wanted = digests(on_one_core[0].root), digests(finished)
    assert {"games/study/NM/rw-meta.totals.csv", "paper/figures/figure-2.pdf", "paper/tables/table-2.md"} <= set(came)
    assert came == {name: wanted[name] for name in came}


def test_a_run_for_some_of_the_results_ends_well(on_one_core: tuple[Project, Done]) -> None:
    project, done = on_one_core
    assert not (project / RESULTS / "manifest.json").exists()
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def starts_during_a_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done]:
    """Return a start beside a run, and one after the run's own process was killed and its Snakemake was not."""
    project = copy_sources(tmp_path_factory.mktemp("twice") / "project")
    first = project.start(*REPRODUCE)
    try:
        until(lambda: any((project / ".snakemake/locks").glob("*")), first, project)
        second = project.run(*REPRODUCE)
        os.kill(first.pid, signal.SIGKILL)  # as the kernel does for its memory
        first.wait()
        third = project.run(*REPRODUCE)
    finally:
        kill(first)
    return second, third


def test_a_second_run_in_the_same_folder_is_refused_in_one_line(starts_during_a_run: tuple[Done, Done]) -> None:
    second, _ = starts_during_a_run
    assert second.returncode == 2
    assert second.stdout == ""
    assert len(_lines(second.stderr)) == 1
    assert "another run is under way" in second.stderr


def test_a_run_is_refused_while_the_snakemake_of_a_killed_one_still_works(
    starts_during_a_run: tuple[Done, Done],
) -> None:
    _, third = starts_during_a_run
    assert third.returncode == 2
    assert "another run is under way" in third.stderr


def test_ctrl_c_ends_a_run_with_one_line_of_ours_and_no_traceback(tmp_path: Path) -> None:
    project = copy_sources(tmp_path / "project")
    process = project.start(*REPRODUCE)
    try:
        until(lambda: MOMENTS["while RW-Meta plays"](project), process, project)
        os.killpg(process.pid, signal.SIGINT)
        code = process.wait(timeout=60)
    finally:
        kill(process)
    said = (project / "said.txt").read_text()
    assert code == 130
    assert "Traceback" not in said
    assert _lines(said)[-1].startswith("private-experts: stopped")
    assert not any((project / ".snakemake/locks").glob("*"))


def test_a_run_with_nothing_to_do_says_so_and_ends_with_the_summary(project: Project) -> None:
    done = project.run(*REPRODUCE)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout + done.stderr
    beginnings = [line.partition(":")[0] for line in _lines(done.stdout) if not line.startswith(" ")]
    assert beginnings[-6:] == ["Data", "Ledger", "Figures", "Tables", "Claims", "Time"]


def test_the_summary_names_what_the_manifest_lists(project: Project) -> None:
    said = project.run(
        "-c", "from private_experts.cli import main; main()", "summary", "--manifest", f"{RESULTS}/manifest.json"
    )
    assert said.returncode == 0, said.stderr
    manifest = json.loads((project / RESULTS / "manifest.json").read_text())
    for output in map(Path, manifest["outputs"]):
        assert str(output.parent) in said.stdout
        assert output.stem in said.stdout


@pytest.fixture(scope="module")
def surprised(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """Return a project whose ledger expects a wrong verdict, and what its run said."""
    project = copy_project(finished, tmp_path_factory.mktemp("surprised") / "project")
    ledger = yaml.safe_load((project / LEDGER).read_text(encoding="utf-8"))
    assert ledger["claims"][0] | {"id": "000/tree-nodes", "expected": "holds"} == ledger["claims"][0]
    ledger["claims"][0]["expected"] = "fails"
    (project / LEDGER).write_text(yaml.safe_dump(ledger, sort_keys=False, width=1000), encoding="utf-8")
    return project, project.run(*REPRODUCE)


def test_a_verdict_otherwise_than_expected_ends_the_run_with_one_line(surprised: tuple[Project, Done]) -> None:
    _, done = surprised
    assert done.returncode not in (0, None)
    said = _lines(done.stdout + done.stderr)
    assert said[-1] == (
        "private-experts: claims: 1 came out otherwise than expected: 000/tree-nodes (holds, expected fails); "
        "see claims.md"
    )
    assert not any(each.lstrip().startswith(("File ", "Traceback")) for each in said)


def test_a_verdict_otherwise_than_expected_still_stands_in_the_ledger(surprised: tuple[Project, Done]) -> None:
    project, _ = surprised
    entries = {each["id"]: each for each in json.loads((project / RESULTS / "claims.json").read_text())["claims"]}
    assert entries.keys() == KEPT.keys()
    assert {name for name, entry in entries.items() if not entry["as_expected"]} >= {"000/tree-nodes"}
    shown = (project / RESULTS / "paper/claims.md").read_text(encoding="utf-8")
    assert "| **holds** (!) | fails |" in shown
    assert not (project / RESULTS / "verdicts.txt").exists()


@pytest.mark.parametrize(
    ("config", "line"),
    [
        pytest.param(
            {"repetitons": 3}, "config: unknown key 'repetitons'; did you mean 'repetitions'?", id="a misspelt key"
        ),
        pytest.param(
            {"hospital": {"source": "file"}},
            "hospital.source: file, but no file is given; set hospital.file or the variable HHS_FACILITY_CSV",
            id="a missing file",
        ),
    ],
)
def test_a_bad_config_ends_with_the_one_line_that_says_what_to_write(
    config: dict[str, object], line: str, project: Project, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(yaml.safe_dump(config))
    done = project.run(*REPRODUCE, str(bad))
    assert done.returncode not in (0, None)
    said = _lines(done.stdout + done.stderr)
    assert said[-1] == f"private-experts: {line}"
    assert not any(each.lstrip().startswith(("File ", "Traceback")) for each in said)
