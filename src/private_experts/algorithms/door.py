"""What an algorithm and its parts state of sensitivity and unit, and what somebody else's class is told."""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports, check_reach, check_report
from private_experts.tabular import UNIT, Bounds, check_within, checked_bounds, numbers


class Stated(NamedTuple):
    """A number that a part of an algorithm was made with, and the bounds of the gains in whose unit it is."""

    value: Any
    bounds: Bounds


def settings_inside(algorithm: Any, name: str = "sensitivity") -> list[Stated]:
    """Return the sensitivities, or other settings, that an algorithm or anything inside it states.

    Somebody else's class may keep it, or the part that does, in any attribute. What states one speaks for all
    that is inside it.
    """
    found: list[Stated] = []

    def looked_at(part: Any, attributes: Mapping[str, Any], unit: Bounds) -> bool:
        values = [value for key, value in attributes.items() if key.endswith(name) and _is_number(value)]
        if not values and not isinstance(part, Mapping) and _is_number(getattr(part, name, None)):
            values = [getattr(part, name)]
        found.extend(Stated(value, unit) for value in values[:1])
        return not values

    _walk(algorithm, looked_at)
    return found


def _walk(algorithm: Any, look: Callable[[Any, Mapping[str, Any], Bounds], bool]) -> None:
    """Look at an algorithm and all that is inside, at nothing inside a part of which `look` returns False.

    It is shown a part, its attributes, and in which bounds it takes gains.
    """
    known: dict[int, Any] = {}
    left: list[tuple[Any, Bounds]] = [(algorithm, UNIT)]
    while left:
        part, unit = left.pop()
        if isinstance(part, MethodType):
            part = part.__self__
        if isinstance(part, _SINGLE) or hasattr(type(part), "to_numpy") or id(part) in known:
            continue
        known[id(part)] = part  # kept, so that no other object takes its place in memory
        if isinstance(part, list | tuple | set | frozenset | deque):
            left.extend((inner, unit) for inner in part)
            continue
        attributes = _attributes(part)
        unit = _bounds_of(attributes) or unit
        if look(part, attributes, unit):
            left.extend((inner, unit) for inner in attributes.values())


def _bind_parts(algorithm: Any) -> None:
    """Bind the library's sums, curators, learners and algorithms that somebody else's class plays with."""

    def looked_at(part: Any, attributes: Mapping[str, Any], unit: Bounds) -> bool:
        if is_somebodys(type(part)) or not any(hasattr(part, verb) for verb in _VERBS):
            return True
        bind(part, algorithm)
        return False  # what is inside is played by this part

    _walk(algorithm, looked_at)


_VERBS = "predict", "release", "report"  # of what keeps state in play


# What is certainly no part, nor has any.
_SINGLE: tuple[type, ...] = (
    *(str, bytes, int, float, complex, type(None), np.ndarray, np.generic, np.random.Generator),
    *(type, ModuleType, FunctionType, BuiltinFunctionType, Reports),
)


def _attributes(part: Any) -> dict[str, Any]:
    """Return the attributes of an object by name; of one of the library its settings are among them."""
    if isinstance(part, Mapping):
        return {str(key): value for key, value in part.items()}
    if isinstance(part, partial):
        return {"args": part.args, "func": part.func, **part.keywords}
    found: dict[str, Any] = {}
    for base in reversed(type(part).__mro__):
        if is_somebodys(base):
            found |= {name: value for name, value in vars(base).items() if not hasattr(value, "__get__")}
            slots = vars(base).get("__slots__", ())
            for name in [slots] if isinstance(slots, str) else slots:
                found[name] = getattr(part, name, None)
    inside = getattr(part, "__dict__", {})
    # What one of the library makes for itself is in a unit of its own: its settings say what it is for.
    if not is_somebodys(type(part)) and hasattr(part, "_made_with"):
        inside = {name: inside[name] for name in _OPEN if name in inside}
    return found | getattr(part, "_made_with", {}) | inside


# Of what the library's own objects hold, besides the settings that they were made with.
_OPEN = "bounds", "noise_scale", "sensitivity", "_copies", "_learners"


def _bounds_of(attributes: Mapping[str, Any]) -> Bounds | None:
    bounds: Any = attributes.get("bounds")
    if not isinstance(bounds, tuple | list):
        return None
    low, high = checked_bounds(bounds, "bounds")  # type: ignore[arg-type]
    return low, high


def _is_number(value: Any) -> bool:
    """Return whether it is a number, or several."""
    if isinstance(value, list | tuple):
        value = np.asarray(value) if value and isinstance(value[0], Real) else None
    return isinstance(value, Real) or (isinstance(value, np.ndarray) and value.dtype.kind in "fiu")


def is_somebodys(kind: type) -> bool:
    """Return whether a class is neither of the library nor built in."""
    return kind.__module__.partition(".")[0] not in ("private_experts", "builtins", "typing", "abc")


def unit_of(who: str, algorithm: Any) -> Bounds | None:
    """Return the bounds in whose unit an algorithm takes gains; None where neither it nor a part says so."""
    units = dict.fromkeys(reach.bounds for reach in settings_inside(algorithm))
    if own := _bounds_of({"bounds": getattr(algorithm, "bounds", None)}):
        units[own] = None
    if len(units) > 1:
        several = " and ".join(f"({low:g}, {high:g})" for low, high in units)
        raise InputError(
            f"{who}: {type(algorithm).__name__} has parts with bounds {several}: write them alike"
        )
    return next(iter(units), None)


def door(algorithm: Any) -> Callable[[Any], object]:
    """Return what tells an algorithm of a round; it looks at what somebody else's class is told.

    Those of the library look for themselves. A local one is told reports as private as it states, for the
    sensitivity that it states, and a central one gains within its bounds.
    """
    update, guarantee = algorithm.update, getattr(algorithm, "guarantee", None)
    room = getattr(update, "__module__", None) or ""  # a method that is built in has None
    if guarantee is None or room.startswith("private_experts."):
        tell: Callable[[Any], object] = update
        return tell
    _bind_parts(algorithm)
    who = type(algorithm).__name__
    low, high = unit_of(who, algorithm) or (0.0, getattr(algorithm, "largest", 1.0))
    reaches = settings_inside(algorithm)

    def looked_at(given: Any) -> Any:
        if isinstance(given, Mapping):  # of several rounds, or by name
            return {key: looked_at(value) for key, value in given.items()}
        if guarantee.model == "local" or isinstance(given, Reports):
            report = check_report(given, guarantee if isinstance(guarantee, GaussianDP) else None, None)
            for reach in reaches:
                check_reach(who, report, reach.value / (reach.bounds[1] - reach.bounds[0]))
            return report
        if str(guarantee) == "no privacy":
            return given
        gains = numbers(given, who)
        check_within(gains, given, who, (low, high))
        return gains

    return lambda given: update(looked_at(given))
