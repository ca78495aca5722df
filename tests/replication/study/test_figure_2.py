"""Figure 2: a panel for each state and level, and what is drawn in it."""

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study import figure_2
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders


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
    figure = figure_2.draw(curves, {"NM": 1.0, "PA": 2.0})
    assert len(figure.axes) == 6
    assert len({axis.get_xlim() for axis in figure.axes}) == len({axis.get_ylim() for axis in figure.axes}) == 1
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert {"RW-Meta", "RW-FTPL", "Min Noise (central)", "Min Regret (central)"} < set(lines)
    assert lines["RW-Meta"].get_ydata().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert set(lines["best hospital, total"].get_ydata()) == {1.0}


def test_figure_2_shades_from_the_worst_to_the_best_learner(curves):
    (shade,) = figure_2.draw(curves, {"NM": 1.0, "PA": 2.0}).axes[0].collections
    ends = shade.get_paths()[0].vertices
    at_the_last_week = ends[ends[:, 0] == 5][:, 1]
    assert (at_the_last_week.min(), at_the_last_week.max()) == pytest.approx((5 * 5 / 10, 5 * 6 / 10))


def test_lines_differ_in_colour_and_in_style():
    looks = [contenders()[name] for name in figure_2.LINES]
    assert len({shown.colour for shown in looks}) == len({str(shown.dashes) for shown in looks}) == len(looks)
