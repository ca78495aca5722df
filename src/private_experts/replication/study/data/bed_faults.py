"""Bed counts that are wrong for a week or two: far above, or far below, those before and after.

Beds come and go, but seldom for a week. A count that leaves its neighbours by 15 % and comes back is more likely an
error of reporting. One way to it is known: a figure is the mean of seven days, and a day without a report that is
counted as 0 beds makes 6/7 of it, so its neighbours are 7/6, or 16.7 %, above it. The limit lies just below that.
A mark is no proof: in a house with 12 beds two more are 16.7 % too. [data.md#beds]
"""

import numpy as np

from private_experts.arrays import Array, Bools

LIMIT = 1.15
# How many counts before, and how many after, the neighbours of a run of one or two counts lie from each of its counts.
NEIGHBOURS = ((1, 1), (2, 1), (1, 2))


def bed_faults(beds: Array) -> tuple[Bools, Bools]:
    """Return which bed counts are briefly too high, and which are briefly too low.

    - `beds`, shape (T, n): Counts by week and hospital, positive; NaN where there is none.
    - returns `high, low`, shape (T, n): A hospital's counts are taken in a row, whatever lies between them. A count is
      too high if it belongs to a run of one or two of which the count before and the count after are known, and is at
      least `LIMIT` times each of these; too low if each of these is at least `LIMIT` times the count.
    """
    order = np.argsort(np.isnan(beds), axis=0, kind="stable")  # a hospital's counts in a row, then what is missing
    reach = max(map(max, NEIGHBOURS))
    row = np.pad(np.take_along_axis(beds, order, axis=0), ((reach, reach), (0, 0)), constant_values=np.nan)
    weeks = len(beds)

    def at(shift: int) -> Array:
        return row[reach + shift : reach + shift + weeks]

    high, low = np.zeros_like(beds, dtype=np.bool_), np.zeros_like(beds, dtype=np.bool_)
    for before, after in NEIGHBOURS:
        high |= at(0) >= LIMIT * np.maximum(at(-before), at(after))
        low |= LIMIT * at(0) <= np.minimum(at(-before), at(after))
    back = np.argsort(order, axis=0)
    return np.take_along_axis(high, back, axis=0), np.take_along_axis(low, back, axis=0)
