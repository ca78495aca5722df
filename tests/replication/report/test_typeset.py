"""The report as a PDF, where a LaTeX is installed."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from private_experts.replication.files import write_text
from private_experts.replication.report import report_facts, typeset
from tests.replication.ledger.ledgers import everything

SOURCES = Path(__file__).parents[3] / "paper"


@pytest.fixture(scope="module")
def paper(tmp_path_factory) -> Path:
    """Return a folder like that of a run: the ledger of all claims, and small tables and figures."""
    folder, ledger = tmp_path_factory.mktemp("paper"), everything()
    write_text(folder / "facts.tex", report_facts.facts(ledger | {"data": "a_b & 50 % µ", "pinned": False}))
    (folder / "tables").mkdir()
    (folder / "figures").mkdir()
    # Figures of a run are at least twice as wide as they are high.
    Figure(figsize=(2, 1)).savefig(folder / "one.pdf")
    for figure in ledger["figures"]:
        shutil.copyfile(folder / "one.pdf", folder / "figures" / f"{figure['name']}.pdf")
    return folder


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("bibtex") is None, reason=f"no LaTeX: {typeset.INSTALL}"
)


@needs_latex
def test_the_report_is_built_with_all_references(paper, tmp_path, capsys, monkeypatch):
    build, run, begun = tmp_path / "build", typeset._run, []
    monkeypatch.setattr(
        typeset, "_run", lambda command, *rest: begun.append(command[0]) or run(command, *rest)
    )
    typeset.main(SOURCES, paper, build)
    output = re.fullmatch(r".*report\.pdf \((\d+) pages\)\n", capsys.readouterr().out)
    assert output
    assert int(output[1]) <= 10
    # Until all has settled, and no more.
    assert begun == ["pdflatex", "bibtex", "pdflatex", "pdflatex"]
    assert (paper / "report.pdf").read_bytes().startswith(b"%PDF")
    log = (build / "report.log").read_text(errors="replace")
    assert "undefined" not in log
    assert "multiply defined" not in log
    # A few points are lost in the margin.
    assert [width for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 15] == []
    assert not [path for path in paper.iterdir() if path.suffix in {".aux", ".log", ".out"}]


@needs_latex
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (r"\cite{nobody}", "Citation `nobody' .* undefined"),
        (r"\ref{fig:none}", "Reference `fig:none' .* undefined"),
        (r"\begin{abstrakt}", "pdflatex failed: ! LaTeX Error: Environment abstrakt undefined"),
        (r"\input{tables/none}", "pdflatex failed: ! LaTeX Error: File `tables/none.tex' not found"),
    ],
)
def test_what_is_wrong_with_the_source_is_told_in_one_line(words, complaint, paper, tmp_path, capsys):
    sources = tmp_path / "sources"
    sources.mkdir()
    shutil.copy(SOURCES / "replication.bib", sources)
    ends = r"\cite{hhs} \bibliographystyle{plain} \bibliography{replication} \end{document}"
    (sources / "report.tex").write_text(rf"\documentclass{{article}} \begin{{document}} {words} {ends}")
    (paper / "report.pdf").unlink(missing_ok=True)
    with pytest.raises(SystemExit) as end:
        typeset.main(sources, paper, tmp_path / "build")
    assert end.value.code == 2
    output = capsys.readouterr().err
    assert re.search(complaint, output)
    assert output.count("\n") == 1
    assert not (paper / "report.pdf").exists()


def test_without_results_it_says_which_command_makes_them(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        typeset.main(SOURCES, tmp_path, tmp_path / "build")
    assert end.value.code == 2
    assert re.search(r"facts\.tex is not there yet: run `make reproduce` first\n$", capsys.readouterr().err)


def test_without_latex_it_says_what_to_install(paper, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(SystemExit) as end:
        typeset.main(SOURCES, paper, tmp_path / "build")
    assert end.value.code == 2
    output = capsys.readouterr().err
    assert "no LaTeX is installed (pdflatex and bibtex not found)" in output
    assert "texlive-latex-recommended" in output
    assert not (tmp_path / "build").exists()
