"""The manifest: the commit, whether the tree is dirty, and checksums."""

import hashlib
import json
import subprocess

import pytest

from private_experts.replication.report.manifest import collect


@pytest.fixture
def record(tmp_path):
    def git(*arguments):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True
        )

    git("init", "--quiet")
    product = tmp_path / "table.csv"
    product.write_text("1\n", encoding="utf-8")
    stamp = tmp_path / "stamps" / "game.txt"
    stamp.parent.mkdir()
    stamp.write_text("what stands for the code\n", encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    config = {"seed": 5, "hospital": {"synthetic": {"seed": 6}}}

    def make():
        return collect(config, tmp_path, {"kind": "file", "label": "the label"}, [product], [stamp])

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
    assert clean["seeds"] == {"study": 5, "synthetic": 6}
    assert "numpy" in clean["machine"]["packages"]
    assert list(clean["code"]["fingerprints"].values()) == [hashlib.sha256(stamp.read_bytes()).hexdigest()]
    json.dumps(clean)


def test_manifest_without_a_repository_says_so(tmp_path):
    record = collect({"seed": 1, "hospital": {"synthetic": {"seed": 1}}}, tmp_path / "none", {}, [], [])
    assert record["code"]["commit"] is None
    assert record["code"]["dirty"] is None
