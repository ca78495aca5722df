"""The table of repairs: what it leaves out, and what it says of weeks and of beds."""

import json

import pandas as pd
import pytest

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


@pytest.fixture
def written(tmp_path, command):
    """Return the table as it is written where ids look like new ones, for programs and as text."""

    def write(**new_ids):
        records("NM", "VT", "WY", "ZZ").to_csv(tmp_path / "quality.csv", index=False)
        origin = {"label": "x", "kind": "file", "new_ids": new_ids}
        (tmp_path / "provenance.json").write_text(json.dumps(origin))
        words = ["--quality", tmp_path / "quality.csv", "--provenance", tmp_path / "provenance.json"]
        assert command("quality", *words, "--output", tmp_path / "table") == (0, "")
        return read_table(tmp_path / "table.csv"), (tmp_path / "table.md").read_text()

    return write


def test_ids_that_look_like_new_ones_are_counted_by_state(written):
    numbers, text = written(VT=2)
    assert numbers.set_index("state")["new_ids"].to_dict() == {"NM": 0, "VT": 2}
    assert "| hospitals reporting | new ids | hospitals |" in text
    numbers, text = written()
    assert numbers["new_ids"].tolist() == [0, 0]
    assert "| new ids |" not in text


def test_states_without_reports_are_left_out_and_counted(written):
    numbers, text = written()
    assert numbers["state"].tolist() == ["NM", "VT"]
    assert "Left out are 2 states without reports." in text
    assert "ZZ" not in text
