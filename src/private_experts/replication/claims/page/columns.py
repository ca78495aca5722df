"""Where the boxes of a graph stand: in columns, each box to the right of what it rests on.

This is Sugiyama's method. Long arrows get a place of their own in each column that they cross. igraph orders the
columns so that few arrows cross; it is kept well, comes as wheels for all systems, and needs no program beside it, as
Graphviz does. The heights then follow by least squares: each box comes as near to the mean of its neighbours as the
boxes above and below it allow. (igraph's own heights take twice the room.)
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

GAP = 46.0  # between two columns, for the arrows
MARGIN = 6.0
LANE = 11.0  # between the middle of an arrow and that of another one, in a column that both cross
SWEEPS = 60

Name = str | tuple[int, int]  # of a box, or of an arrow's place: number of the edge, and column


@dataclass(frozen=True)
class Box:
    """A box by its upper left corner and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Boxes by name, and for each arrow the path of an SVG, in the order of the edges."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    paths: Sequence[str]


def placed(widths: Mapping[str, float], edges: Sequence[tuple[str, str]], height: float, pitch: float) -> Layout:
    """Place the boxes of a graph without circles.

    Parameters
    ----------
    widths : mapping
        Of the boxes by name.
    edges : sequence of pairs
        From what carries to what rests on it. Every box has one.
    height : float
        Of every box.
    pitch : float
        From the middle of a box to that of the one below, at least.
    """
    column = _columns(widths, edges)
    ways: list[list[Name]] = [
        [one, *((number, place) for place in range(column[one] + 1, column[other])), other]
        for number, (one, other) in enumerate(edges)
    ]
    places: dict[Name, int] = {}
    for way in ways:
        places |= {step: column[str(way[0])] + far for far, step in enumerate(way)}
    middle = _middles(places, [link for way in ways for link in pairwise(way)], pitch)
    rooms = [0.0] * (max(column.values()) + 1)
    for name, width in widths.items():
        rooms[column[name]] = max(rooms[column[name]], width)
    left = [MARGIN + sum(rooms[:each]) + GAP * each for each in range(len(rooms))]
    boxes = {name: Box(left[column[name]], middle[name] - height / 2, widths[name], height) for name in widths}
    paths = []
    for way, (one, _) in zip(ways, edges, strict=True):
        points = [(boxes[one].x + widths[one], middle[one])]
        for step, after in pairwise(way):  # level to the end of its column, then to the next one
            points.append((left[places[step]] + rooms[places[step]], middle[step]))
            points.append((left[places[after]], middle[after]))
        paths.append(_path(points))
    return Layout(left[-1] + rooms[-1] + MARGIN, max(middle.values()) + height / 2 + MARGIN, boxes, paths)


def _columns(names: Mapping[str, float], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return each box's column: behind all that it rests on; where that is nothing, just before what it carries."""
    supports, carried = defaultdict(list), defaultdict(list)
    for one, other in edges:
        supports[other].append(one)
        carried[one].append(other)
    column: dict[str, int] = {}

    def behind(name: str) -> int:
        if name not in column:
            column[name] = 1 + max((behind(each) for each in supports[name]), default=-1)
        return column[name]

    for name in names:
        behind(name)
    return {
        name: place if supports[name] or not carried[name] else min(column[each] for each in carried[name]) - 1
        for name, place in column.items()
    }


def _middles(places: Mapping[Name, int], links: Sequence[tuple[Name, Name]], pitch: float) -> dict[Name, float]:
    """Return the height of the middle of each box and of each arrow in a column, part by part of the graph."""
    import igraph  # a graph is drawn once in a run

    names = list(places)
    number = {name: each for each, name in enumerate(names)}
    whole = igraph.Graph(len(names), [(number[one], number[other]) for one, other in links], directed=True)
    middle: dict[Name, float] = {}
    top = MARGIN + pitch / 2
    for part in whole.connected_components(mode="weak"):
        ordered = whole.induced_subgraph(part).layout_sugiyama(layers=[places[names[each]] for each in part])
        across = {names[each]: float(found[0]) for each, found in zip(part, ordered.coords, strict=True)}
        own = _relaxed(across, places, [link for link in links if link[0] in across], pitch)
        least = min(own.values())
        middle |= {name: float(round(top + value - least)) for name, value in own.items()}
        top = max(middle.values()) + pitch
    return middle


def _relaxed(
    across: Mapping[Name, float], places: Mapping[Name, int], links: Sequence[tuple[Name, Name]], pitch: float
) -> dict[Name, float]:
    """Return heights in the order of each column, each as near to the mean of its neighbours' as there is room."""
    from scipy.optimize import isotonic_regression

    columns: dict[int, list[Name]] = defaultdict(list)
    for name in sorted(across, key=lambda name: across[name]):
        columns[places[name]].append(name)
    neighbours = defaultdict(list)
    for one, other in links:
        neighbours[one].append(other)
        neighbours[other].append(one)
    distances = {each: _distances(column, pitch) for each, column in columns.items()}
    height = {
        name: float(far) for each, column in columns.items() for name, far in zip(column, distances[each], strict=True)
    }
    order = sorted(columns)
    for sweep in range(SWEEPS):
        for each in order if sweep % 2 == 0 else reversed(order):
            wanted = [fmean([height[other] for other in neighbours[name]]) for name in columns[each]]
            found = isotonic_regression(np.array(wanted) - distances[each]).x + distances[each]
            height |= dict(zip(columns[each], map(float, found), strict=True))
    return height


def _distances(column: Sequence[Name], pitch: float) -> NDArray[np.float64]:
    """Return how far below the first of a column the others are at least."""
    half = [pitch / 2 if isinstance(name, str) else LANE / 2 for name in column]
    return np.cumsum([0.0, *(one + other for one, other in pairwise(half))])


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a path through points that is level at each of them."""
    (x, y), *rest = points
    words = [f"M{x:g} {y:g}"]
    for to_x, to_y in rest:
        half = (x + to_x) / 2
        words.append(f"H{to_x:g}" if to_y == y else f"C{half:g} {y:g} {half:g} {to_y:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    return "".join(words)
