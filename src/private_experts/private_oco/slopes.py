"""How steep a function on the points of a grid is, at a cost that does not grow with the number of pairs."""

import math

import numpy as np

from private_experts.arrays import Array, Indices

_Places = Indices | slice

_LAST_DIGITS = 4 * float(np.finfo(np.float64).eps)  # by which values may be off, as a share of the largest
_MOST = 12  # points of which all pairs are compared in more than one dimension


class Slopes:
    """The slopes of functions between points of a grid: all neighbours in one dimension, missing nothing.

    In more dimensions, neighbours along each axis are compared, and 12 points that lie spread over the grid.
    Between other points of the grid of a box or ball no slope is more than sqrt(d) times the one found.
    """

    def __init__(self, points: Array) -> None:
        self._ones, self._others = _neighbours(points)
        apart = np.hypot.reduce(np.abs(points[self._ones] - points[self._others]), axis=-1)
        self._closeness = np.divide(1.0, apart, out=np.zeros_like(apart), where=apart > 0)
        # In one dimension no pair is steeper than the steepest neighbours, unless a point is there twice.
        self.miss_nothing = points.shape[1] == 1 and bool((apart > 0).all())

    def steepest(self, values: Array) -> float:
        """Return the largest slope between the compared points, from values at all points, (m,)."""
        slopes = values[self._ones] - values[self._others]
        slopes *= self._closeness
        if not slopes.size:
            return 0.0
        # faster than max of absolute values
        return max(slopes.item(slopes.argmax()), -slopes.item(slopes.argmin()))

    def blur(self, values: Array) -> float:
        """Return by how much that slope may be off, because values have finitely many digits."""
        return _LAST_DIGITS * float(np.abs(values).max()) * float(self._closeness.max(initial=0.0))


def _neighbours(points: Array) -> tuple[_Places, _Places]:
    """Return the places of one and of the other point of each pair that is compared."""
    columns = list(points.T)
    if len(columns) == 1:
        # Between neighbours in order: a difference quotient over a longer way is a mean of those on it.
        order = np.argsort(columns[0], kind="stable")
        if (order[1:] > order[:-1]).all():
            return slice(1, None), slice(None, -1)  # faster than places one by one
        return order[1:], order[:-1]
    # Neighbours along axes alone would miss a function that is steep along a diagonal.
    chosen = _spread(points)
    pairs = [chosen[np.array(np.triu_indices(chosen.size, 1))]]
    for axis, column in enumerate(columns):
        others = columns[:axis] + columns[axis + 1 :]
        order = np.lexsort([column, *others])
        same = np.logical_and.reduce([other[order[1:]] == other[order[:-1]] for other in others])
        pairs.append(np.array([order[1:][same], order[:-1][same]]))
    ones, rest = np.concatenate(pairs, axis=1)
    return ones, rest


def _spread(points: Array) -> Indices:
    """Return the numbers of points that are far apart: each one as far from the earlier ones as may be."""
    # Greedy farthest points: long distances have the least blur from rounding.
    chosen = [int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=-1)))]
    nearest = np.full(len(points), math.inf)
    while len(chosen) < min(_MOST, len(points)):
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=-1))
        chosen.append(int(np.argmax(nearest)))
    return np.array(chosen)
