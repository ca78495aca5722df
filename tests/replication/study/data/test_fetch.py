"""How reports come from each source, and what is told of them."""

import itertools
import json

import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.plotting.data_label import data_label
from private_experts.replication.study.data import remarks
from private_experts.replication.study.data.fetch import describe, from_file, from_generator, from_service
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE
from private_experts.replication.study.data.query import Query
from private_experts.replication.study.data.source import PINNED, SUMS
from private_experts.replication.study.data.synthetic import CONFIRMED, SUSPECTED
from tests.each import each
from tests.replication.study.data import socrata_server

WEEKS = ("2021-01-01", "2021-01-08")
NAMES = ("beds", "patients")
TRUTH = [
    {"hospital_pk": pk, "collection_week": week, "state": "NM"} | dict.fromkeys(NAMES, 20.0 + h + w)
    for h, pk in enumerate(("010001", "320002"))
    for w, week in enumerate(WEEKS)
]
COLUMNS = ("hospital_pk", "collection_week", "state", *NAMES)
ACCEPTED = {"patients": ["patients", "beds"], "beds": ["beds"], "participation": ["beds"]}


@pytest.fixture(scope="module")
def server():
    with socrata_server.running() as server:
        server.columns = COLUMNS
        rows = [tuple(f"{row[name]}" for name in COLUMNS) for row in TRUTH]
        server.rows = [(pk, f"{week}T00:00:00.000", *others) for pk, week, *others in rows]
        yield server


def query(server, **changes):
    plain = {"base_url": server.url, "dataset": "anag-cw7u", "states": ["NM"], "columns": list(NAMES)}
    return Query(**plain | {"first_week": WEEKS[0], "last_week": WEEKS[-1]} | changes)


@pytest.fixture
def reports(server, tmp_path, monkeypatch, command):
    """Return a function that gets reports as the rule does; with `dataset`, of one the server lacks."""
    monkeypatch.delenv(REPLACE_VARIABLE, raising=False)
    monkeypatch.setattr(remarks, "remarks", lambda *_: ({}, []))  # which take nearly all of a stage's time

    def get(source, *more, **changes):
        words = ["reports", "--source", source, "--columns", *NAMES, *more, "--paper", tmp_path / "run/paper"]
        words += ["--hospital.first_week", WEEKS[0], "--hospital.last_week", WEEKS[-1]]
        for purpose, names in ACCEPTED.items():
            words += [f"--hospital.columns.{purpose}", *names]
        if source == "healthdata":
            words += ["--download", query(server, **changes).as_json(), "--cache", tmp_path]
        made = [tmp_path / "run/hospital" / name for name in ("reports.csv", "provenance.json")]
        code, error = command(*words, "--output", made[0], "--provenance", made[1])
        record = json.loads(made[1].read_text()) if made[1].exists() else {}
        return code, error, record, made[0].read_text() if made[0].exists() else ""

    return get


def test_a_download_that_fails_is_one_line_with_the_two_commands_that_work_and_nothing_takes_its_place(
    reports, tmp_path
):
    code, error, record, made = reports("healthdata", dataset="gone-gone")
    assert (code, record, made, error.count("\n")) == (2, {}, "", 1)
    assert "gone-gone.csv: HTTP 404" in error
    advice = "make reproduce (the repository's own data), or make reproduce DATA=/path/to/export.csv"
    assert error.endswith(f"; without this download: {advice}\n")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_results_on_another_version_are_kept_before_anything_is_written(reports, tmp_path):
    record = tmp_path / "run/manifest.json"
    code, _, first, _ = reports("healthdata")
    assert (code, first["kind"]) == (0, "healthdata")

    def again(**other):
        for path in tmp_path.glob("run/*/*"):
            path.unlink()
        record.write_text(json.dumps({"data": first | {"label": "the last data"} | other}))
        return reports("healthdata")

    assert again()[0] == 0
    code, error, _, made = again(sha256="0" * 64)
    assert (code, made, error.count("\n")) == (2, "", 1)
    would = "this run would overwrite them with results computed from a download from"
    assert f"from the last data, and {would}" in error
    assert f", sha256 {first['sha256'][:8]}; use the same data again" in error


HEADER, REPORT = "hospital_pk,collection_week,state,beds\n", "010001,2021/01/01,NM,4\n"


