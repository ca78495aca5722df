"""Files that say the same thing in two places say the same."""

import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from snakemake import cli
from snakemake.settings.enums import RerunTrigger

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
RESULTS, CLUSTER, TESTS = LOCKS = ("requirements.lock", "requirements-cluster.lock", "requirements-test.lock")
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in LOCKS}
PINS = {
    name: [Requirement(line.rstrip("\\ ")) for line in text.splitlines() if line[:1].isalnum()]
    for name, text in TEXTS.items()
}
# What each lock must hold: results need one extra, clusters one more, and the tests' lock holds everything.
ASKED = {
    RESULTS: [*PYPROJECT["dependencies"], *EXTRAS["workflow"]],
    CLUSTER: [*PYPROJECT["dependencies"], *EXTRAS["workflow"], *EXTRAS["cluster"]],
    TESTS: [*PYPROJECT["dependencies"], *(word for extra in EXTRAS.values() for word in extra)],
}


def _locked(name: str, python: str) -> dict[str, str]:
    """Return the versions that a lock installs on Linux."""
    here = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    here |= {"platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"}
    here |= {"implementation_name": "cpython"}
    return {
        canonicalize_name(pin.name): next(iter(pin.specifier)).version
        for pin in PINS[name]
        if pin.marker is None or pin.marker.evaluate(here)
    }


def test_conda_users_get_the_locked_packages() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip = environment["dependencies"]
    name, _, version = python.partition("=")
    assert (name, pip) == ("python", "pip")
    assert f"{version}.0" in SpecifierSet(PYPROJECT["requires-python"])
    # Snakemake finds it by its name
    script = (ROOT / "environment.post-deploy.sh").read_text(encoding="utf-8")
    assert f"--require-hashes --requirement {RESULTS}\n" in script
    checksum = hashlib.sha256((ROOT / RESULTS).read_bytes()).hexdigest()
    assert re.findall(r"^lock=(\w+)$", script, re.MULTILINE) == [checksum]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_every_package_to_one_version_with_hashes_and_names_no_address(name: str) -> None:
    entries = re.split(r"^(?=[\w.])", TEXTS[name], flags=re.MULTILINE)[1:]
    assert len(entries) == len(PINS[name]) > 50
    for entry in entries:
        assert re.match(r"[\w.\[\],-]+==[\w.!+]+( ; [^\\]+)? \\\n", entry), entry
        assert re.search(r"^    --hash=sha256:[0-9a-f]{64}", entry, re.MULTILINE), entry
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host| @ ", TEXTS[name])


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_tests_and_clusters_have_the_packages_that_results_were_made_with(python: str) -> None:
    results, cluster, tests = (_locked(name, python).items() for name in LOCKS)
    assert results < cluster <= tests


def test_results_need_no_package_of_the_tests() -> None:
    others = [word for extra, words in EXTRAS.items() if extra != "workflow" for word in words]
    unused = {canonicalize_name(Requirement(word).name) for word in others}
    unused -= {canonicalize_name(Requirement(word).name) for word in ASKED[RESULTS]}
    needed_anyway = {"pillow"}  # by Matplotlib
    assert {"opendp", "playwright", "mypy"} <= unused
    assert unused & _locked(RESULTS, "3.12").keys() == needed_anyway


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_satisfies_pyproject(name: str, python: str) -> None:
    locked = _locked(name, python)
    for requirement in map(Requirement, ASKED[name]):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement


def test_the_library_is_for_every_python_from_3_11_on_and_the_workflow_for_those_of_the_lock() -> None:
    assert SpecifierSet(PYPROJECT["requires-python"]) == SpecifierSet(">=3.11")
    assert "KNOWN := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))\n" in MAKEFILE


def test_the_default_profile_holds_what_resuming_and_reruns_need() -> None:
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text(encoding="utf-8"))
    assert profile["rerun-incomplete"] is True
    # the full export of hospital reports has a few hundred MB
    assert profile["max-checksum-file-size"] == "2GB"


