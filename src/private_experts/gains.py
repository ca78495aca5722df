"""What gains may be: numbers from 0 to 1, in an array of the game's shape. It is checked once in each round."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)
_ONE = int(np.float64(1.0).view(np.uint64))


def checked_gains(gains: Any, n: int, repetitions: int = 1, largest: float = 1.0, told: str = "gains") -> Array:
    """Return gains as they are, once it is certain that they are what an algorithm's guarantee and bounds are about.

    Parameters
    ----------
    gains : ndarray, shape (n,) or (repetitions, n)
        Numbers from 0 to `largest`.
    n : int
        Number of experts.
    repetitions : int
        Number of independent copies.
    largest : float
        The largest gain that is possible, 1 or more; ``inf`` for any finite gain.
    told : str
        What the values are called in a refusal.

    Returns
    -------
    ndarray
        The same array, or its copy as floats where it holds integers or booleans.

    Raises
    ------
    InputError
        When `gains` is no array, has another shape, or holds a number outside the range or none at all; or when
        `largest` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.gains import checked_gains
    >>> checked_gains(np.array([0.0, 0.5, 1.0]), n=3).tolist()
    [0.0, 0.5, 1.0]
    >>> checked_gains(np.array([0.0, 50.0, 100.0]), n=3)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: gains from 0 to 100: write numbers from 0 to 1, such as shares of the best reward
    """
    # The bits of numbers from 0 on, read as whole numbers, have the order of the numbers. Negative ones and NaN come
    # after them all. So one pass over the array answers, but for -0.0. A method is called faster than a ufunc.
    if n and type(gains) is np.ndarray and gains.dtype.char == "d" and gains.shape in ((n,), (repetitions, n)):
        bits = gains.view(np.uint64)
        if bits.item(bits.argmax()) <= (_ONE if largest == 1 else _top(largest)):
            taken: Array = gains
            return taken
    return _checked_slowly(gains, n, repetitions, largest, told)


def _top(largest: float) -> int:
    if not largest >= 1:
        raise InputError(f"largest gain {largest}: write 1 or more")
    return int(np.float64(min(largest, _LARGEST)).view(np.uint64))


def _checked_slowly(gains: Any, n: int, repetitions: int, largest: float, told: str) -> Array:
    if not isinstance(gains, np.ndarray):
        raise InputError(f"{told}: a {type(gains).__name__} was given; write a NumPy array of shape ({n or 'n'},)")
    if gains.shape != (n,) and gains.shape != (repetitions, n):
        raise InputError(f"{told} of shape {gains.shape}: write shape ({n},), or ({repetitions}, {n}) for all copies")
    if not gains.size:
        raise InputError(f"{told} of shape {gains.shape}: write at least one number")
    if gains.dtype.kind in "bui":
        gains = gains.astype(np.float64)
    if gains.dtype != np.float64:
        raise InputError(f"{told} of type {gains.dtype}: write an array of float64")
    if gains.min() >= 0 and gains.max() <= min(largest, _LARGEST):
        taken: Array = gains
        return taken
    low, high = gains.min(), gains.max()
    wanted = f"numbers from 0 to {largest:g}, such as shares of the best reward" if largest < np.inf else "numbers"
    raise InputError(f"{told} from {low:g} to {high:g}: write {wanted}")
