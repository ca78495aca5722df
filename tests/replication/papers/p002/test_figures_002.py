"""The figures of paper 002 carry the numbers of the evidence, and say where there is none."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p002 import figures_002
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, says_that_nothing_was_run

FIGURES = figures_of("002")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    return evidence_of(claim for claims in FIGURES.values() for claim in claims)


def lines(axis) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each line that has a name in the legend."""
    handles, labels = axis.get_legend_handles_labels()
    return {
        label: list(zip(handle.get_xdata(), handle.get_ydata(), strict=True))
        for handle, label in zip(handles, labels, strict=True)
    }


def points(table: pd.DataFrame, x: str, y: str) -> list[tuple[float, float]]:
    ordered = table.sort_values(x)
    return list(zip(ordered[x].astype(float), ordered[y].astype(float), strict=True))


def same(drawn, expected) -> bool:
    return np.array_equal(np.array(drawn, dtype=float), np.array(expected, dtype=float), equal_nan=True)


def test_every_function_belongs_to_a_figure() -> None:
    assert {*FIGURES} == {"regret"}


def test_regret_is_drawn_against_rounds_actions_gaps_and_levels(evidence) -> None:
    tables = {name: evidence[name] for name in FIGURES["regret"]}
    measured, actions = tables.values()
    rounds = measured[measured["part"] == "flat"]
    equal_gaps = measured[(measured["part"] == "units") & (measured["K"] == 10)]
    figure = figures_002.regret(tables)
    assert [axis.get_xlabel() for axis in figure.axes] == [
        "rounds T",
        "actions K",
        "gap Δ",
        "privacy level ε",
    ]
    shown = actions[actions["side"] == "above"]
    for axis, part, x in zip(figure.axes[:2], (rounds, shown), ("T", "K"), strict=True):
        for column, name in figures_002.LABELS.items():
            assert same(lines(axis)[name], points(part, x, column))
        assert same(lines(axis)[figures_002.BOUND], points(part, x, "theorem_1"))
    for axis, x, other in zip(figure.axes[2:], ("gap", "epsilon"), ("epsilon", "gap"), strict=True):
        values = sorted(equal_gaps[other].unique())
        part = equal_gaps[equal_gaps[other] == values[len(values) // 2]]
        assert same(lines(axis)[figures_002.LABELS["regret"]], points(part, x, "value"))
        assert same(lines(axis)[figures_002.MEASURED], points(part, x, "bound"))
    band = figure.axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert {*rounds["regret_low"], *rounds["regret_high"]} <= {*band}


def test_the_title_says_by_how_much_theorem_1_exceeds_every_regret(evidence) -> None:
    tables = {name: evidence[name] for name in FIGURES["regret"]}
    measured, actions = tables["002/true-constant"], tables["002/privacy-term"]
    regrets = measured["regret"].fillna(measured["value"])
    tables = {
        "002/true-constant": measured.assign(theorem_1=40 * regrets),
        "002/privacy-term": actions.assign(theorem_1=40 * actions["regret"]),
    }
    assert "at least 40 times the regret" in figures_002.regret(tables).get_suptitle().replace("\n", " ")


def test_one_claim_that_was_not_run_leaves_the_other_panels(evidence) -> None:
    tables = {name: evidence[name] for name in FIGURES["regret"]} | {
        "002/true-constant": pd.DataFrame({"reason": ["no time"]})
    }
    assert figures_002.regret(tables).axes[0].get_xlabel() == "actions K"


@each("function", FIGURES)
def test_a_figure_says_that_nothing_was_run(function: str) -> None:
    says_that_nothing_was_run("002", figures_002, function)
