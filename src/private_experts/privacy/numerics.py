"""Input and roots that the modules on trade-off curves share."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]


def checked(name: str, values: ArrayLike, high: float = math.inf) -> Array:
    """Return `values` as floats, all in [0, high]."""
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= 0) & (array <= high))
    if wrong.any():
        wanted = f"a number from 0 to {high:g}" if high < math.inf else "a number that is at least 0"
        raise InputError(f"{name} = {array[wrong][0]:g}: write {wanted}")
    return array


def root(function: Callable[..., Array], low: Array, high: Array, *args: NDArray) -> Array:
    """Return the elementwise root of `function`, which changes its sign between `low` and `high`."""
    if low.size == 0:
        return low
    from scipy.optimize.elementwise import find_root

    found = find_root(function, (low, high), args=args)
    if not np.all(found.success):
        raise ArithmeticError("no root between the given ends: this is a defect, please report it with its input")
    return np.asarray(found.x)
