"""The list at the end of a paper says of what each number is made, and by which rule of the run."""

from pathlib import Path

from private_experts.replication.files import write_text
from private_experts.replication.report.number_sources import listed

PAPER = Path("paper")


def noted(*places: tuple[str, int, str]) -> str:
    lines = [rf"\source{{{source}}}{{{page}}}{{{words}}}" for source, page, words in places]
    return "\n".join([r"\citation{x}", *lines, r"\newlabel{source:x}{{}{1}}", ""])


def run(folder: Path) -> Path:
    """Return a run's folder, whose logs say what was written and whose stamps are named by the code."""
    write_text(folder / "logs/own-counts.log", "wrote ab paper/tables/own-counts.csv\ntook 1.00 s\n")
    write_text(folder / "logs/claim-figures/001.log", "wrote ab paper/figures/001-x.pdf\n")
    write_text(folder / "code/replication.study.own_counts.own_counts_stages.own_counts.txt", "")
    write_text(folder / "code/replication.study.own_counts.own_counts_stages.own_counts_elsewhere.txt", "")
    return folder


def test_numbers_of_one_source_stand_together_with_the_rule_that_made_it(tmp_path):
    places = [
        ("own-counts", 3, "51"),
        ("000/x", 4, "$2$"),
        ("own-counts", 5, "0.4 "),
        ("own-counts", 3, "51"),
    ]
    begin, first, second, end, _ = listed(noted(*places), PAPER, run(tmp_path)).split("\n")
    assert first.startswith(r"\item\phantomsection\label{source:own-counts}\href{tables/own-counts.csv}")
    assert r"by rule \texttt{own\_counts}, " in first
    code = "../src/private_experts/replication/study/own_counts/own_counts_stages.py"
    assert first.count(r"\href") == 2
    assert rf"\href{{{code}}}" in first
    assert first.endswith(r": 51 on page~\hyperlink{page.3}{3}; 0.4 on page~\hyperlink{page.5}{5}.")
    assert r"\label{source:000/x}\csname rests@000/x\endcsname: $2$ on" in second
    assert (begin, end) == (r"\begin{itemize}", r"\end{itemize}")


def test_tables_and_figures_are_not_repeated_and_a_figure_names_its_claims(tmp_path):
    places = [("own-counts", 3, r"\begin {tabular}0.5"), ("figures/001-x", 6, r"\includegraphics [w]")]
    text = listed(noted(*places), PAPER, run(tmp_path))
    assert r": the table on page~\hyperlink{page.3}{3}." in text
    assert r"by rule \texttt{claim\_figures}, of \csname rests@figures/001-x\endcsname" in text.replace(
        r"\ifcsname rests@figures/001-x\endcsname", ""
    )
    assert r": the figure on page~\hyperlink{page.6}{6}." in text
    assert "0.5" not in text


def test_a_number_of_several_tables_names_them_all_and_none_needs_a_log(tmp_path):
    text = listed(noted(("table-2+readings", 1, "94"), ("claims", 1, "8"), ("data", 1, "x")), PAPER, tmp_path)
    assert r"table\allowbreak{}-2.csv}}; \href{tables/readings.csv}" in text
    assert r"\href{claims.csv}" in text
    assert r"\href{data.json}" in text
    assert "rule" not in text
