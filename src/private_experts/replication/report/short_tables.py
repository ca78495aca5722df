"""The tables of the replication report: a few columns each of the tables of a run, as bare LaTeX."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.replication.files import write_text
from private_experts.replication.plotting.latex import escaped
from private_experts.replication.plotting.numbers import level
from private_experts.replication.records import read_rows

Row = Mapping[str, Any]
Columns = Sequence[tuple[str, Callable[[Row], str]]]  # headings and texts


def _value(name: str, digits: int = 1) -> Callable[[Row], str]:
    """Return how a value is shown, with the half-width of its interval where there is one."""

    def text(row: Row) -> str:
        width = float(row.get(f"{name}_pm") or 0)
        return f"{float(row[name]):.{digits}f}" + (f" ± {width:.{digits}f}" if width else "")

    return text


def _ratio(name: str) -> Columns:
    """Return the columns of one ratio: here, and as printed."""
    return [("here", _value(name, 2)), ("printed", lambda row: f"{float(row[f'published_{name}'] or 'nan'):.2f}")]


_CELL: Columns = [("state", lambda row: row["state"]), ("μ", lambda row: level(float(row["mu"])))]
# By name: the run's table, the headings above those of the columns with how many columns each spans, and the columns.
TABLES: Mapping[str, tuple[str, Sequence[tuple[str, int]], Columns]] = {
    "short-table-2": (
        "table-2",
        [("", 2), ("best linear model", 2), ("Min Noise", 2), ("Min Regret", 2)],
        [*_CELL, *_ratio("ratio_to_best_linear"), *_ratio("ratio_to_min_noise"), *_ratio("ratio_to_min_regret")],
    ),
}


def latex(rows: Sequence[Row], spans: Sequence[tuple[str, int]], columns: Columns) -> str:
    """Return a table in LaTeX (booktabs), without caption."""
    above = " & ".join(rf"\multicolumn{{{count}}}{{c}}{{{escaped(words)}}}" for words, count in spans)
    lines = [" & ".join(escaped(text(row)) for _, text in columns) + r" \\" for row in rows]
    head = " & ".join(escaped(name) for name, _ in columns)
    parts = [rf"\begin{{tabular}}{{{'l' * len(columns)}}}", r"\toprule", above + r" \\", head + r" \\", r"\midrule"]
    return "\n".join([*parts, *lines, r"\bottomrule", r"\end{tabular}", ""])


def write(tables: Path, output: Path) -> None:
    """Write all that a run's tables have the rows for."""
    output.mkdir(parents=True, exist_ok=True)
    for name, (source, spans, columns) in TABLES.items():
        if (tables / f"{source}.csv").is_file():
            write_text(output / f"{name}.tex", latex(read_rows(tables / f"{source}.csv"), spans, columns))
