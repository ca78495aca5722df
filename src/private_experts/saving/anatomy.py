"""What an object consists of: settings, which must be the same where it is loaded, and state, which is saved.

A class that can be saved says so itself: ``STATE`` names the attributes that change in play, and ``DERIVED`` those that
are worked out again, which are neither saved nor compared. Every other attribute is a setting, or an object of the same
kind inside. A random generator is state wherever it is.
"""

import dataclasses
import hashlib
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from private_experts.errors import InputError

Place = tuple[Any, str]
"""An object and the name of its attribute; for a generator that of its state."""


@dataclass
class Anatomy:
    """The settings and the places of state of some objects, by their path, such as ``0._windows._ahead``.

    Parameters
    ----------
    settings : dict from str to str
        Each in words.
    places : dict from str to (object, str)
        Where each piece of state is.

    Examples
    --------
    >>> from private_experts.algorithms import Hedge
    >>> from private_experts.randomness import rng_for
    >>> from private_experts.saving.anatomy import anatomy
    >>> found = anatomy([Hedge(2, rng=rng_for(0, "draws"))])
    >>> sorted(found.places)
    ['0._rng', '0._round', '0._totals']
    >>> found.settings["0.n"], found.settings["0.guarantee"]
    ('2', "PureDP(epsilon=inf, model='central')")
    """

    settings: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


def anatomy(objects: Any) -> Anatomy:
    """Return what objects consist of.

    Parameters
    ----------
    objects : sequence of object
        Algorithms, learners, sums, sources of noise, or generators. What two of them share is told once.

    Returns
    -------
    Anatomy

    Raises
    ------
    InputError
        When a class does not name its state, or a setting is of a kind that cannot be compared.

    Examples
    --------
    >>> from private_experts.saving.anatomy import anatomy
    >>> anatomy([object()])
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: saving: 0 is of type object: give its class STATE, a tuple of names
    """
    found = Anatomy()
    paths: dict[int, str] = {}
    for number, each in enumerate(objects):
        _look(each, str(number), found, paths)
    return found


def _look(value: Any, path: str, found: Anatomy, paths: dict[int, str]) -> None:
    """Enter what stands at a path."""
    kind = type(value)
    if isinstance(value, np.random.Generator):
        if not _met(value.bit_generator, path, found, paths):  # two generators may share their bits
            found.settings[path] = f"a generator of {type(value.bit_generator).__name__}"
            found.places[path] = value.bit_generator, "state"
    elif "STATE" in vars(kind):
        if not _met(value, path, found, paths):
            found.settings[path] = f"{kind.__module__}.{kind.__qualname__}"
            _look_inside(value, path, found, paths)
    elif isinstance(value, types.MethodType | types.BuiltinMethodType) and not isinstance(
        value.__self__, types.ModuleType | None
    ):
        found.settings[path] = f"the method {value.__name__}"
        _look(value.__self__, f"{path}.of", found, paths)
    elif isinstance(value, list | tuple | Mapping):
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        found.settings[path] = f"{kind.__name__} of {len(value)}"
        for key, each in pairs:
            _look(each, f"{path}.{key}", found, paths)
    else:
        found.settings[path] = _told(value, path)


def _met(value: Any, path: str, found: Anatomy, paths: dict[int, str]) -> bool:
    """Return whether an object was entered before. Then this path refers to the other one."""
    if id(value) in paths:
        found.settings[path] = f"the same as {paths[id(value)]}"
        return True
    paths[id(value)] = path
    return False


def _look_inside(value: Any, path: str, found: Anatomy, paths: dict[int, str]) -> None:
    """Enter the attributes of an object of a class that names its state."""
    state, derived = (_named(type(value), word) for word in ("STATE", "DERIVED"))
    for name, each in vars(value).items():
        if name in state:
            found.places[f"{path}.{name}"] = value, name
        elif name not in derived:
            _look(each, f"{path}.{name}", found, paths)


def _named(kind: type, word: str) -> set[str]:
    """Return the names that a class and those that it derives from list under a word."""
    return {name for each in kind.__mro__ for name in vars(each).get(word, ())}


def _told(value: Any, path: str) -> str:
    """Return a setting in words, which are the same for the same setting only."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((each.name, getattr(value, each.name)) for each in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(f'{name}={_told(part, path)}' for name, part in parts)})"
    if isinstance(value, tuple | list):  # inside a dataclass
        return f"({', '.join(_told(each, path) for each in value)})"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest = hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
        return f"array of {value.dtype.str} {value.shape}, sha256 {digest}"
    value = getattr(value, "__wrapped__", value)  # what functools.cache covers
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        if "<" in value.__qualname__:  # its name does not tell it from another one of the same place
            raise InputError(f"saving: {path} is the function {value.__qualname__}: define it in a module by itself")
        return f"{value.__module__}.{value.__qualname__}"
    raise InputError(f"saving: {path} is of type {type(value).__name__}: give its class STATE, a tuple of names")
