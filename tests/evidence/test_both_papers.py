"""Both papers as a run makes them: LaTeX runs until all references are known."""

import re

from private_experts.replication.files import write_text
from private_experts.replication.plotting.latex import traced
from private_experts.replication.report import short_tables, typeset
from tests.replication.report.test_typeset import MATHEMATICS, SOURCES, needs_latex, of_a_run

PAGES = 8  # of the replication, without references and the appendix


def tables_of_twelve_rows(_, __, output):
    """Write tables at least as long as those of a run."""
    for name, short in short_tables.TABLES.items():
        rows = " & ".join(["0.83"] * len(short.columns)) + r" \\"
        table = [rf"\begin{{tabular}}{{{'l' * len(short.columns)}}}", *[rows] * 14, r"\end{tabular}"]
        write_text(output / f"{name}.tex", traced((short.source,), "\n".join(table)))
    numbers = []
    for name, number in short_tables.NUMBERS.items():
        text = traced((number.source,), "0.94 " * (25 if "slope" in name else 1))
        numbers.append(rf"\expandafter\def\csname number@{name}\endcsname{{{text}}}")
    write_text(output / "short-numbers.tex", "\n".join(numbers))


def title_of(pdf: bytes) -> str:
    """Return the title in the data of a PDF."""
    found = re.search(rb"/Title\((.*?)\)\s*/", pdf, re.DOTALL)
    assert found
    return re.sub(rb"\\(\d{3})", lambda sign: bytes([int(sign[1], 8)]), found[1]).decode("utf-16")


@needs_latex
def test_both_papers_are_built_with_all_references(tmp_path, capsys, monkeypatch):
    (paper := tmp_path / "paper").mkdir()
    of_a_run(paper)
    build, run, begun = tmp_path / "build", typeset._run, []
    monkeypatch.setattr(
        typeset, "_run", lambda command, *rest: begun.append(command[0]) or run(command, *rest)
    )
    monkeypatch.setattr(short_tables, "write", tables_of_twelve_rows)
    typeset.main(SOURCES, paper, build, MATHEMATICS)
    output = re.fullmatch(
        r".*report\.pdf \((\d+) pages\)\n.*theorems\.pdf \((\d+) pages\)\n", capsys.readouterr().out
    )
    assert output
    last = re.search(r"newlabel\{page:last\}\{\{\d+\}\{(\d+)\}", (build / "report.aux").read_text())
    assert int(last[1]) <= PAGES < int(output[1]) < int(output[2]) < 30
    # Until all has settled, and no more.
    assert begun.count("bibtex") == 2
    assert begun.count("pdflatex") <= 7
    for name in typeset.PAPERS:
        pdf = (paper / f"{name}.pdf").read_bytes()
        assert pdf.startswith(b"%PDF")
        # By which a viewer and a screen reader name it, without the space that stands above it.
        title = re.search(r"\\title\{.*\{\}(.+)\}", (SOURCES / f"{name}.tex").read_text())
        assert title
        assert title_of(pdf) == title[1]
        # Each number leads to a place of the list, which says what it is made of.
        noted = (build / f"{name}.aux").read_text(errors="replace")
        # Also of pages behind the references, which the first pass does not have.
        cited = (build / "tables/number-sources.tex").read_text() if name == typeset.PAPERS[-1] else ""
        places = {*re.findall(r"hyperlink\{page\.(\d+)\}", cited)}
        assert not cited or places == {*re.findall(r"\\source\{[^}]*\}\{(\d+)\}", noted)}
        led = {*re.findall(r"\\source\{([^}]*)\}", noted)}
        assert led == {*re.findall(r"newlabel\{source:([^}]*)\}", noted)}
        shown = re.findall(r"\\figureof\{([^}]*)\}", (SOURCES / f"{name}.tex").read_text())
        assert {"quality", "own-counts", "generality-statements"} & led
        assert {f"figures/{figure}" for figure in shown} <= led
        log = (build / f"{name}.log").read_text(errors="replace")
        assert "undefined" not in log
        assert "multiply defined" not in log
        # A few points are lost in the margin.
        wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)
        assert [width for width in wide if float(width) > 15] == []
    assert not [path for path in paper.iterdir() if path.suffix in {".aux", ".log", ".out"}]
