"""State as plain text and arrays, and back, without ever running what a file says.

Each value becomes a list that begins with its kind. Numbers keep every bit. Arrays are kept apart, under a number.
"""

from collections import deque
from typing import Any

import numpy as np

from private_experts.errors import InputError

_KINDS = "biuf"  # booleans, whole numbers and floating-point numbers


def told(value: Any, path: str, arrays: list[Any]) -> list[Any]:
    """Return a value of state as what JSON can hold.

    Parameters
    ----------
    value : object
        None, a number, a string, an array of numbers, or tuples, lists, deques and dicts of such values.
    path : str
        Where it stands, for a refusal.
    arrays : list of ndarray
        Gets the arrays in the value.

    Returns
    -------
    list
        Its kind, and then what is in it.

    Raises
    ------
    InputError
        When it is of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.saving.plain import told
    >>> arrays = []
    >>> told((0.1, np.zeros(2)), "0._last", arrays), len(arrays)
    (['tuple', ['float', '0x1.999999999999ap-4'], ['array', 0]], 1)
    """
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        arrays.append(np.asarray(value))
        return ["array" if isinstance(value, np.ndarray) else "scalar", len(arrays) - 1]
    if value is None or isinstance(value, bool | int | str):
        return ["plain", value]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, dict):
        pairs = [[told(key, path, arrays), told(each, path, arrays)] for key, each in value.items()]
        return ["dict", *pairs]
    if isinstance(value, deque):
        return ["deque", value.maxlen, *(told(each, path, arrays) for each in value)]
    if type(value) in (tuple, list):  # a named tuple would come back as another type
        return [type(value).__name__, *(told(each, path, arrays) for each in value)]
    raise InputError(f"saving: {path} holds a value of type {type(value).__name__}: write numbers and arrays")


def made(words: list[Any], arrays: list[Any]) -> Any:
    """Return the value that `told` turned into words. [the inverse of `told`]

    Parameters
    ----------
    words : list
        From `told`, or from a file.
    arrays : list of ndarray
        What the numbers of arrays refer to.

    Returns
    -------
    object

    Raises
    ------
    ValueError, TypeError, IndexError, OverflowError
        When `told` writes no such words.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.saving.plain import made
    >>> made(["tuple", ["float", "0x1.999999999999ap-4"], ["array", 0]], [np.zeros(2)])
    (0.1, array([0., 0.]))
    """
    kind, *inside = words
    if kind in ("array", "scalar"):
        array = arrays[inside[0]]
        return array if kind == "array" else array[()]
    if kind == "plain" and (inside[0] is None or isinstance(inside[0], bool | int | str)):
        return inside[0]
    if kind == "float":
        return float.fromhex(inside[0])
    if kind == "dict":
        return {made(key, arrays): made(each, arrays) for key, each in inside}
    if kind == "deque":
        return deque((made(each, arrays) for each in inside[1:]), maxlen=inside[0])
    if kind in ("tuple", "list"):
        values = [made(each, arrays) for each in inside]
        return tuple(values) if kind == "tuple" else values
    raise ValueError(f"a value of the kind {kind!r}")
