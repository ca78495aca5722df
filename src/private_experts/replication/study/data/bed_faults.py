"""Bed counts that are wrong for a week or two: far above, or far below, those before and after.

A figure is the mean of seven days. A day without a report that is counted as 0 beds makes 6/7 of it, so its
neighbours are 16.7 % above it. The limit lies just below that. A mark is no proof. [data.md#beds]
"""

import numpy as np

from private_experts.arrays import Array, Bools

LIMIT = 1.15
# How many counts before, and how many after, the neighbours of a run of one or two counts lie from each of
# its counts.
NEIGHBOURS = ((1, 1), (2, 1), (1, 2))


def bed_faults(beds: Array) -> tuple[Bools, Bools]:
    """Return which counts (T, n), positive or NaN, are briefly too high, and which are briefly too low."""
    # a hospital's counts in a row, then what is missing
    order = np.argsort(np.isnan(beds), axis=0, kind="stable")
    reach = max(map(max, NEIGHBOURS))
    row = np.pad(np.take_along_axis(beds, order, axis=0), ((reach, reach), (0, 0)), constant_values=np.nan)
    weeks = len(beds)

    def at(shift: int) -> Array:
        return row[reach + shift : reach + shift + weeks]

    high, low = np.zeros_like(beds, dtype=np.bool_), np.zeros_like(beds, dtype=np.bool_)
    for before, after in NEIGHBOURS:
        # Missing neighbours are NaN, with which no comparison is true: ends are never marked.
        high |= at(0) >= LIMIT * np.maximum(at(-before), at(after))
        low |= LIMIT * at(0) <= np.minimum(at(-before), at(after))
    back = np.argsort(order, axis=0)
    return np.take_along_axis(high, back, axis=0), np.take_along_axis(low, back, axis=0)
