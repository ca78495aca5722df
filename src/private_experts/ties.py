"""Choices between computed numbers that name the same place on every processor.

The last bits of a matrix product or of an exponential depend on the processor. Numbers that are equal but for
these tie, and ties go to the lowest index. Sums that are added up number by number need none of this: their
bits are the same everywhere.
"""

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices

TIE = 1e-9  # of the largest number in size: what differs by less ties


def slack(values: Array, axis: int) -> Array:
    """Return by how much numbers along an axis may differ and still tie."""
    top, bottom = values.max(axis=axis, keepdims=True), values.min(axis=axis, keepdims=True)
    found: Array = TIE * np.maximum(np.abs(top), np.abs(bottom))  # no array as large as the values is made
    return found


def first_largest(values: ArrayLike, axis: int = -1) -> Indices:
    """Return the place of the largest number along an axis, the first of those that tie with it.

    Examples
    --------
    >>> from private_experts.ties import first_largest
    >>> int(first_largest([0.3, 0.1 + 0.2])), int(first_largest([0.3, 0.4]))
    (0, 1)
    """
    table = np.asarray(values, dtype=np.float64)
    found: Indices = (table >= table.max(axis=axis, keepdims=True) - slack(table, axis)).argmax(axis=axis)
    return found


def leaders(forecasts: Array, smooth: bool) -> Indices:
    """Return the place of the largest forecast on the last axis; fresh noise does not tie (`smooth`)."""
    return forecasts.argmax(axis=-1) if smooth else first_largest(forecasts)
