"""The manifest: the commit, whether the tree is dirty, and checksums."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution

import pytest

from private_experts.replication.report import machine
from private_experts.replication.report import manifest as room
from private_experts.replication.report.manifest import collect

CONFIG = {"seed": 5, "hospital": {"synthetic": {"seed": 6}}}


@pytest.fixture
def few_packages(monkeypatch):
    """Let numpy be the only package: to read what two hundred say of themselves takes most of the time."""
    monkeypatch.setattr(room, "distributions", lambda: [distribution("numpy")])


@pytest.fixture
def record(tmp_path, few_packages):
    def git(*arguments):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True
        )

    git("init", "--quiet")
    product, evidence, stamp = (tmp_path / name for name in ("table.csv", "claim.csv", "game.txt"))
    for path, text in ((product, "1\n"), (evidence, "value\n"), (stamp, "what stands for the code\n")):
        path.write_text(text, encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")

    def make():
        data = {"kind": "file", "label": "the label"}
        return collect(CONFIG, tmp_path, data, [product], [evidence], [stamp])

    return make, product, stamp


def test_manifest_knows_the_commit_and_whether_the_tree_is_dirty(record):
    make, product, stamp = record
    clean = make()
    assert len(clean["code"]["commit"]) == 40
    assert clean["code"]["dirty"] is False
    product.write_text("2\n", encoding="utf-8")
    dirty = make()
    assert dirty["code"]["dirty"] is True
    assert dirty["outputs"][str(product)]["sha256"] != clean["outputs"][str(product)]["sha256"]
    assert dirty["config"]["sha256"] == clean["config"]["sha256"]
    assert [*clean["evidence"]] == [str(product.with_name("claim.csv"))]
    assert clean["seeds"] == {"study": 5, "synthetic": 6}
    assert "numpy" in clean["machine"]["packages"]
    assert clean["machine"]["customized"] == machine.customized()
    assert {"processor", "blas", "simd"} <= clean["machine"].keys()
    assert list(clean["code"]["fingerprints"].values()) == [hashlib.sha256(stamp.read_bytes()).hexdigest()]
    json.dumps(clean)


def test_manifest_without_a_repository_says_so(tmp_path):
    record = collect(CONFIG, tmp_path / "none", {}, [], [], [])
    why = record["code"].pop("unknown")
    assert record["code"] == {"commit": None, "dirty": None, "fingerprints": {}}
    assert "\n" not in why
    assert "No such file or directory" in why


def test_what_git_says_of_a_repository_that_it_does_not_read_is_told(record, tmp_path, monkeypatch):
    """As of a checkout that another user owns."""
    make, *_ = record
    assert make()["code"]["unknown"] == ""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    own = subprocess.run(["git", "-C", tmp_path, "status"], capture_output=True, text=True, check=False)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(
        f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n'
    )
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    code = make()["code"]
    assert (code["commit"], code["dirty"]) == (None, None)
    assert code["unknown"] == own.stderr.splitlines()[0]
    assert "dubious ownership" in code["unknown"]


def test_the_repository_of_another_folder_is_not_named(record, tmp_path, monkeypatch):
    """Neither the one around the project, which may even ignore it, nor one that the environment names."""
    make, *_ = record
    commit = make()["code"]["commit"]
    inner = tmp_path / "unpacked"
    inner.mkdir()
    for name, value in (("OTHER", ""), ("GIT_DIR", str(tmp_path / ".git")), ("GIT_WORK_TREE", ".")):
        monkeypatch.setenv(name, value)  # one after the other
        assert collect(CONFIG, inner, {}, [], [], [])["code"]["commit"] is None
    monkeypatch.setenv("GIT_DIR", str(inner / "none"))
    assert make()["code"]["commit"] == commit


def test_the_version_of_a_package_is_that_which_is_imported(tmp_path, monkeypatch):
    """The first on the path, as for `import`, where a package is there twice."""
    for folder, version in (("first", "9.1"), ("second", "9.2")):
        info = tmp_path / folder / f"twice-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: twice\nVersion: {version}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second"), *sys.path])
    assert collect(CONFIG, tmp_path, {}, [], [], [])["machine"]["packages"]["twice"] == "9.1"
