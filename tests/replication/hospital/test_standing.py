"""Results on one kind of data are not replaced by results on another unless somebody says so."""

import json

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.hospital.kept import Version
from private_experts.replication.hospital.source import Source
from private_experts.replication.hospital.standing import REPLACE_VARIABLE, announce, keep
from private_experts.replication.hospital.standing import standing as record_of
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


SAME = [
    ("synthetic", "synthetic"), ("healthdata", "healthdata"), ("delphi", "delphi"), ("healthdata", "auto"),
    ("delphi", "auto"), ("synthetic", "auto"),
]  # fmt: skip
OTHER = [
    ("file", "synthetic"), ("file", "auto"), ("file", "healthdata"), ("file", "delphi"), ("healthdata", "synthetic"),
    ("synthetic", "healthdata"), ("healthdata", "delphi"), ("delphi", "healthdata"), ("delphi", "synthetic"),
]  # fmt: skip


@each("kind, asked", SAME)
def test_the_same_kind_is_let_through(kind, asked, standing):
    keep(Source(asked), [standing(kind)], {})


@each("kind, asked", OTHER)
def test_another_kind_is_refused_and_says_what_is_there_and_what_would_come(kind, asked, standing):
    with pytest.raises(InputError, match=rf"rest on data of kind {kind}, .*{REPLACE_VARIABLE}=1"):
        keep(Source(asked), [standing(kind)], {REPLACE_VARIABLE: "0"})
    keep(Source(asked), [standing(kind)], {REPLACE_VARIABLE: "1"})


@each("kind, found, refused", [
    ("healthdata", "healthdata", False), ("delphi", "delphi", False), ("synthetic", "delphi", False),
    ("synthetic", "synthetic", False), ("healthdata", "delphi", True), ("delphi", "healthdata", True),
    ("delphi", "synthetic", True),
])  # fmt: skip
def test_what_auto_came_to_is_looked_at_once_it_is_known(kind, found, refused, standing):
    if refused:
        with pytest.raises(InputError, match=rf"^the host is away; .* rest on data of kind {kind}"):
            keep(Source("auto"), [standing(kind)], {}, found=found, failed="the host is away")
    else:
        keep(Source("auto"), [standing(kind)], {}, found=found)


MINE, OTHERS = "a" * 64, "b" * 64
ELSEWHERE = r"write elsewhere \(pathvars.results and pathvars.paper in a config\)"
NAME = {
    "healthdata": rf"name the same data again \(hospital\.source\), {ELSEWHERE}",
    "delphi": rf"name the same data again \(hospital\.source and hospital\.as_of\), {ELSEWHERE}",
}
DATED = {"sha256": MINE, "as_of": "2022-11-01"}


@each("kind, record, version, says", [
    ("healthdata", {"sha256": MINE}, Version(sha256=MINE), ""),
    ("healthdata", {"sha256": MINE}, Version(sha256=OTHERS), "a download from healthdata.gov, sha256 bbbbbbbb"),
    ("healthdata", {"sha256": MINE}, Version(), ""),  # told once the download is there
    ("healthdata", {"sha256": MINE}, Version(replaces=OTHERS), ""),
    ("healthdata", {}, Version(sha256=OTHERS), ""),  # of a run before checksums were noted
    ("delphi", DATED, Version("2022-11-01"), ""),
    ("delphi", DATED, Version("2022-12-01"), "a download from Delphi Epidata as of 2022-12-01"),
    ("delphi", DATED, Version(), "a download from Delphi Epidata, made anew"),
    ("delphi", {"sha256": MINE}, Version("2022-12-01"), "a download from Delphi Epidata as of 2022-12-01"),
    ("delphi", DATED, Version("2022-12-01", replaces=OTHERS, had=("states NM",)),
     "a download from Delphi Epidata as of 2022-12-01, made anew, since the kept one was asked for states NM"),
    ("delphi", DATED, Version("2022-12-01", MINE), ""),  # another day, and the same publication
    ("delphi", DATED, Version("2022-11-01", OTHERS), "a download from Delphi Epidata, sha256 bbbbbbbb"),
])  # fmt: skip
@each("asked", ["auto", "named"])
def test_another_version_of_a_download_is_refused_as_far_as_it_is_known(kind, record, version, says, asked, tmp_path):
    (tmp_path / "data.json").write_text(json.dumps({"kind": kind, "label": "the last data", **record}))
    resolved = Source("auto" if asked == "auto" else kind)
    if says:
        with pytest.raises(InputError, match=rf"rest on the last data, .* results on {says}; {NAME[kind]}, or"):
            keep(resolved, [tmp_path], {}, versions={kind: version})
    else:
        keep(resolved, [tmp_path], {}, versions={kind: version})
    keep(resolved, [tmp_path], {REPLACE_VARIABLE: "1"}, versions={kind: version})


