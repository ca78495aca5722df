"""A plan names what changed, from what Snakemake says in a dry run and from the stamps."""

import re
import shutil
import subprocess
import sys
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


@pytest.fixture(autouse=True)
def fresh() -> None:
    plan._of_stamp.cache_clear()


def planned(monkeypatch: pytest.MonkeyPatch, output: str) -> list[str]:
    monkeypatch.setattr(plan, "_dry_run", lambda words: output)
    return plan.plan_lines()


def of_code(*lines: str, path: str = CODE) -> str:
    """Write a stamp, and return the reason that Snakemake gives for a job that reads it."""
    Path(path).write_text("".join(f"{line}\n" for line in lines))
    return f"    reason: Updated input files: {path}"


def test_nothing_to_do_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planned(monkeypatch, "Nothing to be done.") == ["Nothing would run."]


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


def test_jobs_are_told_by_what_changed_and_those_that_follow_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edited = of_code("toy.players:bold 1", "toy.rules:best 2")
    output = planned(
        monkeypatch,
        job("games", edited, "scenario=study, part=main, algorithm=bold")
        + job("games", edited, "scenario=removal, part=main, algorithm=bold")
        + job("table", AFTER)
        + job("checks_p000_1", edited)
        + job("all", AFTER),
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


def test_a_definition_that_changed_explains_those_that_it_calls_now(monkeypatch: pytest.MonkeyPatch) -> None:
    edited = of_code("toy.players:bold 2", "toy.rules:worst 1")
    assert planned(monkeypatch, job("games", edited))[2:] == ["toy.players:bold changed", "    games"]


def test_what_changed_before_any_complete_run_is_told_by_its_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    edited = of_code("toy.players:bold 2")
    Path("results/definitions.txt").unlink()
    assert planned(monkeypatch, job("games", edited))[2:] == ["code of players.bold", "    games"]


def test_packages_and_files_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = of_code("mpmath 1.0", "numpy 2.1.1", path="results/code/packages.txt")
    output = planned(monkeypatch, job("games", f"{other}, data.csv"))
    assert output[2::3] == [
        "package mpmath: none -> 1.0",
        "package numpy: 2.1.0 -> 2.1.1",
        "file data.csv changed",
    ]


def test_other_settings_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    params = "    reason: Params have changed since last execution: before: ['--seed=1'] now: ['--seed=2']"
    output = planned(monkeypatch, job("games", params))
    assert output[2:] == ["its keys of the config, or its claims, changed", "    games"]


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    output = planned(monkeypatch, job("games", "    reason: Missing output files: results/bold.csv"))
    assert output[2:] == ["never made, or removed", "    games"]


def test_many_jobs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    edited = of_code("toy.players:bold 2")
    output = planned(monkeypatch, "".join(job("games", edited, f"algorithm={number}") for number in range(8)))
    assert output[-1] == "    games: 0, 1, 2, 3, 4 and 3 more"
