"""The figures of paper 003 carry the numbers of the evidence, and say where there is none."""

import pandas as pd
import pytest

from private_experts.replication.papers.p003 import figures_003
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, heights_in, says_that_nothing_was_run

FIGURES = figures_of("003")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    return evidence_of(claim for claims in FIGURES.values() for claim in claims)


def test_every_function_belongs_to_a_figure() -> None:
    assert {*FIGURES} == {"risk_growth"}


def test_risks_and_bounds_are_drawn(evidence) -> None:
    figure = figures_003.risk_growth({name: evidence[name] for name in FIGURES["risk_growth"]})
    rounds, experts = figure.axes
    for name in ("003/theorem-4", "003/theorem-5", "003/centred-reports"):
        table = evidence[name]
        shown = table[(table["features"] == "one") & (table["eps"] == 1.0)]
        assert {*shown["value"], *shown["bound"]} <= {*heights_in(rounds)}
    attained = evidence["003/bound-attained"]
    assert {*attained["value"], *attained["upper_bound"]} <= {*heights_in(experts)}
    assert {*rounds.get_legend_handles_labels()[1]} == {
        "Algorithm 1",
        "Algorithm 2",
        "centred reports",
        "$T \\log K$",
        "open marks:\nbounds",
    }


def test_the_title_compares_the_risks_in_the_longest_game_of_all() -> None:
    def risks(*values: float) -> pd.Series:
        return pd.Series(values, [10**4, 10**6, 10**8][: len(values)])

    found = {
        "algorithm 1": risks(1.0, 30.0, 70.0),
        "algorithm 2": risks(1.0, 5.0, 9.0),
        "centred reports": risks(1.0, 2.0),
    }
    times = "Algorithm 1 has 15 times, and Algorithm 2 has 2.5 times"
    title = f"At T = 1 million {times} the risk of centred reports"
    assert figures_003._compared(found) == title
    assert "not measured in games of the same length" in figures_003._compared(
        found | {"algorithm 1": risks()}
    )


@each("function", FIGURES)
def test_a_figure_says_that_nothing_was_run(function: str) -> None:
    says_that_nothing_was_run("003", figures_003, function)