@each("had, says", [
    (("last_week 2022-06-04", "states NM"),
     "was asked for last_week 2022-06-04, states NM; ask for that again in the config, write elsewhere"),
    ((), "is not as it was, or its record is not; put back the file and its record, write elsewhere"),
])  # fmt: skip
@each("kind", ["healthdata", "delphi"])
@each("asked", ["auto", "named"])
def test_where_the_download_itself_would_be_replaced_the_line_says_why_and_what_to_write(
    had, says, kind, asked, tmp_path
):
    (tmp_path / "data.json").write_text(json.dumps({"kind": kind, "label": "the last data", "sha256": MINE}))
    version = Version(replaces=MINE, had=had)
    with pytest.raises(InputError, match=rf", made anew, since the kept one {says} \(.* and pathvars\.resources in"):
        keep(Source("auto" if asked == "auto" else kind), [tmp_path], {}, versions={kind: version})


def test_a_file_with_another_content_is_refused_wherever_it_lies(standing, file, tmp_path):
    moved = tmp_path / "moved.csv"
    moved.write_text("one")
    keep(Source("file", moved), [standing("file")], {})
    moved.write_text("two")
    with pytest.raises(InputError, match=r"by results on the file .*moved\.csv; name .* again \(HHS_FACILITY_CSV\), w"):
        keep(Source("file", moved), [standing("file")], {})
    with pytest.raises(InputError, match="rest on data of kind synthetic"):
        keep(Source("file", file), [standing("synthetic")], {})


def test_while_the_reports_are_made_again_the_manifest_tells(standing):
    results = standing("file")
    (results / "hospital/provenance.json").rename(results / "manifest.json")
    with pytest.raises(InputError, match="rest on data of kind file"):
        keep(Source("synthetic"), [results], {})
    record = json.loads((results / "manifest.json").read_text())
    (results / "manifest.json").write_text(json.dumps({"data": record}))
    with pytest.raises(InputError, match="rest on data of kind file"):
        keep(Source("synthetic"), [results], {})


@each("content", [None, "", "[]", "{}", '{"data": 1}'])
def test_without_results_there_is_nothing_to_keep(content, tmp_path):
    path = tmp_path / "hospital/provenance.json"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_text(content)
    keep(Source("synthetic"), [tmp_path], {})


REAL = {"kind": "file", "label": "HHS <reports>", "sha256": "0" * 64}
MADE_UP = {"kind": "synthetic", "label": "SYNTHETIC DATA"}


def test_products_are_kept_when_the_results_alone_are_moved(tmp_path):
    results, products = tmp_path / "elsewhere", tmp_path / "paper"
    announce(REAL, products)
    assert record_of(products) == REAL
    with pytest.raises(InputError, match=rf"{products}: the results here rest on HHS"):
        keep(Source("synthetic"), [results, products], {})
    keep(Source("synthetic"), [results], {})


def test_a_page_of_other_data_says_that_it_is_old_and_is_else_left_alone(tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<html><body><p>a page</p></body></html>")
    announce(REAL, tmp_path)
    announce(REAL, tmp_path)
    assert page.read_text() == "<html><body><p>a page</p></body></html>"
    announce(MADE_UP, tmp_path)
    before, _, after = page.read_text().partition("<p>a page</p>")
    assert after == "</body></html>"
    assert "of a run on HHS &lt;reports&gt;. A later run, on SYNTHETIC DATA, has begun" in before
    assert before.startswith("<html><body><p ")


def test_a_page_tells_whose_it_is_once_however_many_runs_have_begun_since(tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<html><body><p>a page</p></body></html>")
    for record in (REAL, MADE_UP, REAL):
        announce(record, tmp_path)
    said = page.read_text()
    assert "of a run on SYNTHETIC" not in said
    assert said.count("This page is of a run on HHS &lt;reports&gt;.") == 1
    assert said.count("A later run, on ") == 2
