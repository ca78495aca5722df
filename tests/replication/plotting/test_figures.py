"""Saving figures: the same bytes every time, and the data named on each."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from private_experts.replication.plotting import figures
from private_experts.replication.plotting.layout import few_labels
from tests.each import each


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def drawn():
    with figures.style():
        figure, axes = plt.subplots(1, 2, figsize=(5, 3), layout="constrained")
        for number, axis in enumerate(axes):
            axis.plot([1, 2, 3], [number, 2, 1], label="a line")
            axis.fill_between([1, 2, 3], [0, 1, 0], [1, 2, 1], alpha=0.3)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center")
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
    done = subprocess.run([sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(figures.FIGURE) == {".pdf", ".svg", ".png"}
    for suffix in figures.FIGURE:
        one, two = ((tmp_path / folder / f"figure{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two
        assert len(one) > 1000


@each("synthetic", [True, False])
def test_the_data_is_named_and_synthetic_data_is_loud(tmp_path, monkeypatch, synthetic):
    monkeypatch.setattr(figures, "FIGURE", (".svg",))
    figure = drawn()
    figures.save(figure, tmp_path / "figure", "the label", synthetic=synthetic)
    texts = {text.get_text(): text.get_fontsize() for text in figure.texts}
    assert "Data: the label" in texts
    assert ("SYNTHETIC DATA" in texts) == synthetic
    if synthetic:
        assert texts["SYNTHETIC DATA"] > 20


def legend_of(width, labels, columns=3):
    with figures.style():
        figure, axis = plt.subplots(figsize=(width, 3), layout="constrained")
        for number, label in enumerate(labels):
            axis.plot([1, 2], [number, 2], label=label)
        figures.legend(figure, axis, columns=columns)
    (legend,) = figure.legends
    return figure, legend


@each("width", [2, 3, 5, 8])
def test_a_legend_fits_its_figure_whose_panels_keep_their_height(width):
    figure, legend = legend_of(width, [f"a label that is rather long, number {number}" for number in range(6)])
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.width <= figure.bbox.width
    _, short = legend_of(9, [f"a label that is rather long, number {number}" for number in range(6)])
    rows = box.height - short.get_window_extent().height
    assert figure.get_figheight() == pytest.approx(3 + max(rows, 0) / figure.dpi, abs=0.02)


def test_a_legend_names_what_is_drawn_once_and_nothing_else():
    figure, axes = plt.subplots(1, 2)
    axes[0].plot([1, 2], [np.nan, np.nan], label="nowhere")
    axes[0].plot([], [], label="no point")
    axes[0].errorbar([], [], yerr=[], label="no bar")
    axes[0].plot([1, 2], [1, 2], label="in both")
    axes[1].plot([1, 2], [1, 2], label="in both")
    axes[1].fill_between([1, 2], [0, 1], [1, 2], label="a band")
    figures.key(axes[0], "what dashes mean", ls="--")
    figures.legend(figure, *axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["in both", "what dashes mean", "a band"]


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
