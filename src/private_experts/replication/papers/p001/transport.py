"""The infinite-order Wasserstein distance of two laws: on an interval by quantiles, on a grid by flows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array, Bools


def largest_shift(log_masses: Array, others: Array, edges: Array) -> float:
    """Return the largest distance between equal quantiles of two laws, uniform within each of m cells.

    Quantiles are matched by the logarithm of the mass below in the lower half, of the mass above in the upper
    half, so that far tails are resolved. Log-masses have shape (m,), increasing edges (m + 1,).
    [mathematics/001.md#transport]
    """
    below, others_below = np.logaddexp.accumulate(log_masses), np.logaddexp.accumulate(others)
    above, others_above = (np.logaddexp.accumulate(log_law[::-1])[::-1] for log_law in (log_masses, others))
    # Each half by its own tail: a mass near 1 has no digits for what is left above it.
    lower = below < np.log(0.5)
    by_below = np.abs(np.interp(below[lower], others_below, edges[1:]) - edges[1:][lower])
    upper = above <= np.log(0.5)
    by_above = np.abs(np.interp(-above[upper], -others_above, edges[:-1]) - edges[:-1][upper])
    return float(max(by_below.max(initial=0.0), by_above.max(initial=0.0)))


def least_radius(masses: Array, others: Array, points: Array) -> float:
    """Return the least r for which mass can be moved from one law to another with no step longer than r.

    Masses (m,) at points (m, d) are rounded to multiples of 1e-8, and as many units as there are points may
    be left over. [mathematics/001.md#transport]
    """
    from scipy.sparse.csgraph import maximum_flow  # few who import this room need it

    m = len(points)
    one, two = (np.rint(law * 1e8).astype(np.int32) for law in (masses, others))
    # Rounding moves each mass by half a unit at most, so m units may find no partner.
    total = min(int(one.sum()), int(two.sum())) - m
    apart = np.linalg.norm(points[:, None] - points, axis=-1)
    radii = np.unique(np.round(apart, 9))

    def enough(radius: float) -> bool:
        graph = flow_graph(one, two, apart <= radius + 1e-9)
        return int(maximum_flow(graph, 2 * m, 2 * m + 1).flow_value) >= total

    low, high = -1, radii.size - 1
    # The least radius is a distance of two points, so the search is over these alone.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(float(radii[middle])) else (middle, high)
    return float(radii[high])


def flow_graph(units: NDArray[np.int32], others: NDArray[np.int32], near: Bools) -> Any:
    """Return capacities (2 m + 2, 2 m + 2) from m cells to m near them, source 2 m, sink 2 m + 1."""
    from scipy.sparse import csr_array  # few who import this room need it

    m = len(units)
    _, end = np.nonzero(near)
    # Row by row: cells, cells near them, the source; of the sink there is none.
    columns = np.concatenate([m + end, np.full(m, 2 * m + 1), np.arange(m)]).astype(np.int32)
    capacities = np.concatenate([np.full(end.size, 10**9, dtype=np.int32), others, units])
    sizes = [np.zeros(1, dtype=np.intp), near.sum(axis=1), np.ones(m, dtype=np.intp), np.array([m, 0])]
    rows = np.concatenate(sizes).cumsum().astype(np.int32)
    return csr_array((capacities, columns, rows), shape=(2 * m + 2, 2 * m + 2))
