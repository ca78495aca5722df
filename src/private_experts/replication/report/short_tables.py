"""Tables of the replication report: a few columns each of a run's, as bare LaTeX. And its prose's numbers."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from private_experts.replication.files import write_text
from private_experts.replication.plotting.latex import escaped, number, traced
from private_experts.replication.plotting.numbers import level
from private_experts.replication.records import read_rows
from private_experts.replication.report import findings
from private_experts.replication.study import statements
from private_experts.replication.study.own_counts import own_counts_elsewhere, own_counts_price
from private_experts.replication.study.readings import slope
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE
from private_experts.replication.study.statements import elsewhere

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
    printed = f"published_{name}"
    return [
        ("here", _value(name, 2)),
        ("printed", lambda row: f"{float(row[printed]):.2f}" if row[printed] else ""),
    ]


_CELL: Columns = [("state", lambda row: row["state"]), ("μ", lambda row: level(float(row["mu"])))]


def _score(name: str) -> Callable[[Row], str]:
    """Return how a score is shown, with its interval."""
    return lambda row: (
        f"{float(row[name]):.3f} [{float(row[f'{name}_low']):.3f}, {float(row[f'{name}_high']):.3f}]"
    )


class Short(NamedTuple):
    """A table of the report."""

    source: str  # the run's table
    spans: Sequence[tuple[str, int]]  # headings above those of the columns, and how many columns each spans
    columns: Columns
    shows: Callable[[Row], bool] = bool  # which rows; all of them


TABLES = {
    "short-table-2": Short(
        "table-2",
        [("RW-Meta over", 2), ("best linear model", 2), ("Min Noise", 2), ("Min Regret", 2)],
        [
            *_CELL,
            *_ratio("ratio_to_best_linear"),
            *_ratio("ratio_to_min_noise"),
            *_ratio("ratio_to_min_regret"),
        ],
    ),
    "short-readings": Short(
        "readings",
        [("", 1), ("score", 3)],
        [
            ("learners", lambda row: row["what"]),
            ("left out", _score("score")),
            ("RW-Meta / best linear", _score("RW-Meta / best linear")),
            ("best linear / at ∞", _score("best linear / at ∞")),
        ],
        lambda row: row["floor"] == ADMISSIBLE,
    ),
    "short-own-counts": Short(
        "own-counts",
        [("", 2), ("RW-Meta", 2), ("posterior means", 2), ("best curator", 2)],
        [
            *_CELL,
            ("paper's noise", _value("same_rw_meta")),
            ("own counts", _value("own_rw_meta")),
            ("paper's noise", _value("same_posterior_means")),
            ("own counts", _value("own_posterior_means")),
            ("paper's noise", _value("same_central")),
            ("own counts", _value("own_central")),
        ],
        lambda row: float(row["mu"]) in (1.0, 0.5, 0.25, 0.1),
    ),
    "short-own-counts-price": Short(
        "own-counts-price",
        [("", 1), ("average bed", 2), ("gain, that average", 2), ("public file", 2), ("gain, kept there", 2)],
        [
            ("state", lambda row: row["state"]),
            *(
                (title, _value(f"{of}_{mechanism}", digits))
                for of, digits in (("average", 3), ("matched", 1), ("public", 1), ("covered", 1))
                for mechanism, title in (("same", "same"), ("own", "own"))
            ),
        ],
    ),
}


class Number(NamedTuple):
    """A number that the report's prose cites by its name."""

    source: str  # the run's table, or the claim of whose evidence it is
    text: Callable[[Sequence[Row]], str]


def _largest(
    value: Callable[[Row], float], digits: int, shows: Callable[[float], bool]
) -> Callable[[Sequence[Row]], str]:
    """Return how the largest value is shown, of the rows at these privacy levels."""

    def text(rows: Sequence[Row]) -> str:
        found = [value(row) for row in rows if shows(float(row["mu"]))]
        return f"{max(found):.{digits}f}" if found else "--"

    return text


