"""The figures of paper 001 carry the numbers of the evidence, and say so when there is none."""

import functools
import importlib

import numpy as np
import pandas as pd

from private_experts.replication.papers.p001 import figures_001
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN as LEDGER
from tests.replication.plotting.words import check

FIGURES = {figure.name: figure for figure in LEDGER.figures.values() if figure.paper == "001"}


@functools.cache
def evidence_of(name):
    """Return the quick evidence of a figure's claims, as it comes back from a CSV file."""
    tables = {}
    for one in FIGURES[name].claims:
        claim = LEDGER.claims[one]
        module, _, function = claim.check.partition(":")
        check = getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)
        points = check(claim.experiment(quick=True).grid, claim.repetitions, 1)
        tables[one] = pd.DataFrame([point.row() for point in points])
    return tables


def drawn(name, evidence):
    return getattr(figures_001, FIGURES[name].draw.partition(":")[2])(evidence)


def lines_of(panel):
    """Return a panel's named lines as arrays of (x, y)."""
    return {line.get_label(): np.array(line.get_data(), dtype=float).T for line in panel.lines}


@each("name", FIGURES)
def test_without_evidence_it_says_that_nothing_was_run(name):
    empty = {one: pd.DataFrame({"reason": ["no time"]}) for one in FIGURES[name].claims}
    (panel,) = drawn(name, empty).axes
    assert [text.get_text() for text in panel.texts] == ["not run"]


def test_regret_stands_over_draws_below_its_bound():
    evidence = evidence_of("regret-switches")
    (table,) = evidence.values()
    (panel,) = drawn("regret-switches", evidence).axes
    lines = lines_of(panel)
    rows = table[table["quantity"] == "regret"]
    for losses, part in rows.groupby("losses"):
        np.testing.assert_allclose(lines[losses], part[["draws", "value"]])
    one = rows[rows["losses"] == "constant"]
    np.testing.assert_allclose(lines["bound of Theorem 4.2, at S"], one[["S", "bound"]])
    levels = [line.get_ydata()[0] for line in panel.lines if list(line.get_xdata()) == [0, 1]]
    for losses in ("linear", "constant"):
        assert rows.loc[rows["losses"] == losses, "gradient_descent"].iloc[0] in levels


def test_drift_stands_over_rounds_below_its_bound():
    evidence = evidence_of("drift")
    (table,) = evidence.values()
    panels = drawn("drift", evidence).axes
    rows = table[(table["budget"] == "inf") & (table["p"] == 0) & (table["delta"] > 0)]
    assert [panel.get_title() for panel in panels] == ["δ = 0.0001", "δ = 0.001"]
    for panel, (_, part) in zip(panels, rows.groupby("delta"), strict=True):
        lines = lines_of(panel)
        vertices = part[part["losses"] == "vertices"]
        np.testing.assert_allclose(lines["vertices"], vertices[["t", "value"]])
        np.testing.assert_allclose(lines["bound 3 δ (t - 1)"], vertices[["t", "bound"]])


def test_the_first_useful_round_stands_over_epsilon():
    evidence = evidence_of("useful-from")
    (table,) = evidence.values()
    rows = table[table["quantity"] == "first T"]
    panels = drawn("useful-from", evidence).axes
    assert [panel.get_title() for panel in panels] == ["d = 1", "d = 10"]
    for panel, (_, part) in zip(panels, rows.groupby("d"), strict=True):
        lines = lines_of(panel)
        for accounting, label in figures_001.ACCOUNTINGS.items():
            np.testing.assert_allclose(lines[label], part[part["accounting"] == accounting][["epsilon", "value"]])


def test_every_bound_stands_over_rounds_and_the_least_is_marked():
    evidence = evidence_of("where-best")
    (table,) = evidence.values()
    table = table[table["what"] == "ratio"]
    above, draws, below, _ = drawn("where-best", evidence).axes
    lines = lines_of(above)
    for name, label in figures_001.ACCOUNTINGS.items():
        expected = np.column_stack([table["T"], table[name] * np.sqrt(table["T"])])
        np.testing.assert_allclose(lines[label], expected)
    np.testing.assert_allclose(draws.lines[0].get_ydata(), table["draws / T"])
    least = table[list(figures_001.ACCOUNTINGS)].min(axis=1)
    marked = sum(len(each.get_offsets()) for each in below.collections)
    gibbs = table[[name for name in figures_001.ACCOUNTINGS if name != "private leader"]].min(axis=1)
    assert marked == (least < 1).sum() + (gibbs < 1).sum()


def test_lines_differ_in_colour_dashes_and_marker():
    for looks in zip(*figures_001.LINES.values(), strict=True):
        assert len({str(one) for one in looks}) == len(figures_001.LINES)


@each("name", FIGURES)
def test_the_words_about_a_figure_are_true(name):
    check(f"001-{name}", drawn(name, evidence_of(name)))


def test_a_drift_that_cannot_be_told_from_rounding_leaves_a_gap_and_no_entry_in_the_legend():
    (table,) = evidence_of("drift").values()
    table = table.assign(value=table["value"].where(table["losses"] != "linear", 0.0))
    figure = drawn("drift", {"001/lemma-c1": table})
    (named,) = [[text.get_text() for text in legend.get_texts()] for legend in figure.legends]
    assert "constant" in named
    assert "linear" not in named
    constant = lines_of(figure.axes[0])["constant"]
    assert np.isnan(constant[0, 1])  # at first there is no drift, and the line begins later
