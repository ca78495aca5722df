"""The tables of the report have the numbers of the run's tables, in the rows and columns that they show."""

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.report import short_tables

RATIOS = ("ratio_to_best_linear", "ratio_to_min_noise", "ratio_to_min_regret")


def test_ratios_stand_beside_the_printed_ones(tmp_path):
    names = [f"{start}{name}{end}" for name in RATIOS for start, end in (("", ""), ("", "_pm"), ("published_", ""))]
    numbers = [0.891, 0.0123, 0.9, 1.5, 0.0, 1.61, 2.25, 0.1, ""]
    header, row = ",".join(["state", "mu", *names]), ",".join(map(str, ["NM", "inf", *numbers]))
    write_text(tmp_path / "tables/table-2.csv", f"{header}\n{row}\n")
    short_tables.write(tmp_path / "tables", tmp_path / "short")
    assert [path.name for path in (tmp_path / "short").iterdir()] == ["short-table-2.tex"]  # no other table was made
    lines = (tmp_path / "short/short-table-2.tex").read_text().splitlines()
    assert lines[5] == r"NM & $\infty$ & 0.89 $\pm$ 0.01 & 0.90 & 1.50 & 1.61 & 2.25 $\pm$ 0.10 &  \\"


def test_only_rows_with_the_printed_floor_are_shown(tmp_path):
    names = ["score", "RW-Meta / best linear", "best linear / at ∞"]
    header = ",".join(["what", "floor", *(f"{name}{end}" for name in names for end in ("", "_low", "_high"))])
    rows = [f"trend,{floor},{','.join(['0.1', '0.05', '0.2'] * 3)}" for floor in ("2t", "none")]
    write_text(tmp_path / "readings.csv", "\n".join([header, *rows, ""]))
    short_tables.write(tmp_path, tmp_path)
    text = (tmp_path / "short-readings.tex").read_text()
    assert text.count("trend") == 1
    assert "0.100 [0.050, 0.200]" in text


def test_a_damaged_table_is_refused(tmp_path):
    write_text(tmp_path / "readings.csv", "what,floor\ntrend\n")
    with pytest.raises(InputError, match=r"readings\.csv: a row is longer or shorter"):
        short_tables.write(tmp_path, tmp_path)
