"""One command for the two papers: from their sources and the results of a run to PDFs.

It runs pdflatex and bibtex, which a LaTeX installation brings along, and nothing else.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from private_experts.errors import InputError, errors_in_one_line
from private_experts.replication.files import write_text, written_aside
from private_experts.replication.report import findings, job_record, number_sources, proofs, short_tables

PAPERS = ("report", "theorems")
FACTS = "facts.tex"  # which the run makes of the ledger
INSTALL = (
    "on Debian or Ubuntu: apt-get install --no-install-recommends texlive-latex-base "
    "texlive-latex-recommended"
)
RUNS = 5  # of pdflatex, until references have settled; three are usual


def typeset(
    name: str, sources: Path, paper: Path, build: Path, mathematics: Path, results: Path
) -> tuple[Path, int]:
    """Typeset a paper of `sources` with a run's products in `paper`, where the PDF goes; count pages."""
    if not (paper / FACTS).is_file():
        raise InputError(f"{paper / FACTS} is not there yet: run `make reproduce` first")
    absent = [program for program in ("pdflatex", "bibtex") if shutil.which(program) is None]
    if absent:
        raise InputError(f"no LaTeX is installed ({' and '.join(absent)} not found); {INSTALL}")
    short_tables.write(paper / "tables", results / "claims", build / "tables")
    write_text(build / "tables/findings.tex", findings.latex(paper / "tables"))
    proofs.write((sources / f"{name}.tex").read_text(encoding="utf-8"), mathematics, build)
    folders = os.pathsep.join([str(build.resolve()), str(paper.resolve()), str(sources.resolve()), ""])
    environment = {
        **os.environ,
        "TEXINPUTS": folders,
        "BIBINPUTS": folders,
        "TEXMFVAR": str((build / "texmf-var").resolve()),  # where fonts would be made, were any needed
        # The same results make the same bytes.
        "SOURCE_DATE_EPOCH": "0",
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "1000",
    }
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", f"{name}.tex"]
    _run(latex, build, environment)
    sources_list = build / "tables/number-sources.tex"

    def listed() -> str:
        noted = (build / f"{name}.aux").read_text(encoding="utf-8", errors="replace")
        return number_sources.listed(noted, results)

    write_text(sources_list, listed())
    if r"\citation" in (build / f"{name}.aux").read_text(encoding="utf-8", errors="replace"):
        _run(["bibtex", name], build, environment)
    for _ in range(RUNS - 1):
        log = _run(latex, build, environment)
        # Before there were references, which move what follows, pages were others.
        moved = (found := listed()) != sources_list.read_text(encoding="utf-8")
        write_text(sources_list, found)
        # no package's own title
        if not moved and not re.search(r"^(?!Package: ).*(?:Rerun|have changed)", log, re.MULTILINE):
            break
    if undefined := re.search(r"Warning: (?:Reference|Citation|Hyper reference) .* undefined", log):
        raise InputError(f"{sources / name}.tex: {undefined[0].removeprefix('Warning: ')}")
    pdf = paper / f"{name}.pdf"
    with written_aside(pdf) as aside:
        shutil.copyfile(build / pdf.name, aside)
    pages = re.search(r"Output written on .*\((\d+) pages?", log)
    return pdf, int(pages[1]) if pages else 0


def _run(command: Sequence[str], build: Path, environment: Mapping[str, str]) -> str:
    """Run a program in the build folder and return its log; when it fails, tell its first complaint."""
    process = subprocess.run(command, cwd=build, env=environment, capture_output=True, check=False)
    output = process.stdout.decode("utf-8", errors="replace")
    name = Path(command[-1]).stem
    log = build / f"{name}.{'blg' if command[0] == 'bibtex' else 'log'}"
    if process.returncode:
        complaints = [
            line for line in output.splitlines() if line.startswith(("!", "I couldn't", "I found", "l."))
        ]
        raise InputError(
            f"{command[0]} failed: {'; '.join(complaints[:2]) or 'it output nothing'}; see {log}"
        )
    return log.read_text(encoding="utf-8", errors="replace") if command[0] != "bibtex" else output


def main(
    sources: Path = Path("paper"),
    paper: Path = Path("paper"),
    build: Path = Path("results/typeset"),
    mathematics: Path = Path("docs/mathematics"),
    results: Path = Path("results"),
) -> None:
    """Typeset both papers, and say where they are, or in one line what went wrong."""
    with errors_in_one_line():
        # Numbers that no run computed are not printed.
        job_record.refuse_unfinished(results, paper)
        job_record.check(results / "logs", results, paper)
        made = [typeset(name, sources, paper, build, mathematics, results) for name in PAPERS]
        try:
            print("\n".join(f"{pdf} ({pages} pages)" for pdf, pages in made), flush=True)
        except BrokenPipeError:  # nobody reads it, and the PDFs are there
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that no later flush complains


if __name__ == "__main__":
    main()
