"""Comparisons of computed numbers that come out alike on every processor; see `private_experts.ties`."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Bools, Indices
from private_experts.ties import first_largest, slack

SAME = 1e-12  # of the largest number in size: what is as close together differs by rounding alone
_SETTLED = 9  # decimals in which numbers around 1 agree that differ by rounding errors
_DECIMALS = 12  # of a difference of numbers around 1 in size; rounding errors are smaller
Name = TypeVar("Name")


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


def best(values: Mapping[Name, float]) -> Name:
    """Return the name of the largest number, the first of those that tie with it."""
    return list(values)[int(first_largest(list(values.values())))]


def ascending(values: ArrayLike) -> Indices:
    """Return the places of numbers from the least to the largest; those that tie keep their order."""
    table = np.asarray(values, dtype=np.float64)
    order = np.argsort(table, kind="stable")
    # Groups by steps between neighbours: a tie with the next is one with all that are chained to it.
    steps = np.diff(table[order], prepend=table[order[:1]]) > slack(table, -1)
    return order[np.lexsort((order, np.cumsum(steps)))]
