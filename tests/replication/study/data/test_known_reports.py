import json
from datetime import date
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.study.data import known_reports, panel
from private_experts.replication.study.data.cleaning import Cleaning, clean_all
from tests.each import each

RULES = Cleaning(("patients",), ("beds",), ("patients",), 2.0, 0.0, 0.0, "2021-01-01", "2021-01-15")
SECTION = {
    "columns": {"patients": ["patients"], "beds": ["beds"], "participation": ["patients"]},
    "suppressed_value": 2.0, "participation_minimum": 0.0, "smallest_beds": 0.0, "mend_beds": False,
    "first_week": "2021-01-01", "last_week": "2021-01-15", "adjacency": "move",
}  # fmt: skip
DOWNLOAD = {"kind": "healthdata", "dataset": "anag-cw7u", "name": "anag-cw7u.csv.gz", "sha256": "ab", "states": []}


def reports(weeks=("2021-01-01", "2021-01-08"), states=("NM", "PA", "VT"), hospitals=2):
    rows = [
        (f"{s}0000{h}", week, state, 10.0 + h + 3 * w, 80.0)
        for s, state in enumerate(states)
        for h in range(hospitals)
        for w, week in enumerate(weeks)
    ]
    return pd.DataFrame(rows, columns=["hospital_pk", "collection_week", "state", "patients", "beds"])


def leave(folder, table, origin=None):
    """Leave what a finished run on some reports leaves."""
    origin = DOWNLOAD | {"label": "x"} | (origin or {})
    (folder / "hospital").mkdir(exist_ok=True)
    table.to_csv(folder / "hospital/reports.csv", index=False)
    (folder / "hospital/provenance.json").write_text(json.dumps(origin))
    config = {"values": {"hospital": SECTION}}
    (folder / "manifest.json").write_text(json.dumps({"data": origin, "config": config}))
    return folder


