"""What the plan says of a run, beside what Snakemake itself would do."""

import os
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.workflow import forks
from tests.workflow.conftest import ROOT, Asking, DryRun, Job, Project, edited
from tests.workflow.expected import AFTER_GAMES, LEARNED, PACKAGE, of
from tests.workflow.test_reruns_of_code import HARMLESS, REAL


def causes(output: str) -> list[str]:
    """Return what a plan says has changed."""
    first, *paragraphs = output.split("\n\n")
    assert first.endswith(" jobs would run.")
    assert paragraphs.pop().startswith("after others of these jobs\n")
    return [paragraph.partition("\n")[0] for paragraph in paragraphs]


def count(output: str) -> int:
    return int(output.partition(" ")[0])


def test_nothing_would_run_after_a_comment(project: Project, asking: Asking) -> None:
    file, edit = HARMLESS["a comment"]
    with edited(project / PACKAGE / file, edit):
        assert asking(project, "plan", ours=True) == "Nothing would run.\n"


def test_an_edit_is_told_by_its_definition_and_told_again(
    project: Project, asking: Asking, dry_run: DryRun, everything: set[Job]
) -> None:
    file, edit, follow = REAL["Decorrelation"]
    with edited(project / PACKAGE / file, edit):
        output, again = (asking(project, "plan", ours=True) for _ in range(2))
        redone = dry_run(project)
    assert redone == of(everything, follow)
    assert causes(output) == ["private_experts.algorithms.decorrelation:Decorrelation changed"]
    assert count(output) == len(redone - {Job("all")})
    assert again == output


def test_a_changed_key_is_told_and_a_new_version_for_another_system_is_not(
    project: Project, asking: Asking, everything: set[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = asking(project, "plan", config={"learners": {"windows": [8, 16]}}, ours=True)
    assert count(output) == len(of(everything, LEARNED | AFTER_GAMES) - {Job("all")})
    assert causes(output) == ["its keys of the config, or its claims, changed"]
    lock = project / "requirements.lock"
    pin = re.search(r"^appnope==(\S+)", lock.read_text(), re.MULTILINE)
    assert pin
    with edited(lock, f"{pin[0]}«→.post1»"):  # of another system: nothing here rests on it
        assert asking(project, "plan", ours=True) == "Nothing would run.\n"


def test_a_package_that_the_lock_did_not_have_is_told(
    project: Project, asking: Asking, everything: set[Job]
) -> None:
    """Other versions than the installed ones are refused, so it is one that only tests need."""
    now = version("pytest")
    with edited(project / "requirements.lock", f"«→pytest=={now}\n»appnope=="):
        output = asking(project, "plan", ours=True)
    assert causes(output) == [f"package pytest: none -> {now}"]
    assert count(output) == len(everything - {Job("all")})


def test_a_key_that_appears_twice_ends_a_plain_snakemake_too(tmp_path: Path) -> None:
    # Snakemake itself takes the last.
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "twice.yaml").write_text("seed: 1\nseed: 2\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = ["-n", "-s", str(ROOT / "Snakefile"), "--configfile", "config/smoke.yaml", "twice.yaml"]
    done = forks.run(tmp_path, environment, *words)
    assert done.returncode
    assert "twice.yaml: is not valid YAML (key 'seed' appears twice" in done.stderr
