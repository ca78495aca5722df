"""Where the boxes of a graph stand: in columns, each box to the right of what it rests on.

igraph orders the columns so that few arrows cross (Sugiyama's method). Its heights take much room, so they are scaled
down until the fullest column has just enough.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import numpy as np

GAP = 46.0  # between two columns, for the arrows
MARGIN = 6.0
LANE = 11.0  # between the middle of an arrow and that of another one, in a column that both cross

Edge = tuple[str, str]
Station = tuple[int, float]  # a box, or an arrow where it crosses a column: the column, and igraph's place in it


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


def placed(widths: Mapping[str, float], edges: Sequence[Edge], height: float, pitch: float) -> Layout:
    """Place boxes of these widths and one height; their middles are at least `pitch` apart, and each has an edge."""
    stations, ways = _sugiyama(edges)
    sizes = {each: LANE for way in ways.values() for each in way} | dict.fromkeys(stations.values(), pitch)
    middle = _middles(sizes)
    room: dict[int, float] = {}
    for name, (column, _) in sorted(stations.items(), key=lambda each: each[1]):
        room[column] = max(room.get(column, 0.0), widths[name])
    left = [*accumulate((each + GAP for each in room.values()), initial=MARGIN)]
    boxes = {name: Box(left[at[0]], middle[at] - height / 2, widths[name], height) for name, at in stations.items()}
    paths = []
    for one, other in edges:
        points = [(boxes[one].x + widths[one], middle[stations[one]])]
        for here, there in pairwise(ways[one, other]):  # level to the end of its column, then to the next one
            points += [(left[here[0]] + room[here[0]], middle[here]), (left[there[0]], middle[there])]
        paths.append(_path(points))
    return Layout(left[-1] - GAP + MARGIN, max(middle.values()) + pitch / 2 + MARGIN, boxes, paths)


def _sugiyama(edges: Sequence[Edge]) -> tuple[dict[str, Station], dict[Edge, list[Station]]]:
    """Return the stations of boxes, and of arrows from end to end, part by part: igraph's arrows need one part."""
    import igraph  # a graph is drawn once in a run

    stations: dict[str, Station] = {}
    ways: dict[Edge, list[Station]] = {}
    below = 0.0
    for part in igraph.Graph.TupleList(edges, directed=True).decompose("weak"):
        columns = [column for _, column in part.layout_sugiyama().coords]
        for first in part.vs.select(_indegree=0):  # just before what it carries
            columns[first.index] = min(columns[each] for each in part.successors(first)) - 1
        found = part.layout_sugiyama(layers=columns)
        places = [*found.coords, *(place for way in found.edge_routing for place in way)]
        below -= min(across for across, _ in places)
        stations |= {each["name"]: (int(y), x + below) for each, (x, y) in zip(part.vs, found.coords, strict=True)}
        for edge, way in zip(part.es, found.edge_routing, strict=True):
            one, other = edge.source_vertex["name"], edge.target_vertex["name"]
            ways[one, other] = [stations[one], *((int(y), x + below) for x, y in way), stations[other]]
        below += max(across for across, _ in places) + 1
    return stations, ways


def _middles(sizes: Mapping[Station, float]) -> dict[Station, float]:
    """Return the heights of the middles, by how much of its column each station needs."""
    from scipy.optimize import isotonic_regression

    columns = [list(column) for _, column in groupby(sorted(sizes), key=lambda each: each[0])]
    least = [  # how far below the first of its column each is at least
        np.cumsum([0.0, *((sizes[one] + sizes[other]) / 2 for one, other in pairwise(column))]) for column in columns
    ]
    scale = max(far[-1] for far in least) / max(1.0, *(across for _, across in sizes))
    middle: dict[Station, float] = {}
    for column, far in zip(columns, least, strict=True):
        wanted = scale * np.array([across for _, across in column])
        heights = isotonic_regression(wanted - far).x + far
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