def test_a_copy_of_the_pinned_file_is_the_pinned_data_and_any_other_file_is_not(
    reports, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    PINNED.parent.mkdir(parents=True)
    copy = tmp_path / "copy.csv"
    for path in (copy, PINNED):
        path.write_text(HEADER + REPORT)
    SUMS.write_text(f"{sha256(copy)}  {PINNED.name}\n")
    code, _, record, _ = reports("pinned", "--file", PINNED)
    assert (code, record["kind"], record["checked"]) == (0, "pinned", "as listed in resources/hhs/SHA256SUMS")
    assert record["label"].startswith("HHS hospital reports, 1 week")
    assert reports("file", "--file", copy)[2] == record
    for path in (copy, PINNED):
        path.write_text(HEADER + REPORT + "010001,2021/01/08,NM,5\n")
    table, origin = from_file(copy, ("beds",))
    assert origin == {"kind": "file", "name": "copy.csv", "sha256": sha256(copy)}
    assert table["beds"].tolist() == [4, 5]
    code, error, _, _ = reports("pinned", "--file", PINNED)
    assert (code, error.count("\n")) == (2, 1)
    assert f"{PINNED.name}: its sha256 is" in error


def test_what_is_told_is_of_the_window_and_what_is_kept_of_the_studied_states(reports, tmp_path):
    path = tmp_path / "mine.csv"
    weeks = ("2020-12-25", *WEEKS, "2021-01-15")
    rows = [
        f"{pk},{week},{state},4\n" for pk, state in (("010001", "NM"), ("020001", "PA")) for week in weeks
    ]
    path.write_text(HEADER + "".join(rows))
    for kept, written in (["NM", "VT"], 4), (["VT"], 8), ([], 8):  # if none is there, all
        code, _, record, made = reports("file", "--file", path, *(["--kept", *kept] if kept else []))
        assert (code, record["states"]) == (0, ["NM", "PA"])
        assert (record["rows"], record["weeks"]) == (4, {"NM": 2, "PA": 2})
        assert f", 2 weeks, {WEEKS[0]} to {WEEKS[1]} (mine.csv" in record["label"]
        assert len(made.splitlines()) == 1 + written  # a scenario may have another window


def test_made_up_reports_have_iso_weeks_and_say_so():
    table, provenance = from_generator(("VT", "NM"), 3, 7)
    assert sorted(set(table["collection_week"])) == ["2020-08-07", "2020-08-14", "2020-08-21"]
    assert set(table["state"]) == {"VT", "NM"}
    assert provenance == {"kind": "synthetic", "name": "seed 7", "seed": 7}
    assert not table.equals(from_generator(("VT", "NM"), 3, 8)[0])


# ---------------------------------------------------------------- the download and its cache


@pytest.fixture
def ask(server, tmp_path):
    """Return a function that gets reports of a query, and how often they were downloaded in this test."""
    requests = server.requests
    requests.clear()

    def get(**changes):
        table, provenance = from_service(query(server, **changes), tmp_path)
        return table, provenance, requests.count({"$limit": "1"})  # with which each download begins

    return get


def test_the_first_call_downloads_and_tells_where_from_and_the_next_ones_take_the_cache(
    ask, server, tmp_path
):
    table, provenance, downloads = ask()
    cache = query(server).cache(tmp_path)
    assert downloads == 1
    assert table.to_dict("records") == TRUTH
    expected = {"kind": "healthdata", "name": cache.name, "rows": len(TRUTH), "sha256": sha256(cache)}
    assert provenance | expected == provenance
    second, again, downloads = ask(sha256=provenance["sha256"])
    assert downloads == 1
    assert second.equals(table)
    assert again == provenance


def test_a_column_that_the_data_set_lacks_does_not_spoil_the_cache_unless_it_is_required(ask):
    lacking = {"columns": [*NAMES, "not_there"]}
    assert [ask(**lacking, required=NAMES)[2] for _ in range(2)] == [1, 1]
    why = r"there is no column not_there, which hospital\.columns names first"
    for _ in range(2):
        with pytest.raises(InputError, match=why):
            ask(**lacking, required=["not_there"])
    assert ask(**lacking)[2] == 3


RECORD = ".provenance.json"


@each(
    ("of", "content"),
    [("", b""), ("", b"x"), *((RECORD, record) for record in (b"{", b"[]", b'{"dataset": "a"}', None))],
)
def test_a_damaged_cache_or_record_is_downloaded_again(ask, server, tmp_path, of, content):
    first, _, before = ask()
    cache = query(server).cache(tmp_path)
    path = cache.with_name(f"{cache.name}{of}")
    path.unlink() if content is None else path.write_bytes(content)
    second, _, downloads = ask()
    assert downloads == before + 1
    assert second.equals(first)
    assert json.loads(cache.with_name(f"{cache.name}{RECORD}").read_text())["sha256"] == sha256(cache)


def test_a_cache_without_the_expected_checksum_is_downloaded_again_and_kept_if_that_fails(
    ask, server, tmp_path
):
    ask()
    cache = query(server).cache(tmp_path)
    before = cache.read_bytes()
    with pytest.raises(InputError, match="sha256"):
        ask(sha256="0" * 64)
    assert ask()[2] == 2
    assert cache.read_bytes() == before


# ---------------------------------------------------------------- what the data is called

ROWS = itertools.product(["010001", "010002"], ["2021-01-15", "2021-01-01"], ["PA", "NM"])
TABLE = pd.DataFrame(ROWS, columns=["hospital_pk", "collection_week", "state"])
MINE = {"name": "mine.csv", "sha256": "0123456789abcdef"}
TWO_WEEKS = "2 weeks, 2021-01-01 to 2021-01-15"
VERSION = f"{TWO_WEEKS} (mine.csv, sha256 01234567)"


@each(
    ("origin", "label"),
    [
        ({"kind": "pinned", **MINE}, f"HHS hospital reports, {VERSION}"),
        ({"kind": "healthdata", **MINE}, f"HHS hospital reports, {VERSION}"),
        ({"kind": "file", **MINE}, f"THE FILE OF A USER, not the pinned data, {VERSION}"),
        ({"kind": "synthetic", "name": "s"}, f"SYNTHETIC DATA (s), not hospital reports: {TWO_WEEKS}"),
    ],
)
def test_the_label_names_the_file_its_version_and_checksum_or_says_synthetic(origin, label):
    coverage = {"rows": 8, "weeks": {"NM": 2, "PA": 2}, "states": ["NM", "PA"]}
    span = {"first_week": "2021-01-01", "last_week": "2021-01-15"}
    expected = origin | coverage | span | {"label": label, "columns_used": {}, "patients": ""}
    assert json.loads(json.dumps(describe(TABLE, origin))) == expected


def test_a_file_without_the_column_wanted_first_says_so_in_its_label_and_the_record_which_is_used():
    table, file = TABLE.assign(beds=4.0, patients=1.0), {"kind": "file", **MINE}
    whole = describe(table, file, ACCEPTED)
    assert whole["columns_used"] == {"patients": "patients", "beds": "beds", "participation": "beds"}
    assert whole["label"] == describe(TABLE, file)["label"]
    lacking = describe(table.drop(columns="patients"), file, ACCEPTED)
    assert lacking["columns_used"]["patients"] == "beds"
    assert lacking["label"] == f"{whole['label']}; not by the first choice of column: patients"
    # The columns of the pinned file are the study's own.
    pinned = describe(table.drop(columns="patients"), {"kind": "pinned", **MINE}, ACCEPTED)
    assert pinned["columns_used"]["patients"] == "beds"
    assert pinned["label"] == f"HHS hospital reports, {VERSION}"
    with pytest.raises(InputError, match=r"hospital.columns.beds: the data has none of beds"):
        describe(table.drop(columns="beds"), file, ACCEPTED)


@each(
    ("columns", "patients"),
    [((CONFIRMED,), "confirmed"), ((CONFIRMED, SUSPECTED), "confirmed and suspected")],
)
def test_the_label_says_which_patients_are_counted(columns, patients):
    table = TABLE.assign(**dict.fromkeys(columns, 1.0))
    record = describe(table, {"kind": "pinned", **MINE}, {"patients": (SUSPECTED, CONFIRMED)})
    assert record["patients"] == patients
    assert record["label"].startswith(f"HHS hospital reports of {patients} patients, 2 weeks, ")


def test_a_product_of_some_states_has_their_weeks_in_its_label(tmp_path):
    table = TABLE[(TABLE["state"] != "PA") | (TABLE["collection_week"] != "2021-01-15")]
    path = tmp_path / "provenance.json"
    path.write_text(json.dumps(describe(table, {"kind": "pinned", **MINE})), encoding="utf-8")
    span = "1 to 2 weeks by state, 2021-01-01 to 2021-01-15"
    assert data_label(path)[0].startswith(f"HHS hospital reports, {span} (mine")
    assert data_label(path, ["NM"])[0].startswith("HHS hospital reports, 2 weeks, ")
    assert data_label(path, ["OH"]) == data_label(path, ["PA", "NM"]) == data_label(path)
