"""Figure 2: a panel for each state and level, and what is drawn in it."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study import figure_2
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import LEARNER
from tests.replication.plotting import legible


@pytest.fixture
def curves():
    names = [*figure_2.LINES, f"{LEARNER}w8-weak", f"{LEARNER}w8-strong"]
    rows = [
        {"state": state, "algorithm": name, "mu": mu, "week": week, "gain": week * (place + 1) / 10}
        for state in ("NM", "PA")
        for mu in (np.inf, 1.0, 0.5)
        for place, name in enumerate(names)
        for week in range(1, 6)
    ]
    return pd.DataFrame(rows)


def test_figure_2_has_a_panel_a_state_and_level_on_shared_axes(curves):
    figure = figure_2.gains_figure(curves, {"NM": 1.0, "PA": 2.0})
    assert len(figure.axes) == 6
    assert len({(*axis.get_xlim(), *axis.get_ylim()) for axis in figure.axes}) == 1
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert {"RW-Meta", "RW-FTPL", "Min Noise (central)", "Min Regret (central)"} < set(lines)
    assert lines["RW-Meta"].get_ydata().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert set(lines["best hospital, total"].get_ydata()) == {1.0}


def test_figure_2_shades_from_the_worst_to_the_best_learner(curves):
    (shade,) = figure_2.gains_figure(curves, {"NM": 1.0, "PA": 2.0}).axes[0].collections
    ends = shade.get_paths()[0].vertices
    at_the_last_week = ends[ends[:, 0] == 5][:, 1]
    assert (at_the_last_week.min(), at_the_last_week.max()) == pytest.approx((5 * 5 / 10, 5 * 6 / 10))


def test_a_cell_has_the_middle_level_its_spread_and_the_best_hospital_week_by_week(curves):
    density = np.array([[0.1, 0.3], [0.2, 0.1], [0.2, 0.0], [0.1, 0.0], [0.1, 0.0]])
    panel = Panel(tuple("12345"), ("1", "2"), density, np.ones(5))
    spread = curves.assign(spread=0.1 * curves["week"], gain=curves["gain"] / curves["mu"])
    figure = figure_2.draw_cell(spread, panel, "PA")
    (axes,) = figure.axes
    lines = {str(line.get_label()).split("\n")[0]: line.get_ydata() for line in axes.lines}
    assert lines["the planner,"] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])  # of mu = 0.5
    assert lines["the best single hospital,"] == pytest.approx([0.1, 0.3, 0.5, 0.6, 0.7])
    band = axes.collections[0].get_paths()[0].vertices
    assert sorted(set(band[band[:, 0] == 5][:, 1])) == pytest.approx([1.0 - 0.5, 1.0 + 0.5])
    assert axes.get_xlabel() == "week with data (Pennsylvania, 2 hospitals, privacy level 0.5)"
    title = " ".join(figure.get_suptitle().split())
    assert "gains more than 0 of its 3 rivals, and more than the best single hospital" in title
    figure = figure_2.draw_cell(curves.assign(spread=0.0, gain=curves["gain"] / 9), panel, "PA")
    assert figure.get_suptitle().replace("\n", " ").endswith("and less than the best single hospital")
    ahead = curves.assign(spread=0.0, gain=curves["gain"] * (1 + 9 * (curves["algorithm"] == "rw-meta")))
    title = figure_2.draw_cell(ahead, panel, "PA").get_suptitle().replace("\n", " ")
    assert title.startswith("From private reports the planner gains more than all its rivals, and more")


def test_a_cell_shows_the_planner_with_the_other_kind_of_learners_as_well(curves):
    panel = Panel(tuple("12345"), ("1",), np.full((5, 1), 0.5), np.ones(5))
    curves = curves.assign(spread=0.0)
    other = curves.assign(gain=3 * curves["gain"])
    figure = figure_2.draw_cell(curves, panel, "PA", other)
    lines = {str(line.get_label()).split("\n")[0]: line.get_ydata() for line in figure.axes[0].lines}
    assert lines["the planner with"] == pytest.approx([0.3, 0.6, 0.9, 1.2, 1.5])
    assert legible.problems(figure) == []


def test_a_cell_of_a_study_without_the_middle_level_has_its_strongest_privacy(curves):
    panel = Panel(tuple("12345"), ("1",), np.full((5, 1), 0.5), np.ones(5))
    spread = curves.assign(spread=0.0)
    for least, level in ((1, "privacy level 1)"), (2, "without privacy)")):
        (axes,) = figure_2.draw_cell(spread[spread["mu"] >= least], panel, "NM").axes
        assert axes.get_xlabel() == f"week with data (New Mexico, 1 hospitals, {level}"
