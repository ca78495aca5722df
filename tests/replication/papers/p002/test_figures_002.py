"""The figures of paper 002 carry the numbers of the evidence, and say where there is none."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p002 import figures_002
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, words_are_true

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
        if label != figures_002._BAND
    }


def points(table: pd.DataFrame, x: str, y: str) -> list[tuple[float, float]]:
    ordered = table.sort_values(x)
    return list(zip(ordered[x].astype(float), ordered[y].astype(float), strict=True))


def same(drawn, expected) -> bool:
    return np.array_equal(np.array(drawn, dtype=float), np.array(expected, dtype=float), equal_nan=True)


def test_every_function_belongs_to_a_figure() -> None:
    drawn = {"regret_horizon", "regret_actions", "regret_gap", "regret_epsilon", "random_prefix", "least_regret"}
    assert {*FIGURES} == drawn


def test_regret_against_rounds_is_drawn(evidence) -> None:
    table = evidence["002/flat-in-horizon"]
    (axis,) = figures_002.regret_horizon({"002/flat-in-horizon": table}).axes
    drawn = lines(axis)
    for column, name in figures_002.LABELS.items():
        assert same(drawn[name], points(table, "T", column))
    assert same(drawn[figures_002._BOUND], points(table, "T", "theorem_1"))
    assert drawn["T*"][0][0] == table["settled"][0]
    band = axis.collections[0].get_paths()[0].vertices[:, 1]
    assert {*table["regret_low"], *table["regret_high"]} <= {*band}


def test_regret_against_actions_is_drawn(evidence) -> None:
    table = evidence["002/privacy-term"]
    (axis,) = figures_002.regret_actions({"002/privacy-term": table}).axes
    drawn, shown = lines(axis), table[table["side"] == "above"]
    for column in ("regret", "noisy_max", "whole_block"):
        assert same(drawn[figures_002.LABELS[column]], points(shown, "K", column))
    expected = [(k, 8 * np.log(k) / 0.2) for k in sorted(shown["K"])]
    np.testing.assert_allclose(drawn["8 log K / ε"], expected)


@each(("name", "x", "panel"), [("regret_gap", "gap", "epsilon"), ("regret_epsilon", "epsilon", "gap")])
def test_regret_against_gap_and_level_is_drawn(name: str, x: str, panel: str, evidence) -> None:
    table = evidence["002/true-constant"]
    axes = getattr(figures_002, name)({"002/true-constant": table}).axes
    assert len(axes) == table[panel].nunique()
    for axis, value in zip(axes, sorted(table[panel].unique()), strict=True):
        drawn, part = lines(axis), table[table[panel] == value]
        assert same(drawn["randomised prefix"], points(part, x, "value"))
        for column in ("noisy_max", "whole_block"):
            assert same(drawn[figures_002.LABELS[column]], points(part, x, column))
        assert same(drawn[figures_002._BOUND], points(part, x, "theorem_1"))
        assert same(drawn["9 (log K / Δ + log K / ε)"], points(part, x, "bound"))


def test_quotients_of_the_random_prefix_are_drawn_at_their_gap_and_spread(evidence) -> None:
    table = evidence["002/when-prefix-helps"]
    axes = figures_002.random_prefix({"002/when-prefix-helps": table}).axes
    assert [axis.get_title() for axis in axes] == ["T = 63", "T = 255", "T = 1023"]
    cells = table.drop_duplicates(["gap", "spread"])
    for axis, horizon in zip(axes, (63, 255, 1023), strict=True):
        expected = {
            (gap, spread, f"{value:.2f}")
            for gap, spread, value in zip(cells["gap"], cells["spread"], cells[f"at_{horizon}"], strict=True)
        }
        assert {(*text.get_position(), text.get_text()) for text in axis.texts} == expected
        (curve,) = lines(axis).values()
        np.testing.assert_allclose([np.exp(-g / 2) * np.cosh(s / 2) for g, s in curve], 1)


def test_the_least_regret_is_drawn(evidence) -> None:
    table = evidence["002/minimax"]
    (axis,) = figures_002.least_regret({"002/minimax": table}).axes
    shown = table[(table["gap"] == 1) & (table["side"] == "at most")]
    for name, column in (("randomised prefix", "value"), ("least possible", "least"), ("lower bound", "lower_bound")):
        assert same(lines(axis)[name], points(shown, "T", column))


def test_few_values_are_spread_from_the_smallest_to_the_largest() -> None:
    assert figures_002._few([3, 1, 2, 2]) == [1, 2, 3]
    assert figures_002._few([1, 2, 3, 4, 5]) == [1, 3, 5]
    assert figures_002._few(range(7)) == [0, 3, 6]


@each("function", FIGURES)
def test_the_words_about_a_figure_are_true_or_say_that_nothing_was_run(function: str, evidence) -> None:
    words_are_true("002", figures_002, function, evidence)
