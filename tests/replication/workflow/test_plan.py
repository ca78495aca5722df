"""A plan names what changed, from what Snakemake says in a dry run and from the stamps."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from private_experts.replication.workflow import plan

ROOT = Path(__file__).parents[3]
# What a reader's make runs before the code of this project, and of it; not what developers run.
RUNS = re.findall(
    r"(?:python|\(PYTHON\)|each) ((?:-P )?)-(?:m (?:private_experts|pip|venv)|c '\$\(FITS)",
    (ROOT / "Makefile").read_text(),
)
CODE = "results/code/players.bold.txt"
BEFORE = "numpy 2.1.0\ntoy.players:bold 1\ntoy.players:shy 1\ntoy.rules:best 1\n"
AFTER = "    reason: Input files updated by another job: results/bold.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan._of_stamp.cache_clear()
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "config", "config")
    Path(CODE).parent.mkdir(parents=True)
    Path("results/definitions.txt").write_text(BEFORE)


def job(rule: str, reason: str, wildcards: str = "") -> str:
    planned = f"    wildcards: {wildcards}\n" if wildcards else ""
    return (
        f"\n[Fri Nov 27 15:12:55 2026]\nrule {rule}:\n    input: a\n{reason}\n{planned}    resources: "
        "tmpdir=/tmp\n"
    )


Planned = Callable[..., list[str]]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Planned:
    """Return a function: the plan after a dry run that says so."""

    def lines(*output: str) -> list[str]:
        monkeypatch.setattr(plan, "_dry_run", lambda words: "".join(output))
        return plan.plan_lines()

    return lines


def of_code(*lines: str, path: str = CODE) -> str:
    """Write a stamp, and return the reason that Snakemake gives for a job that reads it."""
    Path(path).write_text("".join(f"{line}\n" for line in lines))
    return f"    reason: Updated input files: {path}"


def test_a_dry_run_that_fails_ends_the_plan_with_its_own_words(capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(ROOT / "requirements.lock", ".")
    with pytest.raises(SystemExit) as end:
        plan._dry_run([sys.executable, "-c", "import sys; print('why', file=sys.stderr); sys.exit(3)"])
    assert (end.value.code, capfd.readouterr().err) == (3, "why\n")


def test_a_file_in_the_folder_hides_no_module_of_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(plan, "_dry_run", lambda words: asked.extend(words) or "")
    plan.plan_lines()
    Path("random.py").write_text("raise SystemExit('hidden')\n")
    assert len(RUNS) == 8
    for words in (asked[1 : asked.index("-m")], *map(str.split, RUNS)):
        subprocess.run([sys.executable, *words, "-c", "import random"], check=True)


def test_jobs_are_told_by_what_changed_and_those_that_follow_at_the_end(planned: Planned) -> None:
    edited = of_code("toy.players:bold 1", "toy.rules:best 2")
    output = planned(
        job("games", edited, "scenario=study, part=main, algorithm=bold"),
        job("games", edited, "scenario=removal, part=main, algorithm=bold"),
        job("table", AFTER),
        job("checks_p000_1", edited),
        job("all", AFTER),
    )
    assert output == [
        "4 jobs would run.",
        "",
        "toy.rules:best changed",
        "    checks: p000_1",
        "    games: removal/main/bold, study/main/bold",
        "",
        "after others of these jobs",
        "    table",
    ]


def test_each_reason_is_told_in_words(planned: Planned) -> None:
    """A definition that changed explains those that it calls now."""
    for reason, *lines in (
        (of_code("toy.players:bold 2", "toy.rules:worst 1"), "toy.players:bold changed", "    games"),
        (
            of_code("mpmath 1.0", "numpy 2.1.1", path="results/code/packages.txt") + ", data.csv",
            *("package mpmath: none -> 1.0", "    games", ""),
            *("package numpy: 2.1.0 -> 2.1.1", "    games", "", "file data.csv changed", "    games"),
        ),
        (
            "    reason: Params have changed since last execution: before: ['--seed=1'] now: ['--seed=2']",
            *("its keys of the config, or its claims, changed", "    games"),
        ),
        ("    reason: Missing output files: results/bold.csv", "never made, or removed", "    games"),
    ):
        assert planned(job("games", reason))[2:] == lines
    assert planned("Nothing to be done.") == ["Nothing would run."]


def test_what_changed_before_any_complete_run_is_told_by_its_stamp_and_many_jobs_are_counted(
    planned: Planned,
) -> None:
    edited = of_code("toy.players:bold 2")
    Path("results/definitions.txt").unlink()
    lines = planned(*(job("games", edited, f"algorithm={number}") for number in range(8)))
    assert lines[2:] == ["code of players.bold", "    games: 0, 1, 2, 3, 4 and 3 more"]
