"""What a mechanism that sums vectors may be given: finite numbers, in an array of its own length."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.refusals import is_array


def checked_vector(vector: Any, n: int, who: str) -> NDArray[np.float64]:
    """Return a copy of a vector as floats, once it is certain that it is one of n finite numbers.

    No range is asked for. A guarantee rests on how far one person can move a vector, and not on how large it is. That
    distance is the sensitivity, which whoever makes the mechanism states; no single vector can show it to be wrong.

    Parameters
    ----------
    vector : ndarray, shape (n,)
        Whole numbers and booleans will do as well.
    n : int
        Its length.
    who : str
        The mechanism's name, for the refusal.

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    InputError
        When it is no array of numbers, has another shape, or holds a number that is infinite or missing.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy.vectors import checked_vector
    >>> checked_vector(np.array([0.5, np.nan]), 2, "tight tree")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: tight tree: a vector with nan in it; write finite numbers
    """
    if type(vector) is np.ndarray and vector.dtype == np.float64 and vector.shape == (n,):
        copy = vector.copy()
        if copy.dot(copy) < math.inf:  # quickly: a sum of squares is finite only if all are
            return copy
    if not is_array(vector):
        raise InputError(f"{who}: a {type(vector).__name__} was given; write a NumPy array of shape ({n},)")
    if vector.shape != (n,):
        raise InputError(f"{who}: a vector of shape {vector.shape}; write shape ({n},)")
    if vector.dtype.kind not in "fbui":
        raise InputError(f"{who}: a vector of type {vector.dtype}; write an array of float64")
    copy = vector.astype(np.float64)
    if not np.isfinite(copy).all():
        raise InputError(f"{who}: a vector with {copy[~np.isfinite(copy)][0]} in it; write finite numbers")
    return copy
