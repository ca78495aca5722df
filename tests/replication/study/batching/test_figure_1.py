"""Figure 1 and the figure of easier streams: what each shows."""

import numpy as np
import pytest

from private_experts.replication.study.batching import amplification, figure_1
from private_experts.replication.study.batching import figure_amplification as easy_streams
from tests.replication.plotting.drawings import DRAWINGS, ROUNDS, batches


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
        bounds = [f"{kind} bound,\nround {ROUNDS[1]}" for kind in ("analytic", "tighter")]
        assert {*shown} == {*(f"round {t}" for t in ROUNDS), *bounds}
        for gained in shown.values():
            assert gained[0] == pytest.approx(0, abs=1e-9)
            assert (gained > -1e-9).all()
            assert gained.max() > 0
        assert (shown[bounds[0]] <= shown[bounds[1]] + 1e-9).all()
        assert len(axis.collections) == len(ROUNDS)  # each with its band
        most.append(max(shown[f"round {t}"].max() for t in ROUNDS))
    assert f"at most {max(most[:2]):.2g} with 2 experts" in " ".join(figure.get_suptitle().split())


def test_amplification_falls_along_the_gap():
    figure = DRAWINGS["figure-amplification"]()
    assert len(figure.axes) == 2
    shown = lines(figure.axes[0])
    assert shown["n = 2"].get_ydata()[-1] < shown["n = 2"].get_ydata()[0]
    assert set(shown["n = 2"].get_xdata()) == {0, 0.3, 1}
    table = amplification.by_gap(batches()[1], batches()[0], 1.0, 0.95)
    assert len(easy_streams.amplification_table(table)) == len(table)
