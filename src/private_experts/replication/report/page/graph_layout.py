"""Where the boxes of a graph stand: in columns, each box to the right of what it rests on.

igraph orders the columns so that few arrows cross (Sugiyama's method). Its heights take much room, so they are scaled
down until the fullest column has just enough.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

GAP = 46.0  # between two columns, for the arrows
MARGIN = 6.0
LANE = 11.0  # between the middle of an arrow and that of another one, in a column that both cross


class Station(NamedTuple):
    """A box, or an arrow where it crosses a column: its column, and igraph's place in it."""

    column: int
    across: float


class Box(NamedTuple):
    """A box by its upper left corner and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


class Layout(NamedTuple):
    """Boxes by name, and for each arrow the path of an SVG, in the order of the edges."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    paths: Sequence[str]


def placed(widths: Mapping[str, float], edges: Sequence[tuple[str, str]], height: float, pitch: float) -> Layout:
    """Place boxes of these widths and one height; their middles are at least `pitch` apart, and each has an edge."""
    stations, ways = _sugiyama(edges)
    sizes = {each: LANE for way in ways.values() for each in way} | dict.fromkeys(stations.values(), pitch)
    middle = _middles(sizes)
    room: dict[int, float] = defaultdict(float)
    for name, station in stations.items():
        room[station.column] = max(room[station.column], widths[name])
    left = [MARGIN + sum(room[each] + GAP for each in range(column)) for column in range(len(room))]
    boxes = {
        name: Box(left[each.column], middle[each] - height / 2, widths[name], height) for name, each in stations.items()
    }
    paths = []
    for one, other in edges:
        points = [(boxes[one].x + widths[one], middle[stations[one]])]
        for here, there in pairwise(ways[one, other]):  # level to the end of its column, then to the next one
            points.append((left[here.column] + room[here.column], middle[here]))
            points.append((left[there.column], middle[there]))
        paths.append(_path(points))
    return Layout(left[-1] + room[len(left) - 1] + MARGIN, max(middle.values()) + pitch / 2 + MARGIN, boxes, paths)


def _sugiyama(
    edges: Sequence[tuple[str, str]],
) -> tuple[dict[str, Station], dict[tuple[str, str], list[Station]]]:
    """Return igraph's stations of the boxes, and of the arrows from end to end; parts of the graph follow each other.

    igraph's own arrows are wrong where a graph has several parts.
    """
    import igraph  # a graph is drawn once in a run

    stations: dict[str, Station] = {}
    ways: dict[tuple[str, str], list[Station]] = {}
    below = 0.0
    for part in igraph.Graph.TupleList(edges, directed=True).decompose("weak"):
        columns = [column for _, column in part.layout_sugiyama().coords]
        for first in part.vs.select(_indegree=0):  # just before what it carries
            columns[first.index] = min(columns[each] for each in part.successors(first)) - 1
        found = part.layout_sugiyama(layers=columns)
        places = [*found.coords, *(place for way in found.edge_routing for place in way)]
        below -= min(across for across, _ in places)
        stations |= {
            each["name"]: Station(int(y), x + below) for each, (x, y) in zip(part.vs, found.coords, strict=True)
        }
        for edge, way in zip(part.es, found.edge_routing, strict=True):
            one, other = edge.source_vertex["name"], edge.target_vertex["name"]
            ways[one, other] = [stations[one], *(Station(int(y), x + below) for x, y in way), stations[other]]
        below += max(across for across, _ in places) + 1
    return stations, ways


def _middles(sizes: Mapping[Station, float]) -> dict[Station, float]:
    """Return the heights of the middles, by how much of its column each station needs."""
    from scipy.optimize import isotonic_regression

    columns: dict[int, list[Station]] = defaultdict(list)
    for each in sorted(sizes):
        columns[each.column].append(each)
    least = {  # how far below the first of its column each is at least
        number: np.cumsum([0.0, *((sizes[one] + sizes[other]) / 2 for one, other in pairwise(column))])
        for number, column in columns.items()
    }
    scale = max(far[-1] for far in least.values()) / max(each.across for each in [*sizes, Station(0, 1.0)])
    middle: dict[Station, float] = {}
    for number, column in columns.items():
        wanted = scale * np.array([each.across for each in column])
        heights = isotonic_regression(wanted - least[number]).x + least[number]
        middle |= dict(zip(column, map(float, heights.round()), strict=True))
    top = min(height - sizes[each] / 2 for each, height in middle.items()) - MARGIN
    return {each: height - top for each, height in middle.items()}


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a path through points that is level at each of them."""
    (x, y), *rest = points
    words = [f"M{x:g} {y:g}"]
    for to_x, to_y in rest:
        half = (x + to_x) / 2
        words.append(f"H{to_x:g}" if to_y == y else f"C{half:g} {y:g} {half:g} {to_y:g} {to_x:g} {to_y:g}")
        x, y = to_x, to_y
    return "".join(words)
