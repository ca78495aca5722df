"""The figures of paper 001 carry the numbers of the evidence, and say so when there is none."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p001 import figures_001
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, says_that_nothing_was_run

FIGURES = figures_of("001")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    return evidence_of(claim for claims in FIGURES.values() for claim in claims)


def lines_of(panel):
    """Return a panel's named lines as arrays of (x, y)."""
    return {line.get_label(): np.array(line.get_data(), dtype=float).T for line in panel.lines}


@each("function", FIGURES)
def test_without_evidence_it_says_that_nothing_was_run(function: str) -> None:
    says_that_nothing_was_run("001", figures_001, function)


def test_regret_stands_over_draws_below_its_bound(evidence) -> None:
    table = evidence["001/theorem-4-2"]
    (panel,) = figures_001.regret_switches(evidence).axes
    lines, rows = lines_of(panel), table[table["quantity"] == "regret"]
    levels = [line.get_ydata()[0] for line in panel.lines if list(line.get_xdata()) == [0, 1]]
    for losses, part in rows.groupby("losses"):
        np.testing.assert_allclose(lines[losses.replace("-", " ")], part[["draws", "value"]])
        if losses in ("linear", "constant"):
            assert part["gradient_descent"].iloc[0] in levels
        if losses == "constant":
            np.testing.assert_allclose(lines["bound of Theorem\n4.2, at S"], part[["S", "bound"]])
    assert lines["dotted: gradient descent\non the same losses"][0, 1] in levels


def test_bounds_of_rivals_are_dotted_and_named_once(evidence) -> None:
    table = evidence["001/rivals"]
    (panel,) = figures_001.rivals(evidence).axes
    drawn = table[
        (table["stream"] == "constant") & (table["noise"] == "square root") & (table["how"] == "law")
    ]
    dotted = lines_of(panel)["dotted: bounds, in\nthe colours of regrets"]
    np.testing.assert_allclose(dotted, drawn[["T", "bound of P-COMW"]])


def test_every_bound_stands_over_rounds(evidence) -> None:
    table = evidence["001/best-bound"]
    table = table[table["what"] == "ratio"]
    (panel,) = figures_001.where_best(evidence).axes
    for name, label in figures_001.ACCOUNTINGS.items():
        expected = np.column_stack([table["T"], table[name] * np.sqrt(table["T"])])
        np.testing.assert_allclose(lines_of(panel)[label], expected)
    for looks in zip(*figures_001.LINES.values(), strict=True):  # colour, dashes and marker
        assert len({str(one) for one in looks}) == len(figures_001.LINES)


def test_the_title_names_the_least_bound_of_the_longest_games_and_where_it_begins_to_be(evidence) -> None:
    def title(table: pd.DataFrame) -> str:
        return " ".join(figures_001.where_best({"001/best-bound": table}).get_suptitle().split())

    table = evidence["001/best-bound"].query("what == 'ratio'").iloc[:1]
    table = table.assign(**dict.fromkeys(figures_001.ACCOUNTINGS, 2.0))
    many = pd.concat([table.assign(T=rounds) for rounds in (10.0, 100.0, 1000.0, 10000.0)])
    many["gaussian"], many["private leader"] = [0.1, 3.0, 1.0, 1.0], [1.0, 1.0, 1.5, 1.5]
    assert title(many) == "From T = 1000 on the least bound is that of P-COMW, Gaussian accounting"
    found = title(pd.concat([many, many.assign(d=7.0, gaussian=9.0)]))
    assert found.startswith("In the longest games the least bound is that of")
    assert "DP-FTRL at d = 7" in found
