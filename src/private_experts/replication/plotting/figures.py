"""How figures look and how they are saved: the same bytes every time, with the data named on each figure."""

import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from private_experts.replication.files import written_aside
from private_experts.replication.plotting.direct_labels import is_drawn
from private_experts.replication.plotting.layout import LETTERS, settle
from private_experts.replication.plotting.palette import VERMILION, Look
from private_experts.replication.plotting.suffixes import FIGURE

mpl.use("Agg")

SERIES = 6  # that a panel may show
WIDTH = 6.3  # inches, of every figure: a printed page's text is as wide, so that letters keep their size
_TITLE, _LABEL = 13, 18  # letters of a title and of the data's label, to the inch
_DENSE = {"columnspacing": 1.4, "handletextpad": 0.6}  # in units of the font size

_STYLE: dict[Any, Any] = {
    # Whatever the user's own matplotlibrc says. The backend is no matter of looks.
    **{name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"},
    "font.size": 8,
    "axes.titlesize": 8,
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), LETTERS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titley": 1.0,  # where titles stand anyway; else each draw looks for what is above a panel
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "svg.hashsalt": "private-experts",  # otherwise SVG ids differ from run to run
    "pdf.fonttype": 42,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw in the project's style."""
    with mpl.rc_context(_STYLE):
        yield


def grid(rows: int, columns: int, height: float, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure of so many inches, and its panels by row and column."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def finding(figure: Figure, text: str) -> None:
    """Title a figure with what its data show: the text follows from the data that are drawn."""
    title = textwrap.fill(text, int(WIDTH * _TITLE))
    figure.suptitle(title, x=0.01, ha="left", fontsize=9, fontweight="bold")


def legend(figure: Figure, *panels: Axes, columns: int = 3) -> None:
    """Put one legend below all panels, for marks and bars, which have no end that a name could stand at.

    It has as many of the columns as fit.
    """
    entries: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if is_drawn(handle):
                entries.setdefault(label, handle)
    for number in range(columns if entries else 0, 0, -1):
        made = figure.legend(
            [*entries.values()],
            [*entries],
            loc="outside lower center",
            borderaxespad=0,
            ncols=number,
            **_DENSE,
        )
        if made.get_window_extent().width <= figure.bbox.width or number == 1:
            break
        made.remove()


def series(panel: Axes) -> list[str]:
    """Return the names of what a panel shows."""
    found = zip(*panel.get_legend_handles_labels(), strict=True)
    return list(dict.fromkeys(label for handle, label in found if is_drawn(handle)))


def curve(panel: Axes, look: Look, x: Any, y: Any, label: str | None = None, **more: Any) -> None:
    """Draw a curve with one of the palette's looks; with bars where `xerr` or `yerr` are given."""
    looks = dict(zip(("color", "ls", "marker"), look, strict=True)) | {"ms": 3, "lw": 1.1, "label": label}
    if {"xerr", "yerr"} & more.keys():
        panel.errorbar(x, y, **looks | {"elinewidth": 0.7} | more)
    else:
        panel.plot(x, y, **looks | more)


def bars(table: pd.DataFrame) -> Any:
    """Return how far the ends of intervals are below and above their values."""
    return [table["value"] - table["low"], table["high"] - table["value"]]


def few(values: Iterable[float], most: int = SERIES) -> list[float]:
    """Return at most so many of the values, in order: smallest, largest, and evenly spread ones between."""
    distinct = sorted(set(values))
    if len(distinct) <= most:
        return distinct
    return [distinct[round(k * (len(distinct) - 1) / (most - 1))] for k in range(most)]


def not_run(panel: Axes) -> None:
    """Say in a panel that there is no evidence to draw, as the claim was not run, and in the title too."""
    finding(panel.figure, "Not run: there is no evidence to draw")  # type: ignore[arg-type]
    panel.text(0.5, 0.5, "not run", ha="center", va="center", transform=panel.transAxes)


def save(figure: Figure, stem: Path, data: str, synthetic: bool) -> None:
    """Save a figure in all formats, with the data's label below; synthetic data is marked across it too."""
    # A figure without a finding leaves its reader to guess what it shows.
    title = figure.get_suptitle()
    if not title:
        raise ValueError(f"the figure {Path(stem).name} has no title; call `finding` with what it shows")
    for panel in figure.axes:
        if len(names := series(panel)) > SERIES:
            raise ValueError(
                f"a panel of {Path(stem).name} shows {len(names)} series; at most {SERIES} can be read"
            )
    with mpl.rc_context(_STYLE):
        # A label that is cut off would hide which data are shown.
        words = textwrap.fill(f"Data: {data}", int(WIDTH * _LABEL))
        label = figure.text(0.995, 0.004, words, ha="right", va="bottom", fontsize=LETTERS, color="#555555")
        room = label.get_window_extent().ymax / figure.bbox.height + 0.01
        engine = figure.get_layout_engine()
        if isinstance(engine, ConstrainedLayoutEngine):
            engine.set(rect=(0, room, 1, 1 - room))
        settle(figure)
        for below in figure.legends:  # the layout has room for them, and knows no place but the lower end
            below.set_bbox_to_anchor((0, room, 1, 1 - room), figure.transFigure)
        if synthetic:
            figure.text(
                0.5,
                0.5,
                "SYNTHETIC DATA",
                ha="center",
                va="center",
                rotation=25,
                fontsize=5 * figure.get_figwidth(),
                color=VERMILION,
                alpha=0.25,
                zorder=10,
            )
        for suffix in FIGURE:
            # Dates would make every run's bytes differ.
            undated = {".pdf": "CreationDate", ".svg": "Date", ".png": "Software"}[suffix]
            stamp = {undated: None, "Title": " ".join(title.split())}
            with written_aside(Path(stem).with_suffix(suffix)) as aside:
                # What is drawn as points of a picture within an SVG goes into the page, which is one small
                # file.
                figure.savefig(aside, dpi=100 if suffix == ".svg" else 200, metadata=stamp)
    plt.close(figure)  # pyplot keeps every figure that it has opened
