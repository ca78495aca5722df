"""Input and roots that the modules on trade-off curves share."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array


def root(function: Callable[..., Array], low: Array, high: Array, *args: NDArray[Any]) -> Array:
    """Return the elementwise root of a function that changes its sign between two ends.

    `function` takes points and `args` at these points, all of shape (k,). Where the sign does not change, an
    `ArithmeticError` says so.
    """
    if low.size == 0:
        return low
    from scipy.optimize.elementwise import find_root

    found = find_root(function, (low, high), args=args)
    if not np.all(found.success):
        raise ArithmeticError("no root between the given ends: this is a defect, please report it with its input")
    return np.asarray(found.x)
