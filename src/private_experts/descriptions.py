"""What an object says of itself: its class, its guarantee, and the settings that it was made with."""

import functools
import inspect
from collections.abc import Mapping
from numbers import Real
from typing import Any, Self

import numpy as np

_MANY = 4  # so many of a sequence are named


class Described:
    """An object whose `repr` says what it is: its class, its guarantee, and its settings in words.

    The words are kept when it is made, and not the settings, some of which may change or be used up.

    Examples
    --------
    >>> from private_experts.algorithms import FollowTheLeader
    >>> FollowTheLeader(3, repetitions=100)
    <FollowTheLeader: no privacy, n=3, repetitions=100>
    """

    DERIVED: tuple[str, ...] = ("_made_with",)  # see `private_experts.saving`
    _made_with: dict[str, str]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Make an object that knows its settings in words."""
        made = super().__new__(cls)
        made._made_with = _in_words(cls, given, named)
        return made

    def __repr__(self) -> str:
        guarantee = getattr(self, "guarantee", None)
        settings = [
            f"{name}={said}" for name, said in self._made_with.items() if guarantee is None or name != "guarantee"
        ]
        facts = ", ".join(settings if guarantee is None else [str(guarantee), *settings])
        return f"<{type(self).__name__}{': ' if facts else ''}{facts}>"


def _in_words(cls: type, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, str]:
    """Return in words what an object is made with, by name; what is None or a random generator says nothing."""
    defaults = _defaults(cls)
    values = {**defaults, **dict(zip(defaults, given, strict=False)), **named}
    return {
        name: _words(value) for name, value in values.items() if not isinstance(value, np.random.Generator | type(None))
    }


@functools.cache
def _defaults(cls: type) -> dict[str, Any]:
    """Return what a class is made with, with the defaults, None where there are none."""
    parameters = inspect.signature(cls).parameters.values()
    return {each.name: None if each.default is inspect.Parameter.empty else each.default for each in parameters}


def _words(value: Any) -> str:
    """Return a setting in few words."""
    if isinstance(value, bool | np.bool_ | str):
        return repr(value)
    if isinstance(value, Real):
        return str(value) if isinstance(value, int) else f"{float(value):g}"
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    if isinstance(value, tuple | list):
        more = [f"and {len(value) - _MANY} more"] if len(value) > _MANY else []
        return f"[{', '.join([*map(_words, value[:_MANY]), *more])}]"
    return getattr(value, "__name__", type(value).__name__)