def test_a_users_own_profile_hides_nothing_that_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes before the workflow's own, and make leaves it out, which a key such as `until` would need."""
    hides = "rerun-triggers: mtime\ndrop-metadata: true\nkeep-incomplete: true\nignore-incomplete: true\n"
    (tmp_path / "config.yaml").write_text(f"{hides}until: reports\n")
    monkeypatch.setenv("SNAKEMAKE_PROFILE", str(tmp_path))
    monkeypatch.chdir(ROOT)
    _, options = cli.parse_args([])
    assert {*options.until} == {"reports"}
    assert len(options.rerun_triggers) == len(RerunTrigger.all())
    assert not any((options.drop_metadata, options.keep_incomplete, options.ignore_incomplete))
    output = subprocess.run(
        ["make", "--eval", "show: ; @env", "show"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "HOME=" in output
    assert "SNAKEMAKE_PROFILE" not in output


@pytest.mark.parametrize("name", ["run", "packages"])
def test_continuous_integration_can_be_run(name: str) -> None:
    script = ROOT / ".ci" / name
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


# The first lines of a command, as pip writes them; the path may be too long for the first, or have a space.
SHEBANGS = ["#!{}/.venv/bin/python3\n", '#!/bin/sh\n\'\'\'exec\' "{}/.venv/bin/python3" "$0" "$@"\n']


@pytest.mark.parametrize("shebang", SHEBANGS)
def test_an_environment_that_was_copied_or_moved_is_made_again(tmp_path: Path, shebang: str) -> None:
    """Its commands name the interpreter of the first folder, so that folder's code would run."""

    def ready(place: Path) -> bool:
        return subprocess.run(["make", "--question", ".venv/.ready"], cwd=place, check=False).returncode == 0

    first, copied, moved = tmp_path / "first folder", tmp_path / "copied", tmp_path / "moved"
    (first / ".venv/bin").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, first)
    (first / ".venv/bin/pip").write_text(shebang.format(first))
    (first / ".venv/.ready").touch()
    (tmp_path / "link").symlink_to(first)
    shutil.copytree(first, copied)
    assert ready(first)
    assert ready(tmp_path / "link")
    assert not ready(copied)
    (copied / ".venv/bin/pip").write_text(shebang.format(copied))
    assert ready(copied)
    first.rename(moved)
    assert not ready(moved)


def test_every_make_command_that_a_document_names_exists() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), ROOT / ".ci/run"]
    command = re.compile(r"(?:^|`|[A-Z_]+=\S+ )make ([a-z-]+)", re.MULTILINE)
    named = {target for path in documents for target in command.findall(path.read_text(encoding="utf-8"))}
    assert {"lint", "test"} <= named  # of .ci/run at least
    assert named <= TARGETS


def test_make_explains_each_of_its_commands() -> None:
    assert {*re.findall(r'^\t@echo "make ([a-z-]+) ', MAKEFILE, re.MULTILINE)} == TARGETS - {"help"}
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert {*phony.split()} == TARGETS


@pytest.mark.parametrize("rules", sorted((ROOT / "workflow/rules").glob("*.smk")), ids=lambda path: path.stem)
def test_rules_run_commands_and_no_code_of_their_own(rules: Path) -> None:
    text = rules.read_text(encoding="utf-8")
    assert not re.search(r"^\s+(run|script|notebook|wrapper):", text, re.MULTILINE)
    assert text.count("    shell:\n") == len(re.findall(r"^ *rule\b", text, re.MULTILINE))


def test_line_ends_stay_as_they_are_whatever_git_is_told(tmp_path: Path) -> None:
    """With ``core.autocrlf`` a clone would have other bytes: other checksums, scripts no shell reads."""
    (tmp_path / ".gitattributes").write_bytes((ROOT / ".gitattributes").read_bytes())
    contents = {"a.sh": b"one\ntwo\n", "a.png": b"\x89PNG\r\n\x1a\n\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "core.autocrlf=true", "-c", "core.safecrlf=false", *words], cwd=tmp_path, check=True
        )

    git("init", "--quiet")
    git("add", ".")
    for name in contents:
        (tmp_path / name).unlink()
    git("checkout", "--quiet", ".")
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents
