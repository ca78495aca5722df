"""The infinite-order Wasserstein distance of two laws on an interval: the largest shift of a quantile."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def largest_shift(log_masses: Array, others: Array, edges: Array) -> float:
    """Return the largest distance between equal quantiles of two laws that are uniform within each of m cells.

    In the lower half, quantiles are matched by the logarithm of the mass below; in the upper half, of the mass above.
    So far tails are resolved too. Within a cell the logarithm is interpolated linearly, which moves a quantile by less
    than the cell's width. [mathematics/001.md#transport]

    Parameters
    ----------
    log_masses, others : ndarray, shape (m,)
        Logarithms of the cells' probabilities.
    edges : ndarray, shape (m + 1,)
        The cells' ends, increasing.
    """
    below, others_below = np.logaddexp.accumulate(log_masses), np.logaddexp.accumulate(others)
    above, others_above = (np.logaddexp.accumulate(each[::-1])[::-1] for each in (log_masses, others))
    lower = below < np.log(0.5)
    by_below = np.abs(np.interp(below[lower], others_below, edges[1:]) - edges[1:][lower])
    upper = above <= np.log(0.5)
    by_above = np.abs(np.interp(-above[upper], -others_above, edges[:-1]) - edges[:-1][upper])
    return float(max(by_below.max(initial=0.0), by_above.max(initial=0.0)))
