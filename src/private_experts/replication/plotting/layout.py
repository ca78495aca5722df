"""Layouts of figures that are the same in every run."""

import math

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from private_experts.replication.plotting import direct_labels

LETTERS = 7  # points, of the smallest letters
_RAISED = 0.7  # size of an exponent over that of its base
_SHORT = 0.001, 10_000  # between them a power of ten is short when it is written out


def few_labels(figure: Figure) -> None:
    """Label on logarithmic axes the powers of ten; if fewer than two are in view, their 2- and 5-fold too."""
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if axis.get_scale() == "log" and isinstance(axis.get_major_locator(), LogLocator):
                _relabel(axis)


def _relabel(axis: Axis) -> None:
    low, high = sorted(axis.get_view_interval())
    base = axis.get_major_locator()._base  # type: ignore[attr-defined]
    if base != 10 or not 0 < low < high < math.inf:
        return
    powers = math.floor(math.log10(high)) - math.ceil(math.log10(low)) + 1
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    if low >= _SHORT[0] and high <= _SHORT[1]:
        axis.set_major_formatter(plain)
    else:
        axis.set_tick_params(labelsize=LETTERS / _RAISED)  # so that an exponent can be read in print
    if powers < 2:
        axis.set_minor_locator(LogLocator(subs=(2, 5)))
        axis.set_minor_formatter(plain)
    else:
        axis.set_minor_formatter(NullFormatter())


def settle(figure: Figure) -> None:
    """Lay a figure out once, and round the layout: last digits differ from run to run, so SVG ids would."""
    few_labels(figure)
    figure.draw_without_rendering()
    places = [axis.get_position(original=True).bounds for axis in figure.axes]
    figure.set_layout_engine(None)  # with any, even "none", matplotlib draws twice for each file
    for axis, (left, bottom, width, height) in zip(figure.axes, places, strict=True):
        axis.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
        axis.apply_aspect()
    direct_labels.place(figure)
