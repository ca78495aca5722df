"""A run refuses to overwrite results computed from other data."""

import json
import os
from contextlib import nullcontext

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data import source
from private_experts.replication.study.data.overwrite_guard import (
    REPLACE_VARIABLE,
    announce,
    check,
    data_record,
)
from tests.each import each


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text("one")
    return path


@pytest.fixture
def results(tmp_path, file):
    """Return a function that writes the record of results on a kind of data."""

    def record(kind):
        path = tmp_path / "hospital/provenance.json"
        path.parent.mkdir(exist_ok=True)
        known = {"sha256": sha256(file)} if kind == "file" else {}
        path.write_text(json.dumps({"kind": kind, "label": f"data of kind {kind}", **known}))
        return tmp_path

    return record


@each("kind", ["pinned", "file", "healthdata", "synthetic"])
def test_data_of_the_same_kind_may_overwrite(kind, results):
    check({"kind": kind}, [results(kind)], {})


@each(
    ("kind", "new", "excerpt"),
    [
        ("pinned", {"kind": "synthetic"}, "SYNTHETIC DATA"),
        ("healthdata", {"kind": "synthetic"}, "SYNTHETIC DATA"),
        ("pinned", {"kind": "healthdata", "name": "a"}, "a download from healthdata.gov"),
        ("synthetic", {"kind": "pinned", "name": "mine.csv"}, r"the file mine\.csv"),
        ("synthetic", {"kind": "file", "name": "mine.csv"}, r"the file mine\.csv"),
    ],
)
def test_another_kind_is_refused_with_what_there_is_and_what_would_come(kind, new, excerpt, results):
    message = (
        rf"computed from data of kind {kind}, .* from {excerpt}; use the .* "
        rf"\(DATA=...\).*{REPLACE_VARIABLE}=1"
    )
    with pytest.raises(InputError, match=message):
        check(new, [results(kind)], {})
    for words, may in {("1", "true", "Yes", " ON "): True, ("", "0", "false", "No", "OFF"): False}.items():
        for word in words:
            with nullcontext() if may else pytest.raises(InputError, match=message):
                check(new, [results(kind)], {REPLACE_VARIABLE: word})
    for word in ("2", "nope", "ja"):
        with pytest.raises(InputError, match=f"^{REPLACE_VARIABLE}={word}: write 1 to overwrite, or 0$"):
            check(new, [results(kind)], {REPLACE_VARIABLE: word})


MINE, OTHERS = "a" * 64, "b" * 64


@each(
    ("record", "known", "former"),
    [
        ({"sha256": MINE}, {"sha256": MINE}, ""),
        ({"sha256": MINE}, {"sha256": OTHERS}, "a download from healthdata.gov, sha256 bbbbbbbb"),
        ({"sha256": MINE}, {"sha256": None, "name": "a"}, ""),  # checked after the download
        ({}, {"sha256": OTHERS}, ""),  # of a run before checksums were recorded
        ({"sha256": MINE, "name": "a"}, {"name": "a"}, ""),
        ({"sha256": MINE, "name": "a"}, {"name": "b"}, "a download from healthdata.gov"),  # another query
        ({"sha256": MINE, "name": "a"}, {"name": "b", "sha256": MINE}, ""),
    ],
)
def test_another_version_of_a_download_is_refused_as_far_as_it_is_known(record, known, former, tmp_path):
    download = {"kind": "healthdata", "label": "the last data"}
    (tmp_path / "data.json").write_text(json.dumps(download | record))
    new = {"kind": "healthdata", **known}
    if former:
        with pytest.raises(
            InputError, match=rf"from the last data, .* computed from {former}; use the same data again"
        ):
            check(new, [tmp_path], {})
    else:
        check(new, [tmp_path], {})
    check(new, [tmp_path], {REPLACE_VARIABLE: "1"})


def test_a_file_with_another_content_is_refused_wherever_it_is(results, tmp_path):
    moved = tmp_path / "moved.csv"

    def new():
        return source.expected_record(source.Source("file", moved), {}, [], [])

    moved.write_text("one")
    check(new(), [results("file")], {})
    moved.write_text("two")
    with pytest.raises(InputError, match=r"computed from the file .*moved\.csv; use the same data again"):
        check(new(), [results("file")], {})
    with pytest.raises(InputError, match="computed from data of kind synthetic"):
        check(new(), [results("synthetic")], {})


def test_while_the_reports_are_made_again_the_manifest_tells(results):
    results = results("file")
    (results / "hospital/provenance.json").rename(results / "manifest.json")
    with pytest.raises(InputError, match="computed from data of kind file"):
        check({"kind": "synthetic"}, [results], {})
    record = json.loads((results / "manifest.json").read_text())
    (results / "manifest.json").write_text(json.dumps({"data": record}))
    with pytest.raises(InputError, match="computed from data of kind file"):
        check({"kind": "synthetic"}, [results], {})


@each("content", [None, "", "[]", "{}", '{"data": 1}'])
def test_without_results_there_is_nothing_to_keep(content, tmp_path):
    path = tmp_path / "hospital/provenance.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_text(content)
    check({"kind": "synthetic"}, [tmp_path], {})


REAL = {"kind": "file", "label": "HHS <reports>", "sha256": "0" * 64}
MADE_UP = {"kind": "synthetic", "label": "SYNTHETIC DATA"}


def test_a_pipe_tells_nothing_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "manifest.json")
    assert data_record(tmp_path) is None


def test_products_are_kept_when_the_results_alone_are_moved(tmp_path):
    results, products = tmp_path / "elsewhere", tmp_path / "paper"
    announce(REAL, products)
    assert data_record(products) == REAL
    with pytest.raises(InputError, match=rf"{products}: the results here were computed from HHS"):
        check({"kind": "synthetic"}, [results, products], {})
    check({"kind": "synthetic"}, [results], {})


def test_a_page_of_other_data_goes_when_a_run_begins_to_replace_what_it_shows(tmp_path):
    page = tmp_path / "index.html"
    page.touch()
    announce(REAL, tmp_path)
    announce(REAL, tmp_path)
    assert page.exists()
    announce(MADE_UP, tmp_path)
    assert not page.exists()
    announce(REAL, tmp_path)
