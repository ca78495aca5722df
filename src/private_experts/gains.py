"""What gains may be: numbers from 0 to 1, in an array of the game's shape. Each is looked at once."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.refusals import is_array

Array = NDArray[np.float64]

_AT_ONCE = 2**15  # how many numbers are looked at at once; they fit into a processor's cache
_FLOATS = np.dtype(np.float64)
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
    if n and type(gains) is np.ndarray and gains.shape in ((n,), (repetitions, n)) and _within(gains, largest):
        taken: Array = gains
        return taken
    return _checked_slowly(gains, n, repetitions, largest, told)


def looked_at(
    rounds: Iterable[Any], n: int, repetitions: int = 1, largest: float = 1.0
) -> Iterator[tuple[Iterable[Any], bool]]:
    """Look at the gains of many rounds at once, which costs little more than to look at those of one.

    Parameters
    ----------
    rounds : iterable
        The gains of each round. Only an ndarray, shape (rounds, n) or (rounds, repetitions, n), can be looked at.
    n : int
        Number of experts.
    repetitions : int
        Number of independent copies.
    largest : float
        The largest gain that is possible, 1 or more; ``inf`` for any finite gain.

    Yields
    ------
    iterable, bool
        A stretch of rounds, and whether it is certain that `checked_gains` would return each of them as it is. If not,
        `checked_gains` tells what is wrong, or that nothing is.

    Raises
    ------
    InputError
        When `largest` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.gains import looked_at
    >>> [sure for _, sure in looked_at(np.array([[0.0, 0.5], [1.0, 0.5]]), n=2)]
    [True]
    >>> [sure for _, sure in looked_at(np.array([[0.0, 0.5], [1.5, 0.5]]), n=2)]
    [False]
    """
    if not (type(rounds) is np.ndarray and rounds.size and n and rounds.shape[1:] in ((n,), (repetitions, n))):
        yield rounds, False
        return
    length = max(1, _AT_ONCE * len(rounds) // rounds.size)
    for start in range(0, len(rounds), length):
        part = rounds[start : start + length]
        yield part, _within(part, largest)


def _within(gains: NDArray[Any], largest: float) -> bool:
    """Return whether an array is of floats from 0 to `largest`; -0.0 is left to whoever looks closer.

    The bits of numbers from 0 on, read as whole numbers, have the order of the numbers. Negative ones and NaN come
    after them all. So one pass over the array answers. A method is called faster than a ufunc.
    """
    if gains.dtype is not _FLOATS:  # such as numbers whose bytes are in another order
        return False
    bits = gains.view(np.uint64)
    most: int = bits.item(bits.argmax())
    return most <= (_ONE if largest == 1 else _top(largest))


def _top(largest: float) -> int:
    if not largest >= 1:
        raise InputError(f"largest gain {largest}: write 1 or more")
    return int(np.float64(min(largest, _LARGEST)).view(np.uint64))


def _checked_slowly(gains: Any, n: int, repetitions: int, largest: float, told: str) -> Array:
    if not is_array(gains):
        raise InputError(f"{told}: a {type(gains).__name__} was given; write a NumPy array of shape ({n or 'n'},)")
    if gains.shape != (n,) and gains.shape != (repetitions, n):
        raise InputError(f"{told} of shape {gains.shape}: write shape ({n},), or ({repetitions}, {n}) for all copies")
    if not gains.size:
        raise InputError(f"{told} of shape {gains.shape}: write at least one number")
    gains = np.asarray(gains)  # not a subclass, whose methods may mean something else
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
