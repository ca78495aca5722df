"""Figure 1 and the other figures of batching: what each shows."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from private_experts.games.streams import STREAMS
from private_experts.replication.plotting.palette import LOOKS
from private_experts.replication.study.batching import (
    amplification,
    batch_size_laws,
    comparisons,
    figure_1,
    simulations,
)
from private_experts.replication.study.batching import figure_amplification as easy_streams
from private_experts.replication.study.batching import figure_batch_sizes as batch_sizes
from private_experts.replication.study.batching import figure_batching_costs as batching_costs
from tests.each import each
from tests.replication.plotting.words import check

ROUNDS = [20, 40, 60]
STEMS = [
    "figure-1", "figure-1-rounds", "figure-1-delta", "figure-batch-sizes", "figure-looseness", "figure-amplification",
    "figure-amplification-hospitals", "figure-switching", "figure-regret",
]  # fmt: skip


@pytest.fixture(scope="module")
def drawn():
    asked = ([1.0, 0.5], 90, ROUNDS)
    computed = pd.concat([batch_size_laws.computed(n, *asked, 0.01) for n in (2, 5)], ignore_index=True)
    simulated = pd.concat(
        [batch_size_laws.simulated(n, *asked, [0.3, 1.0], 200, 0.01, 7) for n in (2, 5)], ignore_index=True
    )
    return computed, simulated


@pytest.fixture(scope="module")
def cells(drawn):
    return amplification.cells(*drawn, 90, 0.95)


@pytest.fixture(scope="module")
def curves(cells):
    return amplification.tradeoff_curves(cells, np.linspace(0, 1, 21))


@pytest.fixture(scope="module")
def regrets():
    table = pd.concat([simulations.regrets(n, [20, 40], 10, 0.01, 7) for n in (2, 5)], ignore_index=True)
    return simulations.mean_regrets(table, 0.01, 0.95)


@pytest.fixture(scope="module")
def switches():
    table = pd.concat([simulations.switch_counts(n, [20, 40], 10, 0.01, 7) for n in (2, 5)], ignore_index=True)
    return simulations.mean_switches(table, 0.95)


@pytest.fixture(scope="module")
def weeks():
    rows = [
        {"state": state, "mu": mu, "rho": rho, "week": week, "size": 1 + (1 - rho) * week, "inverse_root": 1.0}
        for state in ("NM", "PA")
        for mu in (1.0, 0.5)
        for rho in (1.0, 0.0)
        for week in range(1, 6)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def draw(drawn, cells, curves, switches, regrets, weeks):
    """Return a function that draws a figure by its name, or gives the one drawn before; nobody changes it."""
    ways = {
        "figure-1": lambda: figure_1.draw(curves, 40),
        "figure-1-rounds": lambda: figure_1.draw_gain(curves),
        "figure-1-delta": lambda: figure_1.draw_delta(amplification.profiles(cells, 9), 40),
        "figure-batch-sizes": lambda: batch_sizes.draw(comparisons.survivals(*drawn, 0.95), 40),
        "figure-looseness": lambda: batch_sizes.draw_looseness(comparisons.looseness(*drawn, 0.95)),
        "figure-amplification": lambda: easy_streams.draw(comparisons.by_gap(drawn[1], drawn[0], 1.0, 0.95)),
        "figure-amplification-hospitals": lambda: easy_streams.draw_hospitals(weeks),
        "figure-switching": lambda: batching_costs.draw_switches(switches),
        "figure-regret": lambda: batching_costs.draw_regrets(regrets),
    }
    assert [*ways] == STEMS
    return functools.cache(lambda stem: ways[stem]())


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def lines(axis):
    return {line.get_label(): line for line in axis.lines if not str(line.get_label()).startswith("_")}


def band(axis):
    (shade,) = axis.collections
    return shade.get_paths()[0].vertices


def test_figure_1_shows_all_curves_falling_and_ordered(draw):
    figure = draw("figure-1")
    assert len(figure.axes) == 4
    for axis in figure.axes:
        shown = lines(axis)
        assert list(shown) == [label.removesuffix(", with band") for label, *_ in figure_1.CURVES.values()]
        assert [each.get_label() for each in axis.collections] == ["band of the Monte Carlo curve"]
        without, analytic, tighter, found = (np.asarray(line.get_ydata()) for line in shown.values())
        for curve in (without, analytic, tighter, found):
            assert (np.diff(curve) <= 1e-12).all()
        assert (without <= analytic + 1e-9).all()
        assert (analytic <= tighter + 1e-9).all()
        corners = band(axis)
        for x, bound in zip(shown["without batching"].get_xdata(), tighter, strict=True):
            assert bound <= corners[np.isclose(corners[:, 0], x), 1].max() + 1e-9
    assert "datum of round 40" in figure.legends[0].get_title().get_text()
    # Less privacy, a lower curve: the left column has the larger level.
    left, right = (np.asarray(lines(axis)["without batching"].get_ydata()) for axis in figure.axes[:2])
    assert (left[1:-1] < right[1:-1]).all()


def test_the_enlarged_figure_shows_gains_over_no_batching_for_every_round(draw):
    figure = draw("figure-1-rounds")
    for axis in figure.axes:
        shown = lines(axis)
        assert len(shown) == 2 * len(ROUNDS)
        for t in ROUNDS:
            gained = np.asarray(shown[f"round {t}: analytic bound"].get_ydata())
            assert gained[0] == pytest.approx(0, abs=1e-9)
            assert (gained > -1e-9).all()
            assert gained.max() > 0


def test_the_profile_is_logarithmic_and_falls_with_epsilon(draw):
    figure = draw("figure-1-delta")
    for axis in figure.axes:
        assert axis.get_yscale() == "log"
        without, analytic, _, found = (np.asarray(line.get_ydata()) for line in lines(axis).values())
        assert (np.diff(without) < 0).all()
        assert (analytic <= without).all()
        assert (found < without).all()


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


def test_batch_sizes_fall_on_log_axes_and_the_proxy_lies_below_the_interval(drawn, draw):
    table = batch_sizes.shown(comparisons.survivals(*drawn, 0.95))
    assert len(table) == 2 * 2 * len(ROUNDS)
    assert "[" in table["b = 4: simulation"].iloc[0]
    figure = draw("figure-batch-sizes")
    for axis in figure.axes:
        assert axis.get_xscale() == axis.get_yscale() == "log"
        shown = lines(axis)
        assert len(shown) == len(batch_sizes.LAWS)
        for line in shown.values():
            assert (np.diff(line.get_ydata()) <= 0).all()
        proxy, tighter = shown["proxy (the paper's bound)"], shown["tighter bound"]
        kept = len(proxy.get_ydata())
        assert (np.asarray(proxy.get_ydata()) <= np.asarray(tighter.get_ydata())[:kept] + 1e-12).all()


def test_bars_of_looseness_reach_from_simulation_to_proxy(drawn, draw):
    table = comparisons.looseness(*drawn, 0.95)
    figure = draw("figure-looseness")
    for axis, n in zip(figure.axes, (2, 5), strict=True):
        part = table[table["n"] == n]
        ends = {}
        for bar in axis.patches:
            place = round(bar.get_y() + bar.get_height() / 2)
            ends[place] = max(ends.get(place, 0.0), bar.get_x() + bar.get_width())
        found = [ends[place] for place in sorted(ends, reverse=True)]
        assert found == pytest.approx((part["proxy"] - part["simulation"]).tolist())
    assert len(batch_sizes.shown_looseness(table)) == len(table)


def test_amplification_falls_along_the_gap(drawn, draw):
    table = comparisons.by_gap(drawn[1], drawn[0], 1.0, 0.95)
    figure = draw("figure-amplification")
    assert len(figure.axes) == len(ROUNDS) * 2
    shown = lines(figure.axes[-2])
    assert shown["n = 2"].get_ydata()[-1] < shown["n = 2"].get_ydata()[0]
    assert set(shown["n = 2"].get_xdata()) == {0, 0.3, 1}
    assert len(easy_streams.shown(table)) == len(table)


def test_hospitals_have_a_column_a_state_and_a_line_a_level_and_drift(draw, weeks):
    figure = draw("figure-amplification-hospitals")
    assert [axis.get_title() for axis in figure.axes[:2]] == ["NM", "PA"]
    sizes = [tuple(line.get_ydata()) for line in lines(figure.axes[0]).values()]
    assert len(sizes) == 4
    assert (1, 1, 1, 1, 1) in sizes
    assert (2, 3, 4, 5, 6) in sizes
    assert easy_streams.draw_hospitals(weeks[:0]).legends == []  # without noise the figure is empty


def test_switches_stand_beside_the_law(switches, draw):
    (axis,) = draw("figure-switching").axes
    assert axis.get_xscale() == axis.get_yscale() == "log"
    dashed = [line for line in axis.lines if line.get_linestyle() == "--" and len(line.get_xdata())]
    assert len(dashed) == 2
    for line in dashed:
        x, y = line.get_data()
        assert y[1] / y[0] == pytest.approx((x[1] / x[0]) ** 0.5)
    assert len(batching_costs.shown_switches(switches)) == 4


def test_regret_is_drawn_over_its_bound_and_changed_runs_below(regrets, draw):
    figure = draw("figure-regret")
    assert len(figure.axes) == 4
    for axis in figure.axes[:2]:
        assert any((np.asarray(line.get_ydata()) == 1).all() for line in axis.lines if len(line.get_ydata()))
    shown = batching_costs.shown_regrets(regrets)
    assert len(shown) == 2 * 2 * 5
    assert shown["runs changed"].str.contains("at most").all()


@each("stem", STEMS)
def test_the_words_about_each_figure_are_true(stem, draw):
    check(stem, draw(stem))


def test_lines_that_share_a_panel_differ_in_colour_or_in_style():
    for looks in (figure_1.CURVES, batch_sizes.LAWS):
        assert len({(colour, str(dashes)) for _, colour, dashes in looks.values()}) == len(looks)
    assert len({colour for _, colour, _ in figure_1.CURVES.values()}) == len(figure_1.CURVES)
    assert len({marker for _, _, marker in LOOKS}) == len(LOOKS) == len(STREAMS)
