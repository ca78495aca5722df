"""How figures look and how they are saved: the same bytes every time, with the data named on each figure."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from private_experts.replication.files import written_aside
from private_experts.replication.plotting.layout import settle
from private_experts.replication.plotting.palette import VERMILION
from private_experts.replication.plotting.suffixes import FIGURE

mpl.use("Agg")

_ROOM = 0.13  # inches
_KEY = "key-"  # begins the ids of lines that only name what others show
_DENSE = {"columnspacing": 1.4, "handletextpad": 0.6}  # in units of the font size

_STYLE: dict[Any, Any] = {
    # Whatever the user's own matplotlibrc says. The backend is no matter of looks.
    **{name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"},
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
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


def legend(figure: Figure, *panels: Axes, columns: int = 3, **more: Any) -> None:
    """Put one legend above all panels, in as many columns as fit; with too few, the figure becomes wider."""
    entries: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if is_drawn(handle):
                entries.setdefault(label, handle)
    if not entries:
        return
    least = min(columns, 2)
    rows: dict[int, float] = {}
    for number in range(columns, least - 1, -1):
        made = figure.legend(
            list(entries.values()), list(entries), loc="outside upper center", ncols=number, **_DENSE, **more
        )
        box = made.get_window_extent()
        width, rows[number] = box.width / figure.dpi + _ROOM, box.height / figure.dpi
        if width <= figure.get_figwidth() or number == least:
            break
        made.remove()
    figure.set_size_inches(max(figure.get_figwidth(), width), figure.get_figheight() + rows[number] - rows[columns])


def key(panel: Axes, label: str, *form: str, **looks: Any) -> None:
    """Name in the legend what several lines of a panel have in common."""
    panel.plot([], [], *form, label=label, gid=f"{_KEY}{len(panel.lines)}", **looks)


def is_drawn(handle: Any) -> bool:
    """Tell whether what a legend's entry stands for can be seen: a line without a finite point cannot."""
    line = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
    if not isinstance(line, Line2D) or (line.get_gid() or "").startswith(_KEY):
        return True
    return bool(np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any())


def not_run(panel: Axes) -> None:
    """Say in a panel that there is no evidence to draw, because the claim was not run."""
    panel.text(0.5, 0.5, "not run", ha="center", va="center", transform=panel.transAxes)


def save(figure: Figure, stem: Path, data: str, synthetic: bool) -> None:
    """Save a figure in all formats, with the data's label below. Synthetic data is also marked across the figure."""
    with mpl.rc_context(_STYLE):
        engine = figure.get_layout_engine()
        if isinstance(engine, ConstrainedLayoutEngine):  # leave room for the label below
            room = _ROOM / figure.get_figheight()
            engine.set(rect=(0, room, 1, 1 - room))
        settle(figure)
        figure.text(0.995, 0.004, f"Data: {data}", ha="right", va="bottom", fontsize=5.5, color="#555555")
        if synthetic:
            figure.text(
                0.5, 0.5, "SYNTHETIC DATA", ha="center", va="center", rotation=25,
                fontsize=5 * figure.get_figwidth(), color=VERMILION, alpha=0.25, zorder=10,
            )  # fmt: skip
        for suffix in FIGURE:
            # Dates would make every run's bytes differ.
            stamp = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {"Software": None}}[suffix]
            with written_aside(Path(stem).with_suffix(suffix)) as aside:
                # What is drawn as points of a picture within an SVG goes into the page, which is one small file.
                figure.savefig(aside, dpi=100 if suffix == ".svg" else 200, metadata=stamp)
    plt.close(figure)  # pyplot keeps every figure that it has opened
