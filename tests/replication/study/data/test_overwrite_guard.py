"""A run refuses to overwrite results computed from other data."""

import json
import os

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data import source
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE, announce, check, data_record
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


AUTO = ("healthdata", "delphi", "synthetic")
SAME = [
    ("synthetic", ["synthetic"]), ("healthdata", ["healthdata"]), ("delphi", ["delphi"]), ("healthdata", AUTO),
    ("delphi", AUTO), ("synthetic", AUTO), ("synthetic", ["delphi", "synthetic"]),
]  # fmt: skip
OTHER = [
    ("file", ["synthetic"], "SYNTHETIC DATA"), ("healthdata", ["synthetic"], "SYNTHETIC DATA"),
    ("file", AUTO, "a download from healthdata.gov or a download from Delphi Epidata"),
    ("file", ["delphi"], "a download from Delphi Epidata"), ("synthetic", ["delphi"], "a download from Delphi Epidata"),
    ("delphi", ["healthdata", "synthetic"], "a download from healthdata.gov"),
]  # fmt: skip


@each("kind, candidates", SAME)
def test_data_of_the_same_kind_may_overwrite(kind, candidates, results):
    check({name: {} for name in candidates}, [results(kind)], {})


@each("kind, candidates, new", OTHER)
def test_another_kind_is_refused_with_what_there_is_and_what_would_come(kind, candidates, new, results):
    message = rf"computed from data of kind {kind}, .* computed from {new}; .*{REPLACE_VARIABLE}=1"
    with pytest.raises(InputError, match=message):
        check({name: {} for name in candidates}, [results(kind)], {REPLACE_VARIABLE: "0"})
    check({name: {} for name in candidates}, [results(kind)], {REPLACE_VARIABLE: "1"})


def test_failed_downloads_are_in_the_message(results):
    with pytest.raises(InputError, match=r"^the host is down; .* computed from data of kind healthdata"):
        check({"synthetic": {}}, [results("healthdata")], {}, failed="the host is down")


MINE, OTHERS = "a" * 64, "b" * 64


@each("kind, record, known, says", [
    ("healthdata", {"sha256": MINE}, {"sha256": MINE}, ""),
    ("healthdata", {"sha256": MINE}, {"sha256": OTHERS}, "a download from healthdata.gov, sha256 bbbbbbbb"),
    ("healthdata", {"sha256": MINE}, {"sha256": None}, ""),  # checked after the download
    ("healthdata", {}, {"sha256": OTHERS}, ""),  # of a run before checksums were recorded
    ("healthdata", {"sha256": MINE, "name": "a"}, {"name": "a"}, ""),
    ("healthdata", {"sha256": MINE, "name": "a"}, {"name": "b"}, "a download from healthdata.gov"),  # another query
    ("healthdata", {"sha256": MINE, "name": "a"}, {"name": "b", "sha256": MINE}, ""),
    ("delphi", {"sha256": MINE}, {"sha256": MINE}, ""),
    ("delphi", {"sha256": MINE}, {"sha256": OTHERS}, "a download from Delphi Epidata, sha256 bbbbbbbb"),
])  # fmt: skip
@each("others", [(), AUTO])
def test_another_version_of_a_download_is_refused_as_far_as_it_is_known(kind, record, known, says, others, tmp_path):
    (tmp_path / "data.json").write_text(json.dumps({"kind": kind, "label": "the last data", **record}))
    candidates = {name: {} for name in others} | {kind: known}
    if says:
        message = rf"from the last data, .* computed from {says}; use the same data again \(hospital.source, states"
        with pytest.raises(InputError, match=message):
            check(candidates, [tmp_path], {})
    else:
        check(candidates, [tmp_path], {})
    check(candidates, [tmp_path], {REPLACE_VARIABLE: "1"})


def test_a_file_with_another_content_is_refused_wherever_it_is(results, file, tmp_path):
    moved = tmp_path / "moved.csv"

    def candidates():
        return source.candidates(source.Source("file", moved), {}, [], [])

    moved.write_text("one")
    check(candidates(), [results("file")], {})
    moved.write_text("two")
    with pytest.raises(InputError, match=r"computed from the file .*moved\.csv; use .* again \(HHS_FACILITY_CSV\), w"):
        check(candidates(), [results("file")], {})
    with pytest.raises(InputError, match="computed from data of kind synthetic"):
        check(candidates(), [results("synthetic")], {})


def test_while_the_reports_are_made_again_the_manifest_tells(results):
    results = results("file")
    (results / "hospital/provenance.json").rename(results / "manifest.json")
    with pytest.raises(InputError, match="computed from data of kind file"):
        check({"synthetic": {}}, [results], {})
    record = json.loads((results / "manifest.json").read_text())
    (results / "manifest.json").write_text(json.dumps({"data": record}))
    with pytest.raises(InputError, match="computed from data of kind file"):
        check({"synthetic": {}}, [results], {})


@each("content", [None, "", "[]", "{}", '{"data": 1}'])
def test_without_results_there_is_nothing_to_keep(content, tmp_path):
    path = tmp_path / "hospital/provenance.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_text(content)
    check({"synthetic": {}}, [tmp_path], {})


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
        check({"synthetic": {}}, [results, products], {})
    check({"synthetic": {}}, [results], {})


def test_a_page_of_other_data_goes_when_a_run_begins_to_replace_what_it_shows(tmp_path):
    page = tmp_path / "index.html"
    page.touch()
    announce(REAL, tmp_path)
    announce(REAL, tmp_path)
    assert page.exists()
    announce(MADE_UP, tmp_path)
    assert not page.exists()
    announce(REAL, tmp_path)
