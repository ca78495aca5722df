"""Input and roots that the modules on trade-off curves share."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]

_LEAST = float(np.finfo(float).smallest_normal)
_PRECISION = 4 * float(np.finfo(float).eps)  # of a root, in parts of itself
_STEPS = 2046  # halvings from the largest number to the least


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
    """Return the elementwise root of a function that changes its sign between two ends, to the last digits.

    The method is Chandrupatla's: inverse quadratic interpolation where that is safe, else bisection. It finds what
    `scipy.optimize.elementwise.find_root` finds, bit for bit, and spends a fraction of the time between two calls of
    the function. Points whose root is found are left out of further calls.

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
    result = np.empty(low.shape)
    rows = np.arange(low.size)
    a, b, c = low, high, low  # the root lies between the newest point, a, and b; c is the end that was given up last
    of_a, of_b = function(a, *args), function(b, *args)
    of_c = of_a
    for _ in range(_STEPS):
        nearer = np.abs(of_a) < np.abs(of_b)
        best = np.where(nearer, a, b)
        exact = np.abs(np.where(nearer, of_a, of_b)) <= _LEAST
        width, tolerance = np.abs(b - a), _PRECISION * np.abs(best) + 4 * _LEAST
        lost = (np.sign(of_a) == np.sign(of_b)) | ~np.isfinite(width) | np.isnan(of_a) & np.isnan(of_b)
        if np.any(lost & ~exact):
            break
        found = exact | (width < tolerance)
        if found.any():
            result[rows[found]] = best[found]
            if found.all():
                return result
            kept = ~found
            rows, args = rows[kept], tuple(each[kept] for each in args)
            a, b, c, of_a, of_b, of_c, width, tolerance = (
                each[kept] for each in (a, b, c, of_a, of_b, of_c, width, tolerance)
            )
        least = 0.5 * tolerance / width
        x = a + np.clip(_way(a, b, c, of_a, of_b, of_c), least, 1 - least) * (b - a)
        of_x = function(x, *args)
        same = np.sign(of_x) == np.sign(of_a)
        c, of_c = np.where(same, a, b), np.where(same, of_a, of_b)
        b, of_b = np.where(same, b, a), np.where(same, of_b, of_a)
        a, of_a = x, of_x
    raise ArithmeticError("no root between the given ends: this is a defect, please report it with its input")


def _way(a: Array, b: Array, c: Array, of_a: Array, of_b: Array, of_c: Array) -> Array:
    """Return which part of the way from a to b to go: to where a parabola through three points is 0, or one half."""
    with np.errstate(all="ignore"):  # what is not safe is not taken
        place, height = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
        safe = (1 - np.sqrt(1 - place) < height) & (height < np.sqrt(place))
        beyond = (c - a) / (b - a)
        direct = of_a / (of_a - of_b) * of_c / (of_c - of_b)
        return np.where(safe, direct - beyond * of_a / (of_c - of_a) * of_b / (of_b - of_c), 0.5)
