"""What the project shows to GitHub, pre-commit and those who cite it agrees with the project."""

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import private_experts

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
LONGER = [
    "tests/evidence",
    "tests/workflow",
    "tests/replication/report/page/test_browser.py",
    "tests/replication/report/page/test_firefox.py",
    "tests/replication/report/explorer/test_browser.py",
    "tests/replication/report/test_notebook.py",
    "tests/replication/report/test_typeset.py",
    "tests/replication/plotting/test_every_figure.py",
    "tests/replication/verify/test_kernels.py",
    "tests/test_makefile.py",
    "tests/test_tutorials.py",
    "tests/test_wheel.py",
    "tests/test_which.py",
]
HOW = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "--assert=plain"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _jobs(path: Path) -> dict[str, Any]:
    """Return the jobs of a workflow by name."""
    return dict(_read(path)["jobs"])


def _commands(job: dict[str, Any]) -> list[str]:
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_of_a_workflow_are_bounded_and_take_pinned_steps(path: Path) -> None:
    workflow = _read(path)
    assert workflow["permissions"]["contents"] == "read"
    assert {True} == {*workflow} & {True}  # "on", as YAML 1.1 reads it
    for name, job in workflow["jobs"].items():
        assert 0 < job["timeout-minutes"] <= 180, name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), name
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v0")), name


def test_workflows_name_make_targets_that_exist_and_programs_that_are_here() -> None:
    lines = [line for path in WORKFLOWS for job in _jobs(path).values() for line in _commands(job)]
    targets = {word for line in lines for word in re.findall(r"^make ([a-z-]+)", line)}
    assert {"lint", "test", "wheel", "site", "smoke", "reproduce"} <= targets <= TARGETS
    assert all((ROOT / line).is_file() for line in lines if line.startswith(".ci/"))


def test_what_needs_packages_of_the_second_lock_installs_them() -> None:
    assert "$(TOOLS): requirements-test.lock $(READY)" in MAKEFILE
    needed = dict(re.findall(r"^([a-z]+): \$\((\w+)\)", MAKEFILE, re.MULTILINE))
    tools = "bench docs evidence fuzz lint mutants orders power site test"
    assert " ".join(sorted(name for name, stamp in needed.items() if stamp == "TOOLS")) == tools
    assert {needed[name] for name in ("reproduce", "smoke", "paper", "plan")} == {"READY"}


def _pytest_calls(*words: str) -> list[list[str]]:
    """Return the words of the calls of pytest that make would give, but those that show failures again."""
    # which may run these tests
    outside = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    command = ["make", "-n", *words]
    output = subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, check=True).stdout
    lines = [line for line in output.splitlines() if "-m pytest" in line and "--order=" not in line]
    assert all(line.endswith("fi; exit 1; }") for line in lines)
    return [line.partition(" || ")[0].partition("-m pytest ")[2].split() for line in lines]


def test_make_evidence_runs_what_make_test_leaves_out_and_ci_leaves_out_nothing() -> None:
    test, evidence = _pytest_calls("test", "evidence")
    (everything,) = _pytest_calls("test", "LONGER=")
    assert test == [*(f"--ignore={path}" for path in LONGER), *HOW]
    assert evidence == [*LONGER, *HOW]
    assert everything == HOW
    settings = PYPROJECT["tool"]["pytest"]["ini_options"]
    assert settings["testpaths"] == ["tests"]
    assert settings["addopts"] == "--strict-markers --strict-config -ra"
    assert "norecursedirs" not in settings
    for path in (ROOT / "tests").rglob("conftest.py"):
        assert not re.search("collect_ignore|ignore_collect", path.read_text(encoding="utf-8")), path


def test_github_does_what_continuous_integration_does_on_every_python() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    here = re.findall(r"^(make [\w= ]+|\.ci/\w+)(?: #.*)?$", script, re.MULTILINE)
    jobs = _jobs(ROOT / ".github/workflows/ci.yml")
    there = {line for job in jobs.values() for line in _commands(job)}
    assert {"make lint", "make test LONGER="} <= {*here} <= there
    known = {*re.findall(r"Python :: (\d\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))}
    assert {*jobs["test"]["strategy"]["matrix"]["python"]} == known


def test_pre_commit_calls_locked_tools_that_make_lint_calls() -> None:
    (repository,) = _read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"  # nothing is fetched
    lint = MAKEFILE.partition("\nlint:")[2].partition("\n\n")[0]
    programs = {hook["entry"].split()[0] for hook in repository["hooks"]}
    assert {".venv/bin/ruff", ".venv/bin/mypy"} <= programs
    assert {Path(program).name for program in programs} <= {*re.findall(r"\$\(BIN\)/(\w+)", lint)}
    assert all(hook["language"] == "system" for hook in repository["hooks"])


def test_the_version_is_told_once_and_repeated_truly() -> None:
    version = private_experts.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    citation = _read(ROOT / "CITATION.cff")
    assert citation["version"] == version
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    changes = re.findall(r"^## \[(.+)\] - (.+)$", text, re.MULTILINE)
    assert changes[0] == (version, str(citation["date-released"]))
    numbers = [[int(part) for part in number.split(".")] for number, _ in changes]
    assert numbers == sorted(numbers, reverse=True)
    sections = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {*re.findall(r"^### (.+)$", text, re.MULTILINE)} <= sections
    assert PYPROJECT["project"]["dynamic"] == ["version"]
