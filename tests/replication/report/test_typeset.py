"""The papers as PDFs, where a LaTeX is installed."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from private_experts.replication.files import write_text
from private_experts.replication.plotting.latex import traced
from private_experts.replication.report import job_record, report_facts, short_tables, typeset
from tests.replication.ledger.ledgers import everything

ROOT = Path(__file__).parents[3]
SOURCES, MATHEMATICS = ROOT / "paper", ROOT / "docs/mathematics"
PAGES = 8  # of the replication, without references and the appendix


@pytest.fixture(scope="module")
def paper(tmp_path_factory) -> Path:
    """Return a folder like that of a run: the ledger of all claims, and small tables and figures."""
    folder, ledger = tmp_path_factory.mktemp("paper"), everything()
    write_text(folder / "facts.tex", report_facts.facts(ledger | {"data": "a_b & 50 % µ", "pinned": False}))
    (folder / "tables").mkdir()
    (folder / "figures").mkdir()
    # As figures of a run: the highest is 3.9 inches at 6.3, and others 2.8.
    Figure(figsize=(2, 1)).savefig(folder / "one.pdf")
    for figure in ledger["figures"]:
        shutil.copyfile(folder / "one.pdf", folder / "figures" / f"{figure['name']}.pdf")
    return folder


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


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("bibtex") is None, reason=f"no LaTeX: {typeset.INSTALL}"
)


@needs_latex
def test_both_papers_are_built_with_all_references(paper, tmp_path, capsys, monkeypatch):
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


@needs_latex
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (r"\cite{nobody}", "Citation `nobody' .* undefined"),
        (r"\input{tables/none}", "pdflatex failed: ! LaTeX Error: File `tables/none.tex' not found"),
        (r"\proofsof{000}{nothing}", "000.md has no anchor 'nothing', which the paper shows"),
    ],
)
def test_what_is_wrong_with_the_source_is_told_in_one_line(words, complaint, paper, tmp_path, capsys):
    sources = tmp_path / "sources"
    sources.mkdir()
    shutil.copy(SOURCES / "replication.bib", sources)
    shutil.copy(SOURCES / "preamble.tex", sources)
    ends = r"\cite{hhs} \bibliographystyle{plain} \bibliography{replication} \end{document}"
    (sources / "report.tex").write_text(rf"\documentclass{{article}} \begin{{document}} {words} {ends}")
    (paper / "report.pdf").unlink(missing_ok=True)
    with pytest.raises(SystemExit) as end:
        typeset.main(sources, paper, tmp_path / "build", MATHEMATICS)
    assert end.value.code == 2
    output = capsys.readouterr().err
    assert re.search(complaint, output)
    assert output.count("\n") == 1
    assert not (paper / "report.pdf").exists()


def test_the_papers_are_built_also_when_nobody_reads_where_they_are(tmp_path, monkeypatch):
    """As by make paper | head, whose reader may leave first."""
    made = []
    monkeypatch.setattr(typeset, "typeset", lambda name, *_: made.append(name) or (tmp_path / name, 1))
    monkeypatch.setattr(job_record, "check", lambda *_: None)
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as nobody:
        monkeypatch.setattr(sys, "stdout", nobody)
        typeset.main()
    assert made == [*typeset.PAPERS]


def test_without_results_it_says_which_command_makes_them(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        typeset.main(SOURCES, tmp_path, tmp_path / "build")
    assert end.value.code == 2
    assert re.search(r"facts\.tex is not there yet: run `make reproduce` first\n$", capsys.readouterr().err)


def test_a_table_that_no_run_wrote_is_not_typeset(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = Path("paper/tables/table-2.csv")
    for folder in (table.parent, Path("results/logs")):
        folder.mkdir(parents=True)
    table.write_text("1.21646969\n")
    Path("results/logs/table-2.log").write_text(f"{job_record.line(table)}\ntook 1.00 s\n")
    for written, said in (
        ("1.21646969\n", "facts.tex is not there yet"),
        ("1.91646969\n", "paper/tables/table-2.csv: is not what its job wrote; delete it"),
    ):
        table.write_text(written)
        with pytest.raises(SystemExit) as end:
            typeset.main()
        assert end.value.code == 2
        assert said in capsys.readouterr().err


def test_without_latex_it_says_what_to_install(paper, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(SystemExit) as end:
        typeset.main(SOURCES, paper, tmp_path / "build")
    assert end.value.code == 2
    output = capsys.readouterr().err
    assert "no LaTeX is installed (pdflatex and bibtex not found)" in output
    assert "texlive-latex-recommended" in output
    assert not (tmp_path / "build").exists()
