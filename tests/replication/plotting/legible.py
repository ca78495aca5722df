"""What keeps a figure from being read, by eyes or on a printer without colours."""

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
from matplotlib import cbook
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_rgba
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from private_experts.replication.plotting.direct_labels import DirectLabel, curve_of, is_drawn
from private_experts.replication.plotting.figures import SERIES, WIDTH, series
from private_experts.replication.plotting.layout import settle

SMALLEST = 7  # points, of letters that are read in print
# Letters that stand high or low, and their size over that of others.
RAISED, SMALL = {*"⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"}, 0.6
APART = 0.12  # least difference of lightness that is seen
SLACK = 1.0  # pixels


def problems(figure: Figure) -> list[str]:
    """Return what is wrong with a figure. It is laid out as it is for saving."""
    with mpl.rc_context({"font.size": 8}):
        settle(figure)
        return [*wrong(figure), *_outside(figure), *_places(figure)]


def wrong(figure: Figure) -> list[str]:
    """Return what is wrong with a figure wherever its parts are laid."""
    return [*_print(figure), *_title(figure), *_counts(figure), *_names(figure), *_grey(figure)]


def _print(figure: Figure) -> Iterator[str]:
    if figure.get_figwidth() != WIDTH:
        yield f"it is {figure.get_figwidth()} inches wide, and would be scaled to the page's {WIDTH}"
    for text in figure.findobj(Text):
        if text.get_text() and (size := smallest(text)) < SMALLEST - 0.01:
            yield f"{text.get_text()!r} has letters of {size:.1f} pt"


def smallest(text: Text) -> float:
    """Return the size of the smallest letter of a text as it is drawn, in points: of an exponent, its own."""
    words, size = text.get_text(), float(text.get_fontsize())
    if RAISED & {*words}:
        return size * SMALL
    return of_formula(words, text.get_fontproperties()) or size if cbook.is_math_text(words) else size


@functools.cache
def of_formula(words: str, font: FontProperties) -> float:
    """Return the size of a formula's smallest letter; 0 without any."""
    return min((float(glyph[1]) for glyph in MathTextParser("path").parse(words, 72, font).glyphs), default=0)


def _title(figure: Figure) -> Iterator[str]:
    if len(figure.get_suptitle().split()) < 4:
        yield "it has no title that says a finding"


def _outside(figure: Figure) -> Iterator[str]:
    for text in (*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())):
        if not _inside(text.get_window_extent(), figure.bbox):
            yield f"{text.get_text()!r} leaves the figure"


def _counts(figure: Figure) -> Iterator[str]:
    for panel in figure.axes:
        if len(series(panel)) > SERIES:
            yield f"a panel shows {len(series(panel))} series"


def _names(figure: Figure) -> Iterator[str]:
    """Every series has its name on the figure, once beside a panel or once below all."""
    drawn = {name for panel in figure.axes for name in series(panel)}
    below = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    named = {*below}
    for panel in figure.axes:
        beside = [text.get_text() for text in _labels(panel)]
        if len({*beside, *below}) < len(beside) + len(below):
            yield "a name stands there twice"
        named |= {*beside}
    if drawn != named:
        yield f"{sorted(drawn ^ named)} are drawn or named, but not both"


def _places(figure: Figure) -> Iterator[str]:
    """Names of curves overlap neither each other nor other words, and stay on the figure."""
    labels = [text for panel in figure.axes for text in _labels(panel)]
    words = [*figure.texts, *(text for panel in figure.axes for text in _words(panel))]
    boxes = [(text.get_text(), _box(text)) for text in (*labels, *words) if text.get_text()]
    for name, box in boxes[: len(labels)]:
        if not _inside(box, figure.bbox):
            yield f"the name {name!r} leaves the figure"
    for (name, box), (other, beside) in itertools.combinations(boxes, 2):
        if name in {text.get_text() for text in labels} and _overlap(box, beside):
            yield f"the name {name!r} lies on {other!r}"
    for panel in figure.axes:
        for text in _labels(panel):
            if _box(text).x0 < panel.bbox.x1:
                yield f"the name {text.get_text()!r} lies in the panel, on its curves"


def _grey(figure: Figure) -> Iterator[str]:
    """Series of a panel can be told apart without colour."""
    for panel in figure.axes:
        handles = zip(*panel.get_legend_handles_labels(), strict=True)
        looks = {name: _look(curve_of(handle)) for handle, name in handles if is_drawn(handle)}
        for (name, look), (other, beside) in itertools.combinations(looks.items(), 2):
            if look[:-1] == beside[:-1] and abs(look[-1] - beside[-1]) < APART:
                yield f"{name!r} and {other!r} are the same in grey"


def _look(handle: Any) -> tuple[Any, ...]:
    """Return what can be seen of a series without colour; last its lightness."""
    if isinstance(handle, Line2D):
        pattern = handle._unscaled_dash_pattern  # type: ignore[attr-defined]
        dashes = str(pattern) if handle.get_linestyle() != "None" else "no line"
        filled = _light(handle.get_markerfacecolor()) > 0.9
        return "line", dashes, handle.get_marker(), filled, _light(handle.get_color())
    patch = handle.patches[0] if isinstance(handle, BarContainer) else handle
    if isinstance(patch, Patch):
        return "area", patch.get_hatch(), _light(patch.get_facecolor())
    assert isinstance(patch, Collection)
    return "area", None, _light(patch.get_facecolor()[0])


def _light(colour: Any) -> float:
    red, green, blue, alpha = to_rgba(colour)
    return 1 - alpha * (1 - (0.299 * red + 0.587 * green + 0.114 * blue))


def _labels(panel: Axes) -> list[DirectLabel]:
    return [text for text in panel.texts if isinstance(text, DirectLabel)]


def _box(text: Text) -> Bbox:
    """Return where a text stands, without the stroke that leads to it."""
    text.get_window_extent()  # brings an annotation to its place
    return Text.get_window_extent(text)


def _words(panel: Axes) -> Iterator[Text]:
    """Return the words beside a panel: its title, and what its axes say."""
    if panel.axison:
        yield panel.title
        for axis in (panel.xaxis, panel.yaxis):
            yield axis.label
            yield from axis.get_ticklabels()


def _inside(box: Bbox, of: Bbox) -> bool:
    return bool((box.min >= of.min - SLACK).all() and (box.max <= of.max + SLACK).all())


def _overlap(box: Bbox, beside: Bbox) -> bool:
    return bool((box.min + SLACK < beside.max - SLACK).all() and (beside.min + SLACK < box.max - SLACK).all())
