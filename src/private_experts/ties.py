"""Choices between computed numbers that name the same place on every processor.

The last bits of a matrix product or of an exponential depend on the processor. Numbers that are equal but for
these tie, and ties go to the lowest index. Sums that are added up number by number need none of this: their
bits are the same everywhere.
"""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Bools, Indices

TIE = 1e-9  # of the largest number in size: what differs by less ties
SAME = 1e-12  # of the largest number in size: what is as close together differs by rounding alone
_SETTLED = 9  # decimals in which numbers around 1 agree that differ by rounding errors
_DECIMALS = 12  # of a difference of numbers around 1 in size; rounding errors are smaller
Name = TypeVar("Name")


def _slack(values: Array, axis: int) -> Array:
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
    found: Indices = (table >= table.max(axis=axis, keepdims=True) - _slack(table, axis)).argmax(axis=axis)
    return found


def all_equal(values: ArrayLike, axis: int = -1) -> Bools:
    """Say whether numbers along an axis differ by rounding alone: their spread then tells nothing."""
    table = np.asarray(values, dtype=np.float64)
    return np.asarray(np.ptp(table, axis=axis) <= SAME * np.abs(table).max(axis=axis))


def first_least(values: ArrayLike, axis: int = -1) -> Indices:
    """Return the place of the least number along an axis, the first of those that tie with it."""
    return first_largest(-np.asarray(values, dtype=np.float64), axis)


def difference(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the difference of numbers around 1 without rounding errors, which one near 0 would be."""
    # + 0.0 turns -0.0 into 0.0, which would print and hash differently.
    return (
        np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), _DECIMALS) + 0.0
    )


def rounded(values: ArrayLike, decimals: int) -> Array:
    """Return numbers around 1 in size, rounded so that those equal but for rounding errors become equal."""
    # One step would tear them apart where a digit turns, such as 0.0005 to three decimals.
    return np.round(np.round(np.asarray(values, dtype=np.float64), _SETTLED), decimals)


def leaders(forecasts: Array, smooth: bool) -> Indices:
    """Return the place of the largest forecast on the last axis; fresh noise does not tie (`smooth`)."""
    return forecasts.argmax(axis=-1) if smooth else first_largest(forecasts)


def best(values: Mapping[Name, float]) -> Name:
    """Return the name of the largest number, the first of those that tie with it."""
    return list(values)[int(first_largest(list(values.values())))]


def ascending(values: ArrayLike) -> Indices:
    """Return the places of numbers from the least to the largest; those that tie keep their order."""
    table = np.asarray(values, dtype=np.float64)
    order = np.argsort(table, kind="stable")
    # Groups by steps between neighbours: a tie with the next is one with all that are chained to it.
    steps = np.diff(table[order], prepend=table[order[:1]]) > _slack(table, -1)
    return order[np.lexsort((order, np.cumsum(steps)))]