def _share(statement: str, answer: str) -> Callable[[Sequence[Row]], str]:
    """Return the share of a statement's cells with an answer, under all kinds of learners, in percent."""

    def text(rows: Sequence[Row]) -> str:
        rated = [row for row in rows if row["statement"] == statement and row["floor"] == ADMISSIBLE]
        cells = sum(int(row[name]) for row in rated for name in ("agrees", "differs", "undecided"))
        return f"{100 * sum(int(row[answer]) for row in rated) / cells:.0f}" if cells else "--"

    return text


def _cells(column: str, sign: int, private: bool) -> Callable[[Sequence[Row]], str]:
    """Return in which share of the cells, of those with privacy or of all, a difference has this sign."""

    def text(rows: Sequence[Row]) -> str:
        leads = [
            float(row[column])
            for row in rows
            if column in row and (float(row["mu"]) < math.inf or not private)
        ]
        return findings.share(sum(sign * lead > 0 for lead in leads), len(leads), "cell") if leads else "--"

    return text


def _answers(statement: str, kind: str) -> Callable[[Sequence[Row]], str]:
    """Return in how many cells a statement holds, fails and is undecided, with one kind of learners."""

    def text(rows: Sequence[Row]) -> str:
        for row in rows:
            if (row["statement"], row["floor"], row["kind"]) == (statement, ADMISSIBLE, kind):
                agrees, differs, undecided = (row[answer] for answer in ("agrees", "differs", "undecided"))
                return f"holds in {agrees} cells, fails in {differs} and is undecided in {undecided}"
        return "--"

    return text


def _decided(statement: str, verdict: str) -> Callable[[Sequence[Row]], str]:
    """Return in how many points of a claim's evidence, of those of a statement, the verdict is this one."""

    def text(rows: Sequence[Row]) -> str:
        verdicts = [row["verdict"] for row in rows if row["statement"] == statement]
        return f"{verdicts.count(verdict)} of {len(verdicts)}"

    return text


def _simulated(rows: Sequence[Row]) -> str:
    """Return the largest simulated value that breaks a bound, with its interval and its place."""
    broken = [row for row in rows if row["route"] == "simulated" and row["verdict"] == "fails"]
    if not broken:
        return "--"
    row = max(broken, key=lambda row: float(row["value"]))
    value, low, high = (number(row[name], 3) for name in ("value", "low", "high"))
    return f"${value}$ $[{low},\\,{high}]$ at $T = {row['T']}$ and $N = {row['N']}$"


def _chosen(rows: Sequence[Row]) -> str:
    """Return the kind of learners that is closest to the printed ratios on states that were left out."""
    rated = [row for row in rows if row["floor"] == ADMISSIBLE]
    return escaped(min(rated, key=lambda row: float(row["score"]))["what"]) if rated else "--"


def _not_told_apart(rows: Sequence[Row]) -> str:
    """Return the other kinds that may be as close, by the intervals of the scores' differences."""
    kinds = [row["what"] for row in rows if findings.may_be_closest(row)]
    return escaped(", ".join(kind for kind in kinds if kind != _chosen(rows)))


