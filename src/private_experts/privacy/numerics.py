"""Roots that the modules on trade-off curves share."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array

_EPSILON, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).smallest_normal)
_NO_ROOT = "no root between the given ends: this is a defect, please report it with its input"


def root(function: Callable[..., Array], low: Array, high: Array, *args: NDArray[Any]) -> Array:
    """Return the elementwise root of a function that changes its sign between two ends.

    `function` takes points and `args` at these points, all of shape (k,). Where the sign does not change, an
    `ArithmeticError` says so.
    """
    if low.size == 0:
        return low
    # For one number, the general search costs far more than the evaluations it makes.
    if low.size == 1:
        return np.full(
            low.shape, _one_root(lambda x: function(np.full(low.shape, x), *args).item(), low, high)
        )
    from scipy.optimize.elementwise import find_root

    found = find_root(function, (low, high), args=args)
    if not np.all(found.success):
        raise ArithmeticError(_NO_ROOT)
    return np.asarray(found.x)


def _one_root(function: Callable[[float], float], low: Array, high: Array) -> float:
    """Return what SciPy's `find_root` does of one number, to the last bit, without its cost of many numbers.

    (Chandrupatla: A new hybrid quadratic/bisection algorithm, 1997.)
    """
    x1, x2 = low.item(), high.item()
    x3, f1, f2, f3 = math.nan, function(x1), function(x2), math.nan
    while True:
        best, least = (x1, f1) if abs(f1) < abs(f2) else (x2, f2)
        if abs(least) <= _TINY:
            return best
        # An error and no nan: bounds rest on the root, and a wrong one would be a false promise.
        if (f1 > 0) == (f2 > 0) or not (math.isfinite(x1) and math.isfinite(x2)):
            raise ArithmeticError(_NO_ROOT)
        width, tolerance = abs(x2 - x1), abs(best) * (4 * _EPSILON) + 4 * _TINY
        if width < tolerance:
            return best
        # By the parabola through three points where it is nearly a line, and else by halves; none before the
        # first.
        x, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        t = 0.5
        if 1 - math.sqrt(1 - x) < phi < math.sqrt(x):
            of_third = (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f2 - f3)
            t = f1 / (f1 - f2) * f3 / (f3 - f2) - of_third
        if not math.isnan(x3):
            # Never nearer to an end than the tolerance, or steps could get stuck beside it.
            edge = 0.5 * tolerance / width
            t = min(max(t, edge), 1 - edge)
        point = x1 + t * (x2 - x1)
        value = function(point)
        if (value > 0) == (f1 > 0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = point, value
