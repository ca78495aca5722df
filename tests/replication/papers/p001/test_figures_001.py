"""The figures of paper 001 carry the numbers of the evidence, and say so when there is none."""

import functools
import importlib

import numpy as np
import pandas as pd

from private_experts.replication.ledger.checking import points_of
from private_experts.replication.papers.p001 import figures_001
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN as LEDGER

FIGURES = {figure.name: figure for figure in LEDGER.figures.values() if figure.paper == "001"}


@functools.cache
def evidence_of(name):
    """Return the quick evidence of a figure's claims, as it comes back from a CSV file."""
    tables = {}
    for one in FIGURES[name].claims:
        claim = LEDGER.claims[one]
        module, _, function = claim.check.partition(":")
        check = getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)
        points = points_of(check, claim.experiment(quick=True).grid, claim.repetitions, 1)
        tables[one] = pd.DataFrame([point.row() for point in points])
    return tables


def figure_of(name, evidence):
    return getattr(figures_001, FIGURES[name].draw.partition(":")[2])(evidence)


def lines_of(panel):
    """Return a panel's named lines as arrays of (x, y)."""
    return {line.get_label(): np.array(line.get_data(), dtype=float).T for line in panel.lines}


@each("name", FIGURES)
def test_without_evidence_it_says_that_nothing_was_run(name):
    empty = {one: pd.DataFrame({"reason": ["no time"]}) for one in FIGURES[name].claims}
    (panel,) = figure_of(name, empty).axes
    assert [text.get_text() for text in panel.texts] == ["not run"]


def test_regret_stands_over_draws_below_its_bound():
    evidence = evidence_of("regret-switches")
    (table,) = evidence.values()
    (panel,) = figure_of("regret-switches", evidence).axes
    lines = lines_of(panel)
    rows = table[table["quantity"] == "regret"]
    for losses, part in rows.groupby("losses"):
        np.testing.assert_allclose(lines[losses.replace("-", " ")], part[["draws", "value"]])
    one = rows[rows["losses"] == "constant"]
    np.testing.assert_allclose(lines["bound of Theorem\n4.2, at S"], one[["S", "bound"]])
    levels = [line.get_ydata()[0] for line in panel.lines if list(line.get_xdata()) == [0, 1]]
    for losses in ("linear", "constant"):
        assert rows.loc[rows["losses"] == losses, "gradient_descent"].iloc[0] in levels
    assert lines["dotted: gradient descent\non the same losses"][0, 1] in levels


def test_bounds_of_rivals_are_dotted_and_named_once():
    (table,) = evidence_of("rivals").values()
    (panel,) = figure_of("rivals", {"001/rivals": table}).axes
    drawn = table[
        (table["stream"] == "constant") & (table["noise"] == "square root") & (table["how"] == "law")
    ]
    np.testing.assert_allclose(
        lines_of(panel)["dotted: bounds, in\nthe colours of regrets"], drawn[["T", "bound of P-COMW"]]
    )


def test_every_bound_stands_over_rounds():
    evidence = evidence_of("where-best")
    (table,) = evidence.values()
    table = table[table["what"] == "ratio"]
    figure = figure_of("where-best", evidence)
    (panel,) = figure.axes
    lines = lines_of(panel)
    for name, label in figures_001.ACCOUNTINGS.items():
        expected = np.column_stack([table["T"], table[name] * np.sqrt(table["T"])])
        np.testing.assert_allclose(lines[label], expected)


def test_the_title_names_the_least_bound_of_the_longest_games_and_where_it_begins_to_be():
    (table,) = evidence_of("where-best").values()
    table = table[table["what"] == "ratio"].assign(**dict.fromkeys(figures_001.ACCOUNTINGS, 2.0))
    many = pd.concat([table.iloc[:1].assign(T=rounds) for rounds in (10.0, 100.0, 1000.0, 10000.0)])
    many["gaussian"], many["private leader"] = [0.1, 3.0, 1.0, 1.0], [1.0, 1.0, 1.5, 1.5]
    found = figure_of("where-best", {"001/best-bound": many}).get_suptitle()
    assert (
        " ".join(found.split()) == "From T = 1000 on the least bound is that of P-COMW, Gaussian accounting"
    )
    both = pd.concat([many, many.assign(d=7.0, gaussian=9.0)])
    found = " ".join(figure_of("where-best", {"001/best-bound": both}).get_suptitle().split())
    assert found.startswith("In the longest games the least bound is that of")
    assert "DP-FTRL at d = 7" in found


def test_lines_differ_in_colour_dashes_and_marker():
    for looks in zip(*figures_001.LINES.values(), strict=True):
        assert len({str(one) for one in looks}) == len(figures_001.LINES)
