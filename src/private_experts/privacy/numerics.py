"""Input and roots that the modules on trade-off curves share."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]


def checked(name: str, values: ArrayLike, high: float = math.inf) -> Array:
    """Return `values` as floats, once it is certain that all are in [0, high].

    Parameters
    ----------
    name : str
        What they are called in a refusal.
    values : array_like
    high : float
        The largest allowed; ``inf`` for any number of at least 0.

    Returns
    -------
    ndarray
        Of the shape of `values`.

    Raises
    ------
    InputError
        When one is outside, or not a number.

    Examples
    --------
    >>> from private_experts.privacy.numerics import checked
    >>> checked("delta", [0.5, 1.5], high=1.0)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: delta = 1.5: write a number from 0 to 1
    """
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= 0) & (array <= high))
    if wrong.any():
        wanted = f"a number from 0 to {high:g}" if high < math.inf else "a number that is at least 0"
        raise InputError(f"{name} = {array[wrong][0]:g}: write {wanted}")
    return array


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
