"""What the stages of the data write, and which states they refuse."""

import json
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.choices import Kind
from private_experts.replication.study.data import data_stages, synthetic
from private_experts.replication.study.data.overwrite_guard import PRODUCTS
from tests.each import each


@each("hospitals", [1, 2, 3])
def test_a_state_with_fewer_than_two_hospitals_is_refused(hospitals: int, tmp_path: Path) -> None:
    table, outputs = tmp_path / "reports.csv", [tmp_path / name for name in ("quality", "suppression")]
    synthetic.reports(["NM"], 12, 1, {"NM": hospitals}).to_csv(table, index=False)
    columns = [synthetic.SUSPECTED], [synthetic.ADULT_BEDS], [synthetic.ADMISSIONS]
    rules = 2.0, 0.0, 0.0, "2020-08-07", "2023-06-04"
    given = table, ["NM"], ["NM"], tmp_path, *outputs, *columns, *rules
    if hospitals < 2:
        with pytest.raises(
            InputError, match=r"NM has 1 hospital\(s\) left after cleaning, and 2 are required"
        ):
            data_stages.panels(*given)
    else:
        data_stages.panels(*given)
        assert all(path.exists() for path in (tmp_path / "NM.csv", *outputs))


def test_reports_are_those_of_the_states_that_are_kept_and_their_record_is_of_all(tmp_path: Path) -> None:
    columns = [synthetic.SUSPECTED], [synthetic.ADULT_BEDS], [synthetic.ADMISSIONS]
    products, outputs = tmp_path / "paper", [tmp_path / name for name in ("reports.csv", "data/record.json")]
    given = "synthetic", [], *outputs, "2020-08-07", "2020-10-01", *columns, 4, products
    drawn = synthetic.reports(["RI", "VT"], 12, 1)
    for kept, rows in ((["RI"], (drawn["state"] == "RI").sum()), ([], len(drawn)), (["PA"], len(drawn))):
        data_stages.reports(*given, kept=kept, states=["RI", "VT"], weeks=12)
        header, *lines = outputs[0].read_text(encoding="utf-8").splitlines()
        assert header.split(",") == [
            each for each in synthetic.COLUMNS if each not in ("hospital_name", "city")
        ]
        assert len(lines) == rows
    text = outputs[1].read_text(encoding="utf-8")
    record = json.loads(text)
    assert text == json.dumps(record, indent=1) + "\n"
    assert record["weeks"] == {"RI": 8, "VT": 8}
    outside = len(drawn) - record["rows"]
    assert record["remarks"][
        "of weeks outside 2020-08-07 to 2020-10-01 (hospital.first_week, hospital.last_week)"
    ] == [f"{outside} of {len(drawn)} rows"]
    assert (products / PRODUCTS).read_text(encoding="utf-8") == text


@each(("given", "missing"), [("healthdata", "download"), ("file", "file"), ("pinned", "file")])
def test_a_source_without_what_it_needs_is_refused(given: Kind, missing: str, tmp_path: Path) -> None:
    outputs = [tmp_path / name for name in ("reports.csv", "data/record.json")]
    with pytest.raises(InputError, match=f"^reports: --source {given} needs --{missing}$"):
        data_stages.reports(given, [], *outputs, "2020-08-07", "2020-10-01", ["p"], ["b"], ["a"])
