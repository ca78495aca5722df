"""Figures: the same bytes every time, the data named on each, and what each shows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from private_experts.replication.hospital.study import LEARNER

from private_experts.replication.drawing import figures
from private_experts.replication.hospital import figure_2, generality


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


@pytest.fixture
def states():
    rows = [
        {"state": state, "mu": mu, "hospitals": n, "ratio_to_min_noise": r, "ratio_to_min_noise_pm": 0.1}
        for state, n, r in (("NM", 24, 1.4), ("PA", 146, 2.0), ("VT", 12, 1.0))
        for mu in (np.inf, 1.0)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_saving_twice_gives_the_same_bytes(tmp_path, curves):
    for folder in ("one", "two"):
        figures.save(
            figure_2.draw(curves, {"NM": 1.0, "PA": 2.0}), tmp_path / folder / "figure", "data", synthetic=False
        )
    for suffix in figures.SUFFIXES:
        one, two = ((tmp_path / folder / f"figure{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two
        assert len(one) > 1000


@pytest.mark.parametrize("synthetic", [True, False])
def test_the_data_is_named_and_synthetic_data_is_loud(tmp_path, states, synthetic):
    figure = generality.draw(states)
    figures.save(figure, tmp_path / "figure", "the label", synthetic=synthetic)
    texts = {text.get_text(): text.get_fontsize() for text in figure.texts}
    assert "Data: the label" in texts
    assert ("SYNTHETIC DATA" in texts) == synthetic
    if synthetic:
        assert texts["SYNTHETIC DATA"] > 20


def test_figure_2_has_a_panel_a_state_and_level_on_shared_axes(curves):
    figure = figure_2.draw(curves, {"NM": 1.0, "PA": 2.0})
    assert len(figure.axes) == 6
    assert len({axis.get_xlim() for axis in figure.axes}) == len({axis.get_ylim() for axis in figure.axes}) == 1
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert {label for label, *_ in figure_2.LINES.values()} < set(lines)
    assert lines["RW-Meta"].get_ydata().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert set(lines["best single hospital, total"].get_ydata()) == {1.0}


def test_figure_2_shades_from_the_worst_to_the_best_learner(curves):
    (shade,) = figure_2.draw(curves, {"NM": 1.0, "PA": 2.0}).axes[0].collections
    ends = shade.get_paths()[0].vertices
    at_the_last_week = ends[ends[:, 0] == 5][:, 1]
    assert (at_the_last_week.min(), at_the_last_week.max()) == pytest.approx((5 * 7 / 10, 5 * 8 / 10))


def test_lines_differ_in_colour_and_in_style():
    looks = list(figure_2.LINES.values())
    assert len({colour for _, colour, _ in looks}) == len({str(dashes) for *_, dashes in looks}) == len(looks)


def test_states_are_ordered_by_their_ratio(states):
    labels = [label.get_text() for label in generality.draw(states).axes[0].get_yticklabels()]
    assert labels == ["VT (12)", "NM (24)", "PA (146)"]
