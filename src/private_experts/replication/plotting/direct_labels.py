"""Names at the ends of curves, beside the panel, instead of a legend."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.transforms import IdentityTransform

from private_experts.arrays import Array

_BESIDE = 9.0  # points from the panel to the names, for the strokes that lead to curves
_STEPS = 65  # at which a segment of a line is looked at
_LEADING = 1.12  # distance of names, in heights of a name


class DirectLabel(Annotation):
    """The name of a curve or a band, at the right of its panel, with a stroke from where the curve ends."""

    def __init__(self, text: str, curve: Line2D | PolyCollection) -> None:
        colour: Any = curve.get_color() if isinstance(curve, Line2D) else curve.get_facecolor()[0]
        dark = tuple(0.7 * part for part in to_rgb(colour))  # light colours are hard to read as letters
        super().__init__(
            text,
            (1, 0.5),
            (_BESIDE, 0),
            "axes fraction",
            "offset points",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "lw": 0.6,
                "color": dark,
                "shrinkA": 1,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            ha="left",
            va="center",
            fontsize=mpl.rcParams["legend.fontsize"],
            color=dark,
            linespacing=1.0,
            clip_on=False,
        )
        self.set_transform(IdentityTransform())  # its place is in pixels, as that of all annotations
        self.curve = curve


def label_curves(*panels: Axes) -> None:
    """Name every labelled curve and band of panels side by side, right of the last panel that shows it."""
    last: dict[str, tuple[Axes, Any]] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if is_drawn(handle):
                # Later panels overwrite: a name stands once in a row, where the eye ends.
                last[label] = panel, curve_of(handle)
    for label, (panel, curve) in last.items():
        panel.add_artist(DirectLabel(label, curve))


def curve_of(handle: Any) -> Any:
    """Return the line of error bars, or the curve itself."""
    return handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle


def is_drawn(handle: Any) -> bool:
    """Tell whether what a label stands for can be seen: a line without a finite point cannot."""
    line = curve_of(handle)
    if not isinstance(line, Line2D):
        return True
    return bool(np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any())


def place(figure: Figure) -> None:
    """Put the names of curves where the curves end, apart from each other. The panels must be in place."""
    for panel in figure.axes:
        labels = [text for text in panel.texts if isinstance(text, DirectLabel)]
        if not labels:
            continue
        box, to_points = panel.bbox, 72 / figure.dpi
        ends = np.array([_end(label.curve, panel) for label in labels])
        order = np.lexsort((np.arange(len(labels)), ends[:, 1]))
        heights = np.array([label.get_window_extent().height for label in labels]) * _LEADING
        middles = _apart(ends[order, 1], heights[order], box.y0, box.y1)
        for number, y in zip(order, middles, strict=True):
            x, from_y = ends[number]
            labels[number].xy = (round((x - box.x0) / box.width, 4), round((from_y - box.y0) / box.height, 4))
            labels[number].xyann = (
                round((box.x1 - x) * to_points + _BESIDE, 2),
                round((y - from_y) * to_points, 2),
            )


def _apart(wishes: Array, heights: Array, low: float, high: float) -> Array:
    """Return middles in ascending order, as far apart as names are high, as near those wanted as can be."""
    from scipy.optimize import isotonic_regression

    below = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    # where there is too little, they spread over both ends
    room = max(high - below[-1], (low + high - below[-1]) / 2)
    # With the heights below taken off, "apart" means "not falling": the nearest such places are an isotonic
    # regression.
    return np.asarray(np.clip(isotonic_regression(wishes - below).x, min(low, room), room) + below)


def _end(curve: Any, panel: Axes) -> tuple[float, float]:
    """Return where a curve or a band ends within its panel, in pixels."""
    box = panel.bbox
    if isinstance(curve, PolyCollection):
        corners = np.concatenate(
            [curve.get_transform().transform(path.vertices) for path in curve.get_paths()]
        )
        corners = corners[np.isfinite(corners).all(axis=1)]
        inside = corners[corners[:, 0] <= box.x1 + 1]
        here = inside if len(inside) else corners
        ends = here[here[:, 0] >= here[:, 0].max() - 0.5]
        return float(ends[0, 0]), float(np.clip(ends[:, 1].min() / 2 + ends[:, 1].max() / 2, box.y0, box.y1))
    points = curve.get_transform().transform(
        np.column_stack([np.asarray(coordinates, float) for coordinates in curve.get_data()])
    )
    points = points[np.isfinite(points).all(axis=1)]
    steps = np.linspace(0, 1, _STEPS)[:, None, None]  # a line may leave the panel between two of its points
    points = np.vstack(
        [points[:1], ((1 - steps) * points[:-1] + steps * points[1:]).swapaxes(0, 1).reshape(-1, 2)]
    )
    seen = points[((points >= np.array(box.min) - 1) & (points <= np.array(box.max) + 1)).all(axis=1)]
    x, y = (seen if len(seen) else np.clip(points, box.min, box.max))[-1]
    return float(x), float(y)
