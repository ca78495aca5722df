"""Tables in three formats."""

import pandas as pd

from private_experts.replication.plotting.numbers import level, with_ends, with_interval
from private_experts.replication.plotting.suffixes import TABLE
from private_experts.replication.plotting.tables import latex, markdown, write
from tests.each import each

NUMBERS = pd.DataFrame({"state": ["NM"], "gain": [1 / 3]})
SHOWN = pd.DataFrame({"state": ["NM"], "gain": ["0.33 ± 0.01"], "μ": ["∞"]})


@each(
    ("text", "wanted"),
    [
        *zip(map(level, (float("inf"), 1.0, 0.25)), ("∞", "1", "0.25"), strict=True),
        (with_interval(2.0, 0.234), "2.00 ± 0.23"),
        (with_interval(2.0, 0.0), "2.00"),  # only what was random gets an interval
        (with_interval(2.0, 1e-15), "2.00"),
        (with_interval(2.0, 1e-3), "2.00 ± 0.00"),
        (with_ends(1.0, 0.5, 1.25, 2), "1.00 [0.50, 1.25]"),
        (with_ends(1.0, 0.9999, 1.0, 2), "1.00"),
    ],
)
def test_numbers_read_as_in_the_paper(text, wanted):
    assert text == wanted


def test_markdown_has_one_line_a_row():
    assert markdown(SHOWN) == "| state | gain | μ |\n| --- | --- | --- |\n| NM | 0.33 ± 0.01 | ∞ |\n"


def test_latex_escapes_what_latex_would_choke_on():
    text = latex(pd.DataFrame({"a_b": ["50 %", "\\"]}), "100 %", "label")
    for escaped in (r"a\_b \\", r"50 \% \\", r"\textbackslash{} \\", r"100 \%"):
        assert escaped in text
    assert text.count(r"\begin{") == text.count(r"\end{")


def test_every_format_names_the_data_and_csv_has_nine_digits(tmp_path):
    write(tmp_path / "table", NUMBERS, SHOWN, "Caption.", "SYNTHETIC DATA (seed 1)")
    for suffix in TABLE:
        assert "SYNTHETIC DATA (seed 1)" in (tmp_path / f"table{suffix}").read_text(encoding="utf-8")
    assert (tmp_path / "table.csv").read_text() == "state,gain,data\nNM,0.333333333,SYNTHETIC DATA (seed 1)\n"
