"""The notebook: the story of the replication, executed on the results."""

from pathlib import Path

from private_experts.files import write_text


def notebook(source: Path, results: Path, paper: Path, output: Path, page: Path) -> None:
    """Execute the notebook on the results of a run, and write it down as such and as a page."""
    import nbformat

    from private_experts.report import notebook as report
    from private_experts.report.reading import PAPER_VARIABLE, RESULTS_VARIABLE

    variables = {RESULTS_VARIABLE: str(results.resolve()), PAPER_VARIABLE: str(paper.resolve())}
    executed = report.executed(source, variables)
    write_text(output, nbformat.writes(executed) + "\n")
    write_text(page, report.page(executed))
