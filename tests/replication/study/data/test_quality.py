"""The table of repairs: what it leaves out, and what it says of weeks and of beds."""

import json

import pandas as pd

from private_experts.replication.records import read_table
from private_experts.replication.study.data import quality
from private_experts.replication.study.data.cleaning import clean_all
from tests.replication.study.data.weekly import LAX, STEADY, WEEKS, table, week_by_week

JUMPY = week_by_week("010001", [1] * 4, [40, 80, 40, 40], "VT", WEEKS[1:])


def records(*states):
    return pd.DataFrame(
        [counts.row() for counts in clean_all(table(STEADY, JUMPY), states, LAX, required=())[1]]
    )


def test_each_state_has_its_own_weeks_and_its_worst_week_of_beds():
    shown = quality.quality_table(records("NM", "VT")).set_index("state")
    assert shown[["from", "to", "weeks"]].to_numpy().tolist() == [
        [WEEKS[0], WEEKS[4], 5],
        [WEEKS[1], WEEKS[4], 4],
    ]
    assert shown["most bed faults"].tolist() == ["", f"1 in {WEEKS[2]}"]
    assert shown["beds briefly high"].tolist() == [0, 1]
    assert "beds briefly low" not in shown  # 0 in every state


def test_without_faults_of_beds_there_is_no_column_for_them():
    assert not [name for name in quality.quality_table(records("NM")) if "bed faults" in name]


def test_states_without_reports_are_left_out_and_counted(tmp_path, command):
    records("NM", "VT", "WY", "ZZ").to_csv(tmp_path / "quality.csv", index=False)
    (tmp_path / "provenance.json").write_text(json.dumps({"label": "x", "kind": "file"}))
    words = ["--quality", tmp_path / "quality.csv", "--provenance", tmp_path / "provenance.json"]
    assert command("quality", *words, "--output", tmp_path / "table") == (0, "")
    assert read_table(tmp_path / "table.csv")["state"].tolist() == ["NM", "VT"]
    text = (tmp_path / "table.md").read_text()
    assert "Left out are 2 states without reports." in text
    assert "ZZ" not in text
