"""Panels of a state need two hospitals that are usable."""

from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.study.data import data_stages, synthetic
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
