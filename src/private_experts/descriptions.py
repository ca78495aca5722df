"""What an object says of itself: its class, its guarantee, and the settings that it was made with."""

import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import Any, Self

import numpy as np

from private_experts.errors import InputError, check_by_name, did_you_mean
from private_experts.ownership import begin_again, is_played

_MANY = 4  # so many of a sequence are named


class Described:
    """An object whose `repr` says what it is, and that knows the settings it was made with.

    Examples
    --------
    >>> from private_experts.algorithms import FollowTheLeader
    >>> leader = FollowTheLeader(3, repetitions=100)
    >>> leader, leader.get_params()
    (<FollowTheLeader: no privacy, n=3, repetitions=100>, {'n': 3, 'repetitions': 100})
    """

    DERIVED: tuple[str, ...] = ("_made_with",)  # see `private_experts.saving`
    _made_with: dict[str, Any]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Make an object that knows its settings."""
        made = super().__new__(cls)
        kind: type = cls
        defaults = _defaults(kind)
        check_by_name(cls.__name__, len(given), _positional(kind), [*defaults])
        for name in named:
            if name not in defaults and not _takes_any(kind):
                raise TypeError(
                    f"{cls.__name__}() got an unexpected keyword argument {name!r}"
                    f"{did_you_mean(name, defaults)}"
                )
        # Noted before __init__ runs, which derived classes write over.
        made._made_with = {**defaults, **dict(zip(defaults, given, strict=False)), **named}
        return made

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings that it was made with, defaults included, as scikit-learn's estimators do.

        ``type(it)(**it.get_params(deep=False))`` makes a fresh one, which draws the same where `rng` and the
        seed of the noise are numbers. Generators are the objects themselves, and go on where they stand.
        So are learners and sums; those that have played are refused, and have to be made anew.

        Parameters
        ----------
        deep : bool
            Whether the settings of settings are there too, such as ``noise__rng``.

        Returns
        -------
        dict
            By name. What can be gone through only once, such as a generator of scales, is left out: it is
            used up.
        """
        settings = {name: value for name, value in self._made_with.items() if not isinstance(value, Iterator)}
        if deep:
            for name, value in [*settings.items()]:
                if isinstance(value, Described):
                    settings |= {f"{name}__{inner}": setting for inner, setting in value.get_params().items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Make it anew with some other settings, as scikit-learn's estimators do: its game begins again.

        Parameters
        ----------
        **settings : object
            By name, as `get_params` returns them; those of settings too, such as ``noise__rng``.

        Returns
        -------
        Self
            The object itself.

        Raises
        ------
        InputError
            When a name is unknown, a setting is refused, or one was used up, or has played, and is not given
            anew. It is then as before.

        Examples
        --------
        >>> from private_experts.algorithms import FollowTheLeader
        >>> FollowTheLeader(3, repetitions=100).set_params(repetitions=5)
        <FollowTheLeader: no privacy, n=3, repetitions=5>
        """
        known, inner = self.get_params(deep=False), dict[str, dict[str, Any]]()
        for name, value in settings.items():
            outer, _, rest = name.partition("__")
            if outer not in self._made_with:
                who = type(self).__name__
                raise InputError(
                    f"{who}: no setting is named {outer!r}{did_you_mean(outer, self._made_with)}"
                )
            if not rest:
                known[outer] = value
            elif isinstance(known.get(outer), Described):
                inner.setdefault(outer, {})[rest] = value
            else:
                raise InputError(
                    f"{type(self).__name__}: {outer} has no settings of its own: write {outer}=..."
                )
        if used_up := self._made_with.keys() - known.keys():
            raise InputError(f"{type(self).__name__}: {min(used_up)} was used up: write {min(used_up)}=...")
        for outer, value in known.items():
            if outer not in settings and outer not in inner and any(map(is_played, _parts(value))):
                raise InputError(f"{type(self).__name__}: {outer} has played: write {outer}=... anew")
        for outer, values in inner.items():
            known[outer].set_params(**values)
        # As new, or, where refused, as it was.
        before = {**vars(self)}
        vars(self).clear()
        try:
            vars(self).update(vars(type(self).__new__(type(self), **known)))
            type(self).__init__(self, **known)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
        begin_again(self)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy takes over: what was used up is left out, as it cannot be copied."""
        return {**vars(self), "_made_with": self.get_params(deep=False)}

    def __repr__(self) -> str:
        guarantee = getattr(self, "guarantee", None)
        settings = [
            f"{name}={_words(value)}"
            for name, value in self._made_with.items()
            if not isinstance(value, np.random.Generator | type(None))
            and (guarantee is None or name != "guarantee")
        ]
        rounds = getattr(self, "rounds_played", 0)
        settings += [f"{rounds} {'round' if rounds == 1 else 'rounds'} played"] if rounds else []
        facts = ", ".join(settings if guarantee is None else [str(guarantee), *settings])
        return f"<{type(self).__name__}{': ' if facts else ''}{facts}>"


@functools.cache
def _takes_any(cls: type) -> bool:
    """Return whether a class takes settings by names that its signature lacks."""
    parameters = inspect.signature(cls).parameters.values()
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)


@functools.cache
def _positional(cls: type) -> int:
    """Return how many settings a class takes by their position."""
    kinds = [parameter.kind for parameter in inspect.signature(cls).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return len(kinds)
    return len(kinds) - kinds.count(inspect.Parameter.KEYWORD_ONLY)


@functools.cache
def _defaults(cls: type) -> dict[str, Any]:
    """Return what a class is made with, with the defaults, None where there are none."""
    parameters = inspect.signature(cls).parameters.values()
    return {
        parameter.name: None if parameter.default is inspect.Parameter.empty else parameter.default
        for parameter in parameters
    }


def _parts(value: Any) -> list[Any]:
    """Return what a setting is made of, or the setting itself."""
    if isinstance(value, Mapping):
        return [*value.values()]
    return [*value] if isinstance(value, list | tuple) else [value]


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


def draw_alike(parts: Iterable[Any]) -> bool:
    """Return whether two generators of objects, or of what these were made with, draw the same numbers."""
    own = {id(generator): generator for part in parts for generator in _generators(part)}.values()
    return len({str(generator.bit_generator.state) for generator in own}) < len(own)


def _generators(part: Any) -> Iterator[np.random.Generator]:
    rng = getattr(part, "_rng", None)
    if isinstance(rng, np.random.Generator):
        yield rng
    for inner in getattr(part, "_made_with", {}).values():
        if isinstance(inner, Described):
            yield from _generators(inner)
