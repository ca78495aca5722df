"""The figures of paper 003 carry the numbers of the evidence, and say where there is none."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p003 import figures_003
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, says_that_nothing_was_run

FIGURES = figures_of("003")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    return evidence_of(claim for claims in FIGURES.values() for claim in claims)


def drawn(axis) -> list[float]:
    return np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in axis.lines]).tolist()


def test_every_function_belongs_to_a_figure() -> None:
    assert {*FIGURES} == {"risk_growth", "centred_reports", "label_growth", "privacy_levels"}


def test_risks_and_bounds_are_drawn(evidence) -> None:
    figure = figures_003.risk_growth({name: evidence[name] for name in FIGURES["risk_growth"]})
    rounds, experts = figure.axes
    for name in ("003/theorem-4", "003/theorem-5"):
        table = evidence[name]
        shown = table[(table["features"] == "one") & (table["eps"] == 1.0)]
        assert {*shown["value"], *shown["bound"]} <= {*drawn(rounds)}
    attained = evidence["003/bound-attained"]
    assert {*attained["value"], *attained["upper_bound"]} <= {*drawn(experts)}
    assert {"Algorithm 1", "Algorithm 2", "Algorithm 1: bound"} <= {*rounds.get_legend_handles_labels()[1]}


def test_centred_reports_are_drawn_beside_algorithm_2(evidence) -> None:
    figure = figures_003.centred_reports({name: evidence[name] for name in FIGURES["centred_reports"]})
    for axis in figure.axes:  # the quick grid has a single K
        for name in FIGURES["centred_reports"]:
            table = evidence[name]
            shown = table[(table["features"] == "one") & (table["eps"] == 1.0)]
            assert {*shown["value"], *shown["bound"]} <= {*drawn(axis)}
        assert "centred reports: bound" in axis.get_legend_handles_labels()[1]


def test_risks_against_labels_are_drawn(evidence) -> None:
    (axis,) = figures_003.label_growth({"003/labels": evidence["003/labels"]}).axes
    table = evidence["003/labels"]
    assert {*table["risk"], *table["risk_before"], *table["risk_bound"]} <= {*drawn(axis)}
    assert {tuple(line.get_xdata()) for line in axis.lines if len(line.get_xdata()) == 2} >= {(32, 128)}


def test_levels_are_drawn_over_what_is_asked_for(evidence) -> None:
    figure = figures_003.privacy_levels({name: evidence[name] for name in FIGURES["privacy_levels"]})
    for axis, name in zip(figure.axes, ("003/lemma-6/as-printed", "003/lemma-6"), strict=True):
        table = evidence[name]
        shown = table[(table["report"] == "algorithm 2") & table["class"].str.startswith(("three", "nine", "packed"))]
        np.testing.assert_allclose(sorted(drawn(axis)), sorted([*(shown["value"] / shown["bound"]), 1.0, 1.0]))
    assert max(drawn(figure.axes[0])) > 1 >= max(drawn(figure.axes[1]))


@each("function", FIGURES)
def test_a_figure_says_that_nothing_was_run(function: str) -> None:
    says_that_nothing_was_run("003", figures_003, function)
