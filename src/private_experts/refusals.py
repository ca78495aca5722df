"""What every room refuses in the same words: numbers that are not whole, and what is no generator or no array."""

from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

COUNTED = 2**63 - 1  # the most that a 64-bit integer counts


def whole(value: float, who: str, name: str, least: int = 1, most: int | None = COUNTED) -> int:
    """Return a whole number of at least `least` as an `int`, and refuse anything else.

    Parameters
    ----------
    value : int
        The number, of Python or NumPy.
    who : str
        The mechanism's or player's name, for the refusal.
    name : str
        What the number is.
    least : int
        The least number that is allowed.
    most : int, optional
        The largest number that is allowed; with None there is no limit, for numbers that count nothing in memory.

    Returns
    -------
    int

    Raises
    ------
    InputError
        When it is smaller or too large, a float or a boolean, or no number.

    Examples
    --------
    >>> from private_experts.refusals import whole
    >>> whole(2.5, "tight tree", "n")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: tight tree: n = 2.5: write a whole number of at least 1
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        said = f"= {value!r}" if isinstance(value, Real | str | None) else f"is of type {type(value).__name__}"
        raise InputError(f"{who}: {name} {said}: write a whole number of at least {least}")
    if most is not None and value > most:
        raise InputError(f"{who}: {name} is too large: write a whole number of at most {most}")
    return int(value)


def generator(rng: np.random.Generator, who: str) -> np.random.Generator:
    """Return a random generator as it is, and refuse anything else.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of draws.
    who : str
        The mechanism's or player's name, for the refusal.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    InputError
        When it is something else, such as a seed.

    Examples
    --------
    >>> from private_experts.refusals import generator
    >>> generator(5, "tight tree")
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: tight tree: rng of type int: write rng_for(0, "my draws") or another Generator
    """
    if not isinstance(rng, np.random.Generator):
        raise InputError(f'{who}: rng of type {type(rng).__name__}: write rng_for(0, "my draws") or another Generator')
    return rng


def is_array(value: object) -> TypeGuard[NDArray[Any]]:
    """Return whether a value is an array that shows all its numbers.

    One with a mask does not: the least, the largest and the sum pass over numbers that are still there.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.refusals import is_array
    >>> is_array(np.zeros(2)), is_array([0.0, 0.0]), is_array(np.ma.masked_greater([0.5, 900.0], 1))
    (True, False, False)
    """
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
