"""Input and roots that the modules on trade-off curves share."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array


def root(function: Callable[..., Array], low: Array, high: Array, *args: NDArray[Any]) -> Array:
    """Return the elementwise root of a function that changes its sign between two ends.

    Parameters
    ----------
    function : callable
        Of arrays of one shape: the points, and `args` at these points.
    low, high : ndarray, shape (k,)
        The ends.
    *args : ndarray, shape (k,)
        What else the function depends on.

    Returns
    -------
    ndarray, shape (k,)

    Raises
    ------
    ArithmeticError
        When the sign does not change.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy.numerics import root
    >>> root(lambda x, square: x**2 - square, np.zeros(2), np.full(2, 9.0), np.array([2.0, 49.0])).round(6).tolist()
    [1.414214, 7.0]
    """
    if low.size == 0:
        return low
    from scipy.optimize.elementwise import find_root

    found = find_root(function, (low, high), args=args)
    if not np.all(found.success):
        raise ArithmeticError("no root between the given ends: this is a defect, please report it with its input")
    return np.asarray(found.x)
