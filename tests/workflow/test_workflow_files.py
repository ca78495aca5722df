"""Files that say the same thing in two places say the same, and imports point downwards only."""

import ast
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
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
PACKAGE = ROOT / "src/private_experts"


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


# Which parts of the package a part may import, besides itself. A part is a folder, or a module beside the folders.
BASE = {"errors", "files", "randomness"}
ALGORITHMS = {"algorithms", "learners", "convex", "distributions", "privacy", "walks"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "files": {"errors"},
    "records": {"errors"},
    "randomness": set(),
    "config": {"errors"},
    "fingerprint": {"errors", "files"},
    "privacy": BASE,
    "walks": BASE,
    "algorithms": BASE | {"privacy", "walks"},
    "learners": BASE | {"privacy"},
    "convex": BASE | {"privacy", "walks"},
    "distributions": BASE | {"privacy"},
    "games": BASE | {"privacy", "algorithms"},
    "hospital": BASE,
    "hospital.study": BASE | ALGORITHMS | {"games"},  # these two let algorithms play on hospitals
    "hospital.curators": BASE | ALGORITHMS | {"games"},
    "evidence": BASE,
    "ledger": BASE | {"evidence"},
    "checks": BASE | ALGORITHMS | {"games", "hospital", "batching", "evidence"},
    "batching": BASE | ALGORITHMS | {"games", "hospital", "evidence"},
    "report": BASE | {"records", "privacy", "hospital", "checks", "evidence", "ledger"},
    "stages": BASE | {"records", "hospital", "batching", "report", "checks", "evidence", "ledger"},
    "cli": BASE | {"stages"},
    "reproduce": BASE | {"stages", "report"},
    "typeset": BASE,
}


def _imported(path: Path) -> Iterator[str]:
    """Yield the modules of the package that a file imports anywhere, in functions and for type checkers as well."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "private_experts")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: write the import in full"
            if (node.module or "").partition(".")[0] == "private_experts":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def _part(module: str) -> str:
    """Return the folder of a module, or its own name when it lies beside the folders."""
    return module.removeprefix("private_experts").removeprefix(".").partition(".")[0]


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downwards_only_from(module: str) -> None:
    inside, part = module.removeprefix("private_experts").removeprefix("."), _part(module)
    allowed = MAY_IMPORT.get(inside) or MAY_IMPORT.get(part, set())
    assert not inside or part in MAY_IMPORT, f"{part} is new: say in MAY_IMPORT what lies below it"
    assert {name for name in _imported(MODULES[module]) if _part(name) not in {part, *allowed}} == set()


def test_the_allowed_imports_have_no_circle() -> None:
    left = {part: below - {part} for part, below in MAY_IMPORT.items()}
    left["hospital"] |= left.pop("hospital.study") | left.pop("hospital.curators")
    while left:
        bottom = {part for part, below in left.items() if not below & left.keys()}
        assert bottom, f"a circle among {sorted(left)}"
        left = {part: below for part, below in left.items() if part not in bottom}


# Longer than 300 lines; the number is the room it has.
LONG = {"fingerprint": 440, "hospital.healthdata": 400, "privacy.tradeoff": 510}


def test_modules_stay_short() -> None:
    lengths = {
        module.removeprefix("private_experts."): path.read_text(encoding="utf-8").count("\n")
        for module, path in MODULES.items()
    }
    assert {name: n for name, n in lengths.items() if n > LONG.get(name, 300)} == {}
    assert {name for name in LONG if lengths.get(name, 301) <= 300} == set()


@pytest.mark.parametrize("rules", sorted((ROOT / "workflow/rules").glob("*.smk")), ids=lambda path: path.stem)
def test_rules_run_commands_and_no_code_of_their_own(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    assert not re.search(r"^\s+(run|script|notebook|wrapper):", text, re.MULTILINE)
    assert text.count("    shell:\n") == len(re.findall(r"^rule ", text, re.MULTILINE))
    assert text.count("\n") < 250
