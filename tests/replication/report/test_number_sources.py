"""The list at the end of a paper says of what each number is made, and by which rule of the run."""

import re
from pathlib import Path

from private_experts.replication.files import write_text
from private_experts.replication.report import findings, scripts, short_tables
from private_experts.replication.report.number_sources import listed

ROOT = Path(__file__).parents[3]


def noted(*places: tuple[str, int, str]) -> str:
    lines = [rf"\source{{{source}}}{{{page}}}{{{words}}}" for source, page, words in places]
    return "\n".join([r"\citation{x}", *lines, r"\newlabel{source:x}{{}{1}}", ""])


def seen(latex: str) -> str:
    """Return what a reader sees of names and paths."""
    bare = latex.replace(r"\allowbreak{}", "").replace(r"\_", "_")
    return re.sub(
        r"\\item.*?\}(?=\\)|\\href\{[^}]*\}\{\\texttt\{([^}]*)\}\}", lambda found: found[1] or "", bare
    )


def run(folder: Path) -> Path:
    """Return a run's folder, whose logs say what was written."""
    write_text(folder / "logs/own-counts.log", "wrote ab paper/tables/own-counts.csv\ntook 1.00 s\n")
    write_text(folder / "logs/claim-figures/001.log", "wrote ab paper/figures/001-x.pdf\n")
    return folder


def test_numbers_of_one_source_stand_together_with_the_rule_that_made_it(tmp_path):
    places = [
        ("own-counts", 3, "51"),
        ("000/x", 4, "$2$"),
        ("own-counts", 5, "0.4 "),
        ("own-counts", 3, "51"),
    ]
    begin, first, second, end, _ = listed(noted(*places), run(tmp_path)).split("\n")
    assert first.startswith(r"\item\phantomsection\label{source:own-counts}\href{tables/own-counts.csv}")
    script = "../src/private_experts/replication/study/own_counts/own_counts_tables.py"
    assert rf"computed by \href{{{script}}}" in first
    assert r"rule \texttt{own\_counts} of \href{../workflow/rules/own_counts.smk}" in first
    # What a reader sees are paths in the repository, since a link leads nowhere from another folder.
    assert seen(first).startswith("paper/tables/own-counts.csv, computed by src/private_experts/replication/")
    assert first.endswith(r": 51 on page~\hyperlink{page.3}{3}; 0.4 on page~\hyperlink{page.5}{5}.")
    assert r"\label{source:000/x}\csname rests@000/x\endcsname: $2$ on" in second
    assert (begin, end) == (r"\begin{itemize}", r"\end{itemize}")


def test_a_number_of_several_tables_names_them_all_and_none_needs_a_log(tmp_path):
    text = listed(noted(("table-2+readings", 1, "94"), ("claims", 1, "8"), ("data", 1, "x")), tmp_path)
    assert r"\href{claims.csv}" in text
    assert r"\href{data.json}" in text
    assert "rule" not in text
    study = "src/private_experts/replication/study"
    assert f"paper/tables/table-2.csv, computed by {study}/table_2.py; paper/tables/readings.csv" in seen(
        text
    )


def test_scripts_that_are_named_are_there_and_know_the_stage_that_calls_them():
    cited = {source for number in short_tables.NUMBERS.values() for source in [number.source]}
    cited |= {table.source for table in short_tables.TABLES.values()}
    cited |= {source for _, sources in findings.found_numbers(ROOT / "none").values() for source in sources}
    claims = {source for source in cited if "/" in source}
    entries = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "claims").glob("*.yaml"))
    assert [claim for claim in claims if f"- id: {claim}\n" not in entries] == []
    named = {name: scripts.of_table(name) for name in cited - claims}
    assert [name for name, path in named.items() if not (ROOT / path).is_file()] == []
    stages = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src/private_experts/replication/study").rglob("*_stages.py")
    )
    for path in named.values():
        assert not path.endswith("_stages.py")  # they read and write, and call what computes
        assert re.search(rf"import .*\b{Path(path).stem}\b", stages), path