@pytest.fixture
def run(tmp_path):
    return partial(leave, tmp_path)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "known.json"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Give a file with a record of the reports, which tests only read."""
    folder = tmp_path_factory.mktemp("recorded")
    known_reports.record(folder / "known.json", leave(folder, reports()), date(2026, 11, 23))
    return folder / "known.json"


def test_contents_count_what_lies_in_the_window_and_hash_the_panel_that_the_study_writes(tmp_path):
    table = reports(weeks=("2020-12-25", "2021-01-01", "2021-01-08"))
    found = known_reports.contents(table, RULES)
    assert {state: (each["rows"], each["weeks"], each["hospitals"]) for state, each in found.items()} == dict.fromkeys(
        ("NM", "PA", "VT"), (4, 2, 2)
    )
    panels, _ = clean_all(table, ["NM"], RULES)
    panel.write(tmp_path / "NM.csv", panels["NM"])
    assert found["NM"]["panel"] == sha256(tmp_path / "NM.csv")
    assert found["NM"]["panel"] != found["PA"]["panel"]


def test_what_was_recorded_is_found_unchanged_by_the_rules_of_the_record(recorded):
    (made,) = known_reports.read(recorded)
    assert made["of"] == {"kind": "healthdata", "dataset": "anag-cw7u", "as_of": "newest"}
    assert made["states"] == known_reports.contents(reports(), RULES)
    assert known_reports.changes(recorded, reports(), DOWNLOAD) == [
        "since the record of 2026-11-23: all 3 states are unchanged"
    ]


OTHER_PANEL = "the same rows, weeks and hospitals, but another panel"


def changed(table, column, hospital, value):
    return table.assign(**{column: table[column].where(table["hospital_pk"] != hospital, value)})


@each(
    ("change", "says"),
    [
        (lambda t: t[t.state != "VT"], "VT: gone (4 rows, 2 weeks, 2 hospitals)"),
        (
            lambda t: pd.concat([t, t[t.state == "NM"].assign(state="CA")]),
            "CA: not in the record (4 rows, 2 weeks, 2 hospitals)",
        ),
        (lambda t: t.drop(t.index[0]), "NM: 3 rows instead of 4"),
        (lambda t: t[t.hospital_pk != "100001"], "PA: 2 rows instead of 4, 1 hospitals instead of 2"),
        (lambda t: changed(t, "patients", "200000", 70.0), f"VT: {OTHER_PANEL}"),
        (lambda t: t.assign(beds=81.0), f"NM, PA, VT: {OTHER_PANEL}"),
        (lambda t: pd.concat([t, t[t.state == "PA"]]), "PA: 8 rows instead of 4, but the same panel"),
        (
            lambda t: t.rename(columns={"beds": "spaces"}),
            "no comparison is possible (hospital.columns.beds: the data has",
        ),
    ],
)
def test_what_changed_is_said_state_by_state(recorded, change, says):
    (line,) = known_reports.changes(recorded, change(reports()), DOWNLOAD)
    assert line.startswith(f"since the record of 2026-11-23: {says}")


def test_a_new_week_of_a_state_is_said_of_that_state_alone(recorded):
    table = pd.concat([reports(), reports(weeks=("2021-01-15",), states=("NM",))])
    assert known_reports.changes(recorded, table, DOWNLOAD) == [
        "since the record of 2026-11-23: NM: 6 rows instead of 4, 3 weeks instead of 2"
    ]


def test_states_that_were_not_asked_for_are_not_missed(recorded):
    some = known_reports.changes(recorded, reports(states=("NM",)), DOWNLOAD | {"states": ["NM"]})
    assert some == ["since the record of 2026-11-23: all 1 states are unchanged"]


@each(
    ("other", "lines"),
    [
        ({"dataset": "uqq2-txqb"}, 1), ({"as_of": "2022-11-01"}, 1), ({"kind": "delphi"}, 1),
        ({"kind": "file", "sha256": "cd"}, 0),
    ],
)  # fmt: skip
def test_reports_without_a_record_are_told_how_to_make_one_but_for_a_file(recorded, other, lines):
    for at in (recorded, recorded.with_name("absent.json")):
        found = known_reports.changes(at, reports(), DOWNLOAD | other)
        assert len(found) == lines
        assert all(
            "has no record of this download; after the run, make one with private-experts reports --record" in each
            for each in found
        )


def test_a_record_replaces_the_earlier_one_of_the_same_reports_and_no_other(run, file):
    table = reports(states=("NM",))
    for day, origin in ((1, {}), (2, {"kind": "file", "sha256": "ab"}), (3, {"as_of": "2022-11-01"}), (4, {})):
        known_reports.record(file, run(table, origin), date(2026, 11, day))
    assert sorted((each["of"]["kind"], each["recorded"]) for each in known_reports.read(file)) == [
        ("file", "2026-11-02"), ("healthdata", "2026-11-03"), ("healthdata", "2026-11-04")
    ]  # fmt: skip
    assert known_reports.changes(file, table, {"kind": "file", "sha256": "ab"}) == [
        "since the record of 2026-11-02: all 1 states are unchanged"
    ]


def test_only_a_finished_run_on_real_reports_is_recorded(run, file, command, tmp_path):
    def refused(says):
        code, error = command("reports", "--record", "--known", file, "--results", tmp_path)
        assert (code, error.count("\n")) == (2, 1)
        assert says in error
        assert not file.exists()

    refused("has no finished run")
    run(reports(), {"kind": "synthetic"})
    refused("synthetic data")
    run(reports())
    (tmp_path / "hospital/provenance.json").write_text(json.dumps({"sha256": "cd"}))
    refused("are of different data")
    run(reports())
    assert command("reports", "--record", "--known", file, "--results", tmp_path)[0] == 0
    assert known_reports.changes(file, reports(), DOWNLOAD)[0].endswith("all 3 states are unchanged")


@each(
    "key, value",
    [("beds", "beds"), ("beds", 1), ("smallest_beds", "0"), ("last_week", 3), ("first_week", ["a"]), ("mend_beds", 0)],
)
def test_rules_of_another_kind_are_refused(recorded, file, key, value):
    (record,) = known_reports.read(recorded)
    file.write_text(json.dumps({"reports": [record | {"rules": record["rules"] | {key: value}}]}))
    with pytest.raises(InputError, match="is not a file of records"):
        known_reports.read(file)


@each("content", ["", "[]", "{}", '{"reports": 1}', '{"reports": [{}]}', '{"reports": [1]}', "\xff"])
def test_a_damaged_file_of_records_is_refused_and_kept(run, file, content):
    file.write_text(content, encoding="latin-1")
    for use in (
        lambda: known_reports.changes(file, reports(), DOWNLOAD),
        lambda: known_reports.record(file, run(reports()), date.min),
    ):
        with pytest.raises(InputError, match="is not a file of records"):
            use()
    assert file.read_text(encoding="latin-1") == content


def test_the_records_of_the_project_can_be_read():
    path = Path(__file__).parents[4] / "config/known-reports.json"
    assert [each["of"]["kind"] for each in known_reports.read(path)] == ["file"]  # no download was ever seen
