"""The figures of paper 004 carry the numbers of the evidence, and say where there is none."""

import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer

from private_experts.replication.papers.p004 import figures_004
from tests.each import each
from tests.replication.papers.quick import evidence_of, figures_of, heights_in, says_that_nothing_was_run

FIGURES = figures_of("004")


@pytest.fixture(scope="module")
def evidence() -> dict[str, pd.DataFrame]:
    return evidence_of(claim for claims in FIGURES.values() for claim in claims)


def test_every_function_belongs_to_a_figure() -> None:
    assert {*FIGURES} == {"adaptive_threshold", "dynamic_regret", "privacy_loss"}
    assert FIGURES["dynamic_regret"] == [*dict.fromkeys(name for name, _ in figures_004.REGRETS)]


def test_lost_shares_and_the_bound_are_drawn_against_the_level(evidence) -> None:
    name = "004/adaptive-threshold"
    (axis,) = figures_004.adaptive_threshold({name: evidence[name]}).axes
    shown = evidence[name][evidence[name]["what"] == "least"]
    assert {*shown["value"], *shown["bound"]} <= {*heights_in(axis)}
    assert axis.lines[0].get_xdata().tolist() == [1.0, 100.0]


def test_regrets_and_bounds_are_drawn(evidence) -> None:
    figure = figures_004.dynamic_regret({name: evidence[name] for name in FIGURES["dynamic_regret"]})
    by_shifts, by_rounds = figure.axes
    for name in FIGURES["dynamic_regret"]:
        table = evidence[name]
        one = table[table["S"] == 1]
        if "bound_of" in table:
            one = one[one["bound_of"] == "sharper"]
        if "gap" in table:
            one = one[one["gap"] == 1.0]
        if "step" in table:
            one = one[one["step"] == 1.0]
        assert not one.empty
        assert {*one["value"], *one["bound"]} <= {*heights_in(by_rounds)}
    share = evidence["004/fixed-share-regret"]
    share = share[(share["gap"] == 1.0) & (share["step"] == 1.0) & (share["T"] == 256)]
    assert len(share) == 3
    assert {*share["value"], *share["bound"]} <= {*heights_in(by_shifts)}
    others = evidence["004/fixed-share-regret"].query("step != 1")
    assert not {*others["value"]} & {*heights_in(by_shifts), *heights_in(by_rounds)}


def test_a_shift_within_a_block_is_a_mark_of_its_own(evidence) -> None:
    tables = {name: evidence[name] for name in FIGURES["dynamic_regret"]}
    game = tables["004/theorem-3-6"].query("windows == 'dyadic'").iloc[:1]
    games = pd.concat([game.assign(T=rounds, S=1) for rounds in (8192, 60000, 65536)])
    by_rounds = figures_004.dynamic_regret(tables | {"004/theorem-3-6": games}).axes[1]
    drawn = {
        handle.get_label(): handle.lines[0].get_xdata().tolist()
        for handle in by_rounds.get_legend_handles_labels()[0]
        if isinstance(handle, ErrorbarContainer)
    }
    assert drawn["Algorithm 2,\ndyadic windows"] == [8192, 65536]
    assert drawn[figures_004.LATE] == [60000]


def test_the_privacy_loss_is_drawn_in_units_of_the_claimed_level(evidence) -> None:
    name = "004/theorem-5-2-privacy/as-printed"
    (axis,) = figures_004.privacy_loss({name: evidence[name]}).axes
    table = evidence[name]
    shown = table[table["route"].isin(["simulated", "certified"])]
    assert len(shown) == 2
    assert {*(shown["value"] / 0.5), 1.0} <= {*heights_in(axis)}


@each("function", FIGURES)
def test_a_figure_says_that_nothing_was_run(function: str) -> None:
    says_that_nothing_was_run("004", figures_004, function)
