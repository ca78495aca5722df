"""The papers as PDFs, where a LaTeX is installed."""

import re
import shutil
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from private_experts.replication.files import write_text
from private_experts.replication.report import job_record, report_facts, typeset
from tests.replication.ledger.ledgers import everything

ROOT = Path(__file__).parents[3]
SOURCES, MATHEMATICS = ROOT / "paper", ROOT / "docs/mathematics"


def of_a_run(folder: Path) -> Path:
    """Make a folder like that of a run: the ledger of all claims, and small figures."""
    ledger = everything()
    write_text(folder / "facts.tex", report_facts.facts(ledger | {"data": "a_b & 50 % µ", "pinned": False}))
    (folder / "tables").mkdir()
    (folder / "figures").mkdir()
    # As figures of a run: the highest is 3.9 inches at 6.3, and others 2.8.
    Figure(figsize=(2, 1)).savefig(folder / "one.pdf")
    for figure in ledger["figures"]:
        shutil.copyfile(folder / "one.pdf", folder / "figures" / f"{figure['name']}.pdf")
    return folder


@pytest.fixture(scope="module")
def paper(tmp_path_factory) -> Path:
    return of_a_run(tmp_path_factory.mktemp("paper"))


def refused(capsys, *places: Path) -> str:
    """See that nothing is typeset, and return what is said."""
    with pytest.raises(SystemExit) as end:
        typeset.main(*places)
    assert end.value.code == 2
    return capsys.readouterr().err


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("bibtex") is None, reason=f"no LaTeX: {typeset.INSTALL}"
)


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
    (sources := tmp_path / "sources").mkdir()
    for name in ("replication.bib", "preamble.tex"):
        shutil.copy(SOURCES / name, sources)
    ends = r"\cite{hhs} \bibliographystyle{plain} \bibliography{replication} \end{document}"
    (sources / "report.tex").write_text(rf"\documentclass{{article}} \begin{{document}} {words} {ends}")
    (paper / "report.pdf").unlink(missing_ok=True)
    output = refused(capsys, sources, paper, tmp_path / "build", MATHEMATICS)
    assert re.search(complaint, output)
    assert output.count("\n") == 1
    assert not (paper / "report.pdf").exists()


def test_without_results_it_says_which_command_makes_them(tmp_path, capsys):
    output = refused(capsys, SOURCES, tmp_path, tmp_path / "build")
    assert output.endswith("facts.tex is not there yet: run `make reproduce` first\n")


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
        assert said in refused(capsys)
    # A run, which makes it again, takes it in; there is none here.
    unfinished = Path(".snakemake/incomplete", urlsafe_b64encode(str(table).encode()).decode())
    unfinished.parent.mkdir(parents=True)
    unfinished.touch()
    job_record.check(Path("results/logs"), Path("results"), Path("paper"))
    assert f"{table}: its job was stopped, or goes on; finish the run" in refused(capsys)


def test_without_latex_it_says_what_to_install(paper, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    output = refused(capsys, SOURCES, paper, tmp_path / "build")
    assert "no LaTeX is installed (pdflatex and bibtex not found)" in output
    assert "texlive-latex-recommended" in output
    assert not (tmp_path / "build").exists()
