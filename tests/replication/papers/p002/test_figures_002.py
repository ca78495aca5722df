"""The figures of paper 002 carry the numbers of the evidence, and say where there is none."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p002 import figures_002
from tests.replication.papers.quick import evidence_of, figures_of, says_that_nothing_was_run

FIGURES = figures_of("002")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    known = evidence_of(FIGURES["regret"])
    return {claim: known[claim] for claim in FIGURES["regret"]}


def same(axis, label: str, table: pd.DataFrame, x: str, y: str) -> bool:
    """Tell whether a line with this name in the legend goes through the points of a table."""
    (line,) = (line for line in axis.lines if line.get_label() == label)
    expected = table.sort_values(x)[[x, y]].astype(float)
    return np.array_equal(np.array(line.get_data(), dtype=float).T, expected, equal_nan=True)


def test_a_figure_is_drawn_by_one_function_which_says_when_nothing_was_run() -> None:
    assert {*FIGURES} == {"regret"}
    says_that_nothing_was_run("002", figures_002, "regret")


def test_regret_is_drawn_against_rounds_actions_gaps_and_levels(evidence) -> None:
    measured, actions = evidence.values()
    rounds = measured[measured["part"] == "flat"]
    equal_gaps = measured[(measured["part"] == "units") & (measured["K"] == 10)]
    figure = figures_002.regret(evidence)
    axes = figure.axes
    assert [axis.get_xlabel() for axis in axes] == ["rounds T", "actions K", "gap Δ", "privacy level ε"]
    shown = actions[actions["side"] == "above"]
    for axis, part, x in zip(axes[:2], (rounds, shown), ("T", "K"), strict=True):
        for column, name in (*figures_002.LABELS.items(), ("theorem_1", figures_002.BOUND)):
            assert same(axis, name, part, x, column)
    for axis, x, other in zip(axes[2:], ("gap", "epsilon"), ("epsilon", "gap"), strict=True):
        values = sorted(equal_gaps[other].unique())
        part = equal_gaps[equal_gaps[other] == values[len(values) // 2]]
        assert same(axis, figures_002.LABELS["regret"], part, x, "value")
        assert same(axis, figures_002.MEASURED, part, x, "bound")
    band = axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert {*rounds["regret_low"], *rounds["regret_high"]} <= {*band}


def test_the_title_says_by_how_much_theorem_1_exceeds_every_regret(evidence) -> None:
    measured, actions = evidence.values()
    tables = {
        "002/true-constant": measured.assign(theorem_1=40 * measured["regret"].fillna(measured["value"])),
        "002/privacy-term": actions.assign(theorem_1=40 * actions["regret"]),
    }
    assert "at least 40 times the regret" in figures_002.regret(tables).get_suptitle().replace("\n", " ")


def test_one_claim_that_was_not_run_leaves_the_other_panels(evidence) -> None:
    tables = evidence | {"002/true-constant": pd.DataFrame({"reason": ["no time"]})}
    assert figures_002.regret(tables).axes[0].get_xlabel() == "actions K"
