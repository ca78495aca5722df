"""Tables as CSV for programs, Markdown for readers and LaTeX for papers; each names the data behind it."""

from pathlib import Path

import pandas as pd

from private_experts.replication.files import write_csv, write_text
from private_experts.replication.plotting.latex import escaped
from private_experts.replication.plotting.numbers import settled


def markdown(readable: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    lines = [list(readable.columns), ["---"] * readable.shape[1], *readable.astype(str).to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def latex(readable: pd.DataFrame, caption: str, label: str) -> str:
    """Return a table in LaTeX (booktabs)."""
    rows = [
        " & ".join(map(escaped, line)) + r" \\"
        for line in [list(readable.columns), *readable.to_numpy().tolist()]
    ]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escaped(caption)}}}",
            rf"\label{{tab:{label}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%  needs graphicx and booktabs",
            rf"\begin{{tabular}}{{{'l' * readable.shape[1]}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
            "",
        ]
    )


def write_numbers(path: Path, numbers: pd.DataFrame, data: str) -> None:
    """Write a table of numbers for programs as CSV, with the digits that are the same on every processor."""
    # Committed tables must be the same bytes on every machine.
    rounded = numbers.map(lambda value: settled(float(value)) if isinstance(value, float) else value)
    write_csv(path, rounded.assign(data=data))


def write(stem: Path, numbers: pd.DataFrame, readable: pd.DataFrame, caption: str, data: str) -> None:
    """Write a table in all formats: `numbers` for programs (`write_numbers`), `readable` as text."""
    stem = Path(stem)
    write_numbers(stem.with_suffix(".csv"), numbers, data)
    write_text(stem.with_suffix(".md"), f"**{caption}**\n\n{markdown(readable)}\nData: {data}.\n")
    write_text(stem.with_suffix(".tex"), latex(readable, f"{caption} Data: {data}.", stem.name))
