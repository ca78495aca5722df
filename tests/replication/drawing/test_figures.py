"""Saving figures: the same bytes every time, and the data named on each."""

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


def test_saving_twice_gives_the_same_bytes(tmp_path):
    for folder in ("one", "two"):
        figures.save(drawn(), tmp_path / folder / "figure", "data", synthetic=False)
    for suffix in figures.FIGURE:
        one, two = ((tmp_path / folder / f"figure{suffix}").read_bytes() for folder in ("one", "two"))
        assert one == two
        assert len(one) > 1000


@each("synthetic", [True, False])
def test_the_data_is_named_and_synthetic_data_is_loud(tmp_path, synthetic):
    figure = drawn()
    figures.save(figure, tmp_path / "figure", "the label", synthetic=synthetic)
    texts = {text.get_text(): text.get_fontsize() for text in figure.texts}
    assert "Data: the label" in texts
    assert ("SYNTHETIC DATA" in texts) == synthetic
    if synthetic:
        assert texts["SYNTHETIC DATA"] > 20
