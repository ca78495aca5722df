"""Figure 1 and the other figures of batching: what each shows."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study.batching import (
    amplification,
    comparisons,
    figure_1,
    simulations,
)
from private_experts.replication.study.batching import figure_amplification as easy_streams
from private_experts.replication.study.batching import figure_batch_sizes as batch_sizes
from private_experts.replication.study.batching import figure_batching_costs as batching_costs
from tests.each import each
from tests.replication.plotting.drawings import DRAWINGS, ROUNDS, batches, switches


@pytest.fixture(scope="module")
def regrets():
    table = pd.concat([simulations.regrets(n, [20, 40], 10, 0.01, 7) for n in (2, 5)], ignore_index=True)
    return simulations.mean_regrets(table, 0.01, 0.95)


@pytest.fixture(scope="module")
def cells():
    return amplification.cells(*batches(), 90, 0.95)


def lines(axis):
    return {line.get_label(): line for line in axis.lines if not str(line.get_label()).startswith("_")}


def test_figure_1_shows_trade_offs_above_and_what_batching_adds_below():
    figure = DRAWINGS["figure-1"]()
    assert len(figure.axes) == 6  # trade-offs, and a row for each number of experts; two privacy levels
    assert all(max(line.get_xdata()) <= figure_1.LARGEST for axis in figure.axes for line in axis.lines)
    for axis in figure.axes[:2]:
        without, found = (np.asarray(line.get_ydata()) for line in lines(axis).values())
        for curve in (without, found):
            assert (np.diff(curve) <= 1e-12).all()
        assert (without <= found + 1e-9).all()
    # Less privacy, a lower curve: the left column has the larger level.
    left, right = (np.asarray(lines(axis)["without batching"].get_ydata()) for axis in figure.axes[:2])
    assert (left[1:-1] < right[1:-1]).all()
    most = []
    for axis in figure.axes[2:]:
        shown = {name: np.asarray(line.get_ydata()) for name, line in lines(axis).items()}
        assert {*shown} == {*(f"round {t}" for t in ROUNDS), "analytic bound, round 40", "tighter bound, round 40"}
        for gained in shown.values():
            assert gained[0] == pytest.approx(0, abs=1e-9)
            assert (gained > -1e-9).all()
            assert gained.max() > 0
        assert (shown["analytic bound, round 40"] <= shown["tighter bound, round 40"] + 1e-9).all()
        assert len(axis.collections) == len(ROUNDS)  # each with its band
        most.append(max(shown[f"round {t}"].max() for t in ROUNDS))
    assert f"at most {max(most[:2]):.2g} with 2 experts" in " ".join(figure.get_suptitle().split())


def test_the_tables_have_a_row_a_cell_and_intervals_where_something_is_random(cells):
    some = cells[:: len(ROUNDS)]
    summary = amplification.summary(some)
    shown = figure_1.shown(summary)
    assert len(shown) == len(some) == 2 * 2
    assert "[" not in shown["without batching"].iloc[0]
    assert "[" in shown["Monte Carlo, with band"].iloc[0]
    delta = figure_1.shown_delta(summary)
    assert [name for name in delta if name.startswith("epsilon")] == [
        f"epsilon: {label}" for label, *_ in figure_1.CURVES.values()
    ]


def test_the_table_of_batch_sizes_has_a_row_a_cell_and_round():
    table = batch_sizes.shown(comparisons.survivals(*batches(), 0.95))
    assert len(table) == 2 * 2 * len(ROUNDS)
    assert "[" in table["b = 4: simulation"].iloc[0]


def test_bars_of_looseness_reach_from_simulation_to_proxy():
    table = comparisons.looseness(*batches(), 0.95)
    (axis,) = DRAWINGS["figure-looseness"]().axes
    ends = {}
    for bar in axis.patches:
        place = round(bar.get_y() + bar.get_height() / 2)
        ends[place] = max(ends.get(place, 0.0), bar.get_x() + bar.get_width())
    part = table[table["round"] == 40]
    assert [ends[place] for place in sorted(ends)] == pytest.approx((part["proxy"] - part["simulation"]).tolist())
    assert len(batch_sizes.shown_looseness(table)) == len(table)


def test_the_title_of_looseness_names_the_largest_cause():
    table = comparisons.looseness(*batches(), 0.95).assign(drift=9.0)
    title = " ".join(batch_sizes.draw(table, 40).get_suptitle().split())
    assert "above all the allowance for gains that shrink the gap: the largest part in 4 of 4 cells" in title


def test_amplification_falls_along_the_gap():
    figure = DRAWINGS["figure-amplification"]()
    assert len(figure.axes) == 2
    shown = lines(figure.axes[0])
    assert shown["n = 2"].get_ydata()[-1] < shown["n = 2"].get_ydata()[0]
    assert set(shown["n = 2"].get_xdata()) == {0, 0.3, 1}
    table = comparisons.by_gap(batches()[1], batches()[0], 1.0, 0.95)
    assert len(easy_streams.shown(table)) == len(table)


def test_switches_stand_beside_the_law():
    (axis,) = DRAWINGS["figure-switching"]().axes
    assert axis.get_xscale() == axis.get_yscale() == "log"
    dashed = [line for line in axis.lines if line.get_linestyle() == "--" and len(line.get_xdata())]
    assert len(dashed) == 2
    for line in dashed:
        x, y = line.get_data()
        assert y[1] / y[0] == pytest.approx((x[1] / x[0]) ** 0.5)
    assert len(batching_costs.shown_switches(switches())) == 4


@each(("times", "said"), [(1.0, "are the same in every cell"), (1.05, "differ by at most 5.0 %")])
def test_the_title_of_switches_says_how_much_they_differ(times, said):
    table = switches().copy()
    table["switches"] = 20.0
    table.loc[table["algorithm"] == "rw-adabatch", "switches"] *= times
    assert said in " ".join(batching_costs.draw(table).get_suptitle().split())


def test_the_table_of_regrets_has_a_row_a_game(regrets):
    shown = batching_costs.shown_regrets(regrets)
    assert len(shown) == 2 * 2 * 5
    assert shown["runs changed"].str.contains("at most").all()
