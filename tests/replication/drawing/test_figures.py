"""Saving figures: the same bytes every time, and the data named on each."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from private_experts.replication.drawing import figures
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


def test_another_process_saves_the_same_bytes_in_all_formats(tmp_path):
    save(tmp_path / "one")
    program = f"from {__name__} import save; save({str(tmp_path / 'two')!r})"
    environment = os.environ | {"PYTHONHASHSEED": "7"}  # sets are then in another order
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