NUMBERS = {
    "own gain": Number(
        "own-counts",
        _largest(
            lambda row: 100 * (float(row["own_rw_meta"]) / float(row["same_rw_meta"]) - 1), 0, math.isfinite
        ),
    ),
    "curator above": Number(
        "own-counts",
        _largest(lambda row: float(row["own_price_posterior"]), 1, lambda mu: 0.5 <= mu < math.inf),
    ),
    "curator below": Number(
        "own-counts", _largest(lambda row: float(row["own_price_posterior"]), 1, lambda mu: mu < 0.5)
    ),
    "cells ahead": Number("table-2", _cells("lead", 1, private=False)),
    "cells behind central": Number("table-2", _cells("lead_over_central", -1, private=True)),
    "cells local ahead": Number("table-2", _cells("second_local", -1, private=True)),
    "about 90, trend": Number("readings-statements", _answers("about 90 %", "trend")),
    "about 90, Gaussian process": Number("readings-statements", _answers("about 90 %", "Gaussian process")),
    "chosen": Number("readings", _chosen),
    "not told apart": Number("readings", _not_told_apart),
    "states level": Number("generality-statements", lambda rows: str(elsewhere(rows)["mu"])),
    "states": Number("generality-statements", lambda rows: str(elsewhere(rows)["states"])),
    "states ahead": Number("generality-statements", lambda rows: str(elsewhere(rows)["agrees"])),
    "states behind": Number("generality-statements", lambda rows: str(elsewhere(rows)["differs"])),
    "own elsewhere": Number("own-counts-elsewhere", own_counts_elsewhere.sentence),
    "best": Number("readings-statements", _share("best", "agrees")),
    "not best": Number("readings-statements", _share("best", "differs")),
    "range": Number("readings-statements", _share("1.5x to 3x", "agrees")),
    "weeks": Number("table-2", lambda rows: str(max(int(row["weeks"]) for row in rows))),
    "weeks between": Number(
        "quality",
        lambda rows: max(rows, key=lambda row: int(row["weeks"]))["weeks_missing_between"],
    ),
    "public level": Number(
        "own-counts-price", lambda rows: f"{max(float(row['public_same']) for row in rows):.1f}"
    ),
    "own public level": Number(
        "own-counts-price", partial(own_counts_price.ends, name="public_own", digits=1)
    ),
    "decided behind central": Number("000/table-2-words", _decided(statements.BEST_OF_ALL.name, "fails")),
    "games of the lead": Number(
        "000/table-2-words", lambda rows: statements.games_of(rows, statements.BEST.name)
    ),
    "plays reveal": Number("004/theorem-5-2-privacy/as-printed", _simulated),
    "slope": Number("table-2", lambda rows: escaped(slope.ends(rows))),
    "below print": Number("table-2", lambda rows: escaped(slope.below_print(rows))),
    "slope by column": Number("patient-columns", lambda rows: escaped(slope.by_column(rows))),
}


def latex(rows: Sequence[Row], spans: Sequence[tuple[str, int]], columns: Columns) -> str:
    """Return a table in LaTeX (booktabs), without caption."""
    above = " & ".join(rf"\multicolumn{{{count}}}{{c}}{{{escaped(words)}}}" for words, count in spans)
    lines = [" & ".join(escaped(text(row)) for _, text in columns) + r" \\" for row in rows]
    head = " & ".join(escaped(name) for name, _ in columns)
    parts = [
        rf"\begin{{tabular}}{{{'l' * len(columns)}}}",
        r"\toprule",
        above + r" \\",
        head + r" \\",
        r"\midrule",
    ]
    return "\n".join([*parts, *lines, r"\bottomrule", r"\end{tabular}", ""])


def write(tables: Path, evidence: Path, output: Path) -> None:
    """Write all that the run has tables for."""
    output.mkdir(parents=True, exist_ok=True)
    for name, (source, spans, columns, shows) in TABLES.items():
        if (tables / f"{source}.csv").is_file():
            rows = filter(shows, read_rows(tables / f"{source}.csv"))
            write_text(output / f"{name}.tex", traced((source,), latex(list(rows), spans, columns)))
    lines = []
    for name, (source, text) in NUMBERS.items():
        path = (evidence if "/" in source else tables) / f"{source}.csv"
        if path.is_file():
            of_run = read_rows(path)
            # Without rows, or with the reason why a claim was not run, there is no number.
            cited = text(of_run) if of_run and {*of_run[0]} != {"reason"} else ""
            found = traced((source,), cited or "--")
            lines.append(rf"\expandafter\def\csname number@{name}\endcsname{{{found}}}")
    write_text(output / "short-numbers.tex", "\n".join([*lines, ""]))
