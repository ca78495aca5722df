"""Files that say the same thing in two places say the same."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.workflow.conftest import ROOT, DryRun, Project, copy_project

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PINS = [Requirement(line.rstrip("\\ ")) for line in LOCK.splitlines() if line[:1].isalnum()]


def _requirements(words: list[str]) -> dict[str, SpecifierSet]:
    return {canonicalize_name(each.name): each.specifier for each in map(Requirement, words)}


def test_conda_users_get_what_pyproject_asks_for() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    words = [each for each in environment["dependencies"] if isinstance(each, str) and each != "pip"]
    asked = PYPROJECT["dependencies"] + PYPROJECT["optional-dependencies"]["workflow"]
    assert _requirements(words) == _requirements([*asked, f"python{PYPROJECT['requires-python']}"])
    assert environment["dependencies"][-1] == {"pip": ["-e ."]}


def test_the_lock_pins_every_package_to_one_version_with_hashes() -> None:
    entries = re.split(r"^(?=[\w.])", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) == len(PINS) > 50
    for entry in entries:
        assert re.match(r"[\w.\[\],-]+==[\w.!+]+( ; [^\\]+)? \\\n", entry), entry
        assert re.search(r"^    --hash=sha256:[0-9a-f]{64}", entry, re.MULTILINE), entry


def test_the_lock_names_no_address() -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host| @ ", LOCK)


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_the_lock_satisfies_pyproject_on_python(python: str) -> None:
    here = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    here |= {
        "platform_system": "Linux",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "implementation_name": "cpython",
    }
    locked = {
        canonicalize_name(pin.name): next(iter(pin.specifier)).version
        for pin in PINS
        if pin.marker is None or pin.marker.evaluate(here)
    }
    extras = PYPROJECT["optional-dependencies"]
    for each in map(Requirement, [*PYPROJECT["dependencies"], *(word for extra in extras.values() for word in extra)]):
        assert each.specifier.contains(locked[canonicalize_name(each.name)]), each


def test_the_lock_is_for_every_python_that_pyproject_admits() -> None:
    assert SpecifierSet(PYPROJECT["requires-python"]) == SpecifierSet(">=3.11,<3.14")


def test_the_default_profile_is_found(project: Project, dry_run: DryRun, tmp_path: Path) -> None:
    assert (ROOT / "profiles/default/config.yaml").resolve() == ROOT / "workflow/profiles/default/config.yaml"
    # A copy's profile forbids to compare contents, so a touched file counts as changed exactly when it is read.
    copy = copy_project(project.root, tmp_path / "copy")
    os.utime(copy / "results/smoke/hospital/reports.csv")
    assert dry_run(copy) == set()
    profile = copy / "workflow/profiles/default/config.yaml"
    profile.write_text(profile.read_text(encoding="utf-8").replace("2GB", "0"))
    assert dry_run(copy) != set()


def test_the_default_profile_holds_what_resuming_and_reruns_need() -> None:
    profile = yaml.safe_load((ROOT / "workflow/profiles/default/config.yaml").read_text(encoding="utf-8"))
    assert profile["rerun-incomplete"] is True
    assert profile["max-checksum-file-size"] == "2GB"  # the full export of hospital reports has a few hundred MB
    assert "rerun-triggers" not in profile
    assert not profile.get("keep-incomplete")


def test_continuous_integration_can_be_run() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


def test_every_make_command_that_a_document_names_exists() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), ROOT / ".ci/run"]
    command = re.compile(r"(?:^|`|[A-Z_]+=\S+ )make ([a-z]+)", re.MULTILINE)
    named = {target for path in documents for target in command.findall(path.read_text(encoding="utf-8"))}
    assert {"lint", "test"} <= named  # of .ci/run at least
    assert named <= _targets()


def test_make_explains_each_of_its_commands() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    explained = set(re.findall(r'^\t@echo "make ([a-z]+) ', makefile, re.MULTILINE))
    assert explained == _targets() - {"help"}
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == _targets()


@pytest.mark.parametrize("rules", sorted((ROOT / "workflow/rules").glob("*.smk")), ids=lambda path: path.stem)
def test_rules_run_commands_and_no_code_of_their_own(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    assert not re.search(r"^\s+(run|script|notebook|wrapper):", text, re.MULTILINE)
    assert text.count("    shell:\n") == len(re.findall(r"^ *rule\b", text, re.MULTILINE))
    assert text.count("\n") < 250
