"""Saving figures: the same bytes every time, and the data named on each."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from private_experts.replication.plotting import figures
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.layout import few_labels
from tests.each import each


def drawn():
    with figures.style():
        figure, [axes] = figures.grid(1, 2, 3)
        for number, axis in enumerate(axes):
            axis.plot([1, 2, 3], [number, 2, 1], label="a line")
            axis.fill_between([1, 2, 3], [0, 1, 0], [1, 2, 1], alpha=0.3)
        label_curves(*axes)
        figures.finding(figure, "A line ends lower than it begins")
    return figure


def save(folder):
    figures.save(drawn(), Path(folder) / "figure", "data", synthetic=False)


OWN = "text.usetex: True\nfont.size: 20\nsavefig.bbox: tight\naxes.prop_cycle: cycler('color', ['red'])\n"


def test_another_process_saves_the_same_bytes_in_all_formats_whatever_its_user_likes(tmp_path):
    save(tmp_path / "one")
    (tmp_path / "matplotlibrc").write_text(OWN, encoding="utf-8")
    program = f"from {__name__} import save; save({str(tmp_path / 'two')!r})"
    # With another hash sets are in another order.
    environment = os.environ | {"PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path / "matplotlibrc")}
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(figures.FIGURE) == {".pdf", ".svg", ".png"}
    for suffix in figures.FIGURE:
        one, two = ((tmp_path / folder / f"figure{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two
        assert len(one) > 1000


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Return a function that saves a figure in one format, and returns what is in the file."""
    monkeypatch.setattr(figures, "FIGURE", (".svg",))

    def save(figure, label="data", synthetic=False):
        figures.save(figure, tmp_path / "mine", label, synthetic=synthetic)
        return (tmp_path / "mine.svg").read_text()

    return save


@each("synthetic", [True, False])
def test_the_data_is_named_below_synthetic_data_is_loud_and_the_finding_is_for_all(saved, synthetic):
    figure, words = drawn(), (40 * "words ").strip()
    assert "<dc:title>A line ends lower than it begins</dc:title>" in saved(figure, words, synthetic)
    texts = {" ".join(text.get_text().split()): text for text in figure.texts}
    assert ("SYNTHETIC DATA" in texts) == synthetic
    if synthetic:
        assert texts["SYNTHETIC DATA"].get_fontsize() > 20
    box = texts[f"Data: {words}"].get_window_extent()  # in as many lines as it needs
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
    assert box.y1 <= figure.axes[0].get_tightbbox().y0


def test_a_figure_without_a_finding_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="figure mine has no title; call `finding`"):
        figures.save(plt.figure(), tmp_path / "mine", "data", synthetic=False)
    assert not any(tmp_path.iterdir())


@each("count", [6, 7])
def test_a_panel_shows_at_most_six_series(saved, count):
    figure, axis = plt.subplots()
    for number in range(count):
        axis.plot([1, 2], [number, 2], label=f"line {number}")
    figures.finding(figure, "Lines meet")
    with pytest.raises(ValueError, match="shows 7 series; at most 6") if count == 7 else nullcontext():
        saved(figure)


def test_a_legend_names_what_is_drawn_once_and_nothing_else():
    figure, axes = plt.subplots(1, 2)
    axes[0].plot([1, 2], [np.nan, np.nan], label="nowhere")
    axes[0].plot([], [], label="no point")
    axes[0].errorbar([], [], yerr=[], label="no bar")
    axes[0].plot([1, 2], [1, 2], label="in both")
    axes[1].plot([1, 2], [1, 2], label="in both")
    axes[1].fill_between([1, 2], [0, 1], [1, 2], label="a band")
    figures.legend(figure, *axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["in both", "a band"]
    assert figures.series(axes[0]) == ["in both"]


def test_a_legend_stands_below_the_panels_and_above_the_datas_label(saved):
    with figures.style():
        figure, axis = plt.subplots(figsize=(4, 3), layout="constrained")
        axis.plot([1, 2], [1, 2], label="a line")
        axis.set_xlabel("rounds")
        figures.legend(figure, axis)
        figures.finding(figure, "A line rises")
    saved(figure)
    [named] = [text.get_window_extent() for text in figure.legends[0].get_texts()]
    [label] = [text.get_window_extent() for text in figure.texts if text.get_text() == "Data: data"]
    assert label.y1 <= named.y0 < named.y1 <= axis.xaxis.label.get_window_extent().y0


@each("width", [2, 3, 6])
def test_a_legend_has_as_many_columns_as_fit(width):
    with figures.style():
        figure, axis = plt.subplots(figsize=(width, 3), layout="constrained")
        for number in range(4):
            axis.plot([1, 2], [number, 2], label=f"a label that is long, {number}")
        figures.legend(figure, axis, columns=4)
    [legend] = figure.legends
    assert legend.get_window_extent().width <= figure.bbox.width
    assert legend._ncols == {2: 1, 3: 2, 6: 4}[width]


def test_few_values_are_spread_from_the_smallest_to_the_largest():
    assert figures.few([3, 1, 2, 2], 3) == [1, 2, 3]
    assert figures.few([1, 2, 3, 4, 5], 3) == [1, 3, 5]
    assert figures.few(range(7), 3) == [0, 3, 6]
    assert len(figures.few(range(50))) == figures.SERIES


def test_a_logarithmic_axis_labels_powers_of_ten_and_more_only_where_there_are_few():
    figure, (wide, narrow) = plt.subplots(1, 2)
    for panel, ends in ((wide, (1, 1000)), (narrow, (15, 80))):
        panel.plot(ends, ends)
        panel.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    few_labels(figure)
    figure.draw_without_rendering()
    shown = [[label.get_text() for label in panel.get_xticklabels(minor=True)] for panel in (wide, narrow)]
    assert {*shown[0]} == {""}
    assert {"20", "50"} <= {*shown[1]}
    assert {"1", "10", "100", "1000"} <= {label.get_text() for label in wide.get_xticklabels()}
