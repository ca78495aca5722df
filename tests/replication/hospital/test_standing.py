"""Results on one kind of data are not replaced by results on another unless somebody says so."""

import json

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.hospital.source import Source
from private_experts.replication.hospital.standing import REPLACE_VARIABLE, keep
from tests.each import each


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text("one")
    return path


@pytest.fixture
def standing(tmp_path, file):
    """Return a function that writes the record of results on a kind of data."""

    def record(kind):
        path = tmp_path / "hospital/provenance.json"
        path.parent.mkdir(exist_ok=True)
        known = {"sha256": sha256(file)} if kind == "file" else {}
        path.write_text(json.dumps({"kind": kind, "label": f"data of kind {kind}", **known}))
        return tmp_path

    return record


SAME = [("synthetic", "synthetic"), ("healthdata", "healthdata"), ("healthdata", "auto"), ("synthetic", "auto")]
OTHER = [
    ("file", "synthetic"), ("file", "auto"), ("file", "healthdata"), ("healthdata", "synthetic"),
    ("synthetic", "healthdata"),
]  # fmt: skip


@each("kind, asked", SAME)
def test_the_same_kind_is_let_through(kind, asked, standing):
    keep(Source(asked), standing(kind), {})


@each("kind, asked", OTHER)
def test_another_kind_is_refused_and_says_what_is_there_and_what_would_come(kind, asked, standing):
    with pytest.raises(InputError, match=rf"rest on data of kind {kind}, .*{REPLACE_VARIABLE}=1"):
        keep(Source(asked), standing(kind), {REPLACE_VARIABLE: "0"})
    keep(Source(asked), standing(kind), {REPLACE_VARIABLE: "1"})


def test_a_file_with_another_content_is_refused_wherever_it_lies(standing, file, tmp_path):
    moved = tmp_path / "moved.csv"
    moved.write_text("one")
    keep(Source("file", moved), standing("file"), {})
    moved.write_text("two")
    with pytest.raises(InputError, match=r"by results on the file .*moved\.csv"):
        keep(Source("file", moved), standing("file"), {})
    with pytest.raises(InputError, match="rest on data of kind synthetic"):
        keep(Source("file", file), standing("synthetic"), {})


def test_while_the_reports_are_made_again_the_manifest_tells(standing):
    results = standing("file")
    (results / "hospital/provenance.json").rename(results / "manifest.json")
    with pytest.raises(InputError, match="rest on data of kind file"):
        keep(Source("synthetic"), results, {})
    record = json.loads((results / "manifest.json").read_text())
    (results / "manifest.json").write_text(json.dumps({"data": record}))
    with pytest.raises(InputError, match="rest on data of kind file"):
        keep(Source("synthetic"), results, {})


@each("content", [None, "", "[]", "{}", '{"data": 1}'])
def test_without_results_there_is_nothing_to_keep(content, tmp_path):
    path = tmp_path / "hospital/provenance.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_text(content)
    keep(Source("synthetic"), tmp_path, {})
