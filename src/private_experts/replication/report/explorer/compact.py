"""Numbers in few signs: rounded to a unit, and written as whole multiples of it."""

import numpy as np
from numpy.typing import ArrayLike

# The smallest steps that the file can tell apart. A drawing shows no less than ten times as much.
GAIN = 0.01
SPREAD = 0.001
ERROR = 1e-5  # of a type I or II error
LOG_DELTA = 1e-3  # of the decimal logarithm of delta
LEAST_LOG_DELTA = -12.0


def multiples(values: ArrayLike, unit: float) -> list[int]:
    """Return values as the nearest whole multiples of a unit."""
    whole: list[int] = np.rint(np.asarray(values, dtype=np.float64) / unit).astype(np.int64).tolist()
    return whole


def steps(values: ArrayLike, unit: float) -> list[int]:
    """Return the first of the `multiples`, and then by how much each differs from the one before."""
    whole = multiples(values, unit)
    return [here - before for before, here in zip([0, *whole], whole, strict=False)]
