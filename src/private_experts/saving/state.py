"""Save the state of a game, and load it into objects that were made with the same settings.

A class that can be saved says so itself: ``STATE`` names the attributes that change in play, and ``DERIVED``
those that are worked out again, which are neither saved nor compared. Every other attribute is a setting,
which must be the same where the state is loaded, or an object of the same kind inside. A random generator is
state wherever it is. ``GROWING`` names arrays of the state whose shape changes in play.

A state goes on in the version of the library that saved it, unless its class lasts. Such a class numbers the
``FORMAT`` of its state: ``read_format(number, state)`` returns what the state of an older format means, and
``check_replaces(state)`` refuses to replace a file that has something else in it.
"""

import dataclasses
import functools
import hashlib
import os
import types
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import private_experts
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP, of_simulated_noise
from private_experts.saving.archive import check_once, read, write
from private_experts.validation import refused_value

_REQUIRED = {"library", "settings", "made_with", "state"}
_OPTIONAL = {"formats", "simulated"}  # version 0.3 had none of these


def state_dict(*objects: Any) -> dict[str, Any]:
    """Return what changes in play, with the state of every random generator, and a summary of the settings.

    The state of a central algorithm holds true data, and that of a seeded generator all noise to come: keep
    it as secret as the data.

    Parameters
    ----------
    *objects : object
        Algorithms, learners, released sums, sources of noise, or random generators; what two of them share is
        kept once. A class that does not name its state (``STATE``) is refused.

    Returns
    -------
    dict
        ``state``, as copies, and ``settings`` by their path, such as ``0._windows._ahead``; ``made_with``,
        what a refusal says of them; ``library``, the version; ``formats`` of classes that last;
        ``simulated``, the guarantees whose noise was.
    """
    anatomy = _anatomy(objects)
    return {
        "library": private_experts.__version__,
        "formats": {path: part.FORMAT for path, part in anatomy.lasting.items()},
        "settings": anatomy.settings,
        "made_with": [_made_with(part) for part in objects],
        "simulated": [path for path, place in anatomy.guarantees.items() if getattr(*place).simulated],
        # A copy: what is saved must not go on with the game.
        "state": {path: deepcopy(getattr(*place)) for path, place in anatomy.places.items()},
    }


def load_state_dict(saved: Mapping[str, Any], *objects: Any) -> None:
    """Give objects the state that others of the same settings had.

    Class, settings and guarantee are what the program says, never what was saved; but a guarantee whose noise
    was simulated says so again. Continue a state once: to play it twice on different data is to use the same
    noise twice, which no guarantee covers; with `SecureNoise` it costs the privacy of both plays.

    Parameters
    ----------
    saved : dict
        From `state_dict`.
    *objects : object
        As many as were saved, in the same order, freshly made with the same settings. Generators inside take
        over the saved state, also where others share them.

    Raises
    ------
    InputError
        When another version of the library saved it, unless it is a ledger alone, or when a class or a
        setting differs. The objects are then as before.
    """
    anatomy = _anatomy(objects)
    places, settings = anatomy.places, anatomy.settings
    # Attributes may mean something else in another version, and nothing in them would show it.
    if saved["library"] != private_experts.__version__ and not all(
        hasattr(owner, "FORMAT") for owner, _ in places.values()
    ):
        raise InputError(
            f"it was saved by version {saved['library']} of the library, and this is "
            f"{private_experts.__version__}: continue with that version, and save a ledger by itself there"
        )
    # Both ways: a setting that is missing on either side is as wrong as one that differs.
    for path in [*settings, *saved["settings"]]:
        old, new = (words.get(path, "missing") for words in (saved["settings"], settings))
        if old != new:
            differences = _differences(saved["made_with"], [_made_with(part) for part in objects], path)
            raise InputError(
                f"{path} was {old} when it was saved, and is {new} now{differences}: make the object with "
                "the settings of then"
            )
    # Objects that were made anew have not had the reports whose noise was simulated.
    simulated = {
        path: (owner, name)
        for path, (owner, name) in anatomy.guarantees.items()
        if path in saved.get("simulated", ()) and not getattr(owner, name).simulated
    }
    places = places | simulated
    # Kept, so that a refusal half-way leaves the objects as they were.
    before = {path: getattr(*place) for path, place in places.items()}
    try:
        state = {**saved["state"], **{path: of_simulated_noise(before[path]) for path in simulated}}
        for path, part in anatomy.lasting.items():
            state |= _lasting_state(saved, path, part)
        for path, (owner, name) in places.items():
            value = state[path]
            grows = name in getattr(owner, "GROWING", ())
            _check_value(value, before[path][:0] if grows else before[path])
            setattr(owner, name, deepcopy(value))  # a generator refuses what is no state of it
        for owner, _ in places.values():
            # After all values are in: such a check compares several of them.
            if hasattr(owner, "check_loaded"):
                owner.check_loaded()
    except Exception as error:
        for at, (owner, name) in places.items():
            setattr(owner, name, before[at])
        message = (
            str(error)
            if isinstance(error, InputError)
            else f"{path} is not as it was saved: take another copy"
        )
        raise InputError(message) from error


def save(path: str | os.PathLike[str], *objects: Any) -> None:
    """Write the state of objects to a file, so that `load` can go on with them bit for bit.

    After a crash the old or the new file is there. Keep it as secret as the data; see `state_dict`. A ledger
    never replaces a file that has a use which it lacks, as another process may have written it, and nothing
    else replaces the file of a ledger.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    *objects : object
        As for `state_dict`; several that play together belong into one file, so that what they share stays
        shared. A ledger that is to outlast this version of the library has a file of its own.

    Raises
    ------
    InputError
        When something cannot be saved, or a ledger would replace what another process spent or another
        limit, or has another name as well (a hard link).

    Examples
    --------
    Who goes on makes the algorithm with the same settings; its own draws so far are replaced:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from private_experts.algorithms import Hedge
    >>> from private_experts.randomness import rng_for
    >>> from private_experts.saving import load, save
    >>> first, second = Hedge(99, rng=rng_for(0, "draws")), Hedge(99, rng=rng_for(1, "others"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Path(folder) / "hedge.state", first)
    ...     load(Path(folder) / "hedge.state", second)
    >>> first.predict() == second.predict()
    array([ True])
    """
    # Where a link leads: what replaced the link itself would leave the file to others.
    path, anatomy = _file("save", path).resolve(), _anatomy(objects)
    check = functools.partial(_check_replaces, anatomy)
    if not anatomy.lasting:
        check_once(path, check)
    write(path, state_dict(*objects), check if anatomy.lasting else None)


def load(path: str | os.PathLike[str], *objects: Any) -> None:
    """Give objects the state of a file, as `load_state_dict` does.

    Parameters
    ----------
    path : str or os.PathLike
        A file of `save`; one that is damaged or something else is refused.
    *objects : object
        As for `load_state_dict`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from private_experts.privacy import GaussianDP, Ledger
    >>> from private_experts.saving import load, save
    >>> today, tomorrow = Ledger(GaussianDP(1.0, "central")), Ledger(GaussianDP(1.0, "central"))
    >>> today.spend(GaussianDP(0.6, "central"), "a game")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Path(folder) / "ledger.state", today)
    ...     load(Path(folder) / "ledger.state", tomorrow)
    >>> print(tomorrow.left)
    0.8-GDP (central)
    """
    path = _file("load", path)
    saved = read(path)
    if not (isinstance(saved, dict) and _REQUIRED <= saved.keys() <= _REQUIRED | _OPTIONAL):
        raise InputError(f"{path}: it is no saved state: take another copy")
    try:
        load_state_dict(saved, *objects)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _file(verb: str, path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise InputError(
            f"{verb}: the path {refused_value(path)}: write it first, such as {verb}('game.state', algorithm)"
        )
    return Path(path)


def _lasting_state(saved: Mapping[str, Any], path: str, thing: Any) -> dict[str, Any]:
    """Return the saved state of an object whose class lasts, in today's format, by path."""
    number = saved.get("formats", {}).get(path, 1)  # version 0.3 numbered none
    if number > thing.FORMAT:
        raise InputError(
            f"{path} was saved in format {number} by version {saved['library']} of the library, and this one "
            f"reads formats up to {thing.FORMAT}: upgrade the library"
        )
    written = {name: saved["state"][f"{path}.{name}"] for name in _attributes(type(thing), "STATE")}
    return {f"{path}.{name}": value for name, value in thing.read_format(number, written).items()}


def _check_replaces(anatomy: "_Anatomy", saved: Mapping[str, Any]) -> None:
    """Refuse to replace a file that has an object whose class lasts, unless by it, with all that it has."""
    lasting = {path for path, kind in saved["settings"].items() if kind == _LEDGER}
    for path in lasting | saved.get("formats", {}).keys():
        if path not in anatomy.lasting:
            raise InputError(
                f"{path} of the file is a {saved['settings'][path]}, and none is saved there now: take "
                "another file"
            )
        for at, words in saved["settings"].items():
            if (at + ".").startswith(path + ".") and anatomy.settings.get(at) != words:
                raise InputError(
                    f"{at} is {words} in the file, and {anatomy.settings.get(at, 'missing')} now: take "
                    "another file"
                )
        part = anatomy.lasting[path]
        part.check_replaces(
            {at.removeprefix(f"{path}."): value for at, value in _lasting_state(saved, path, part).items()}
        )


_LEDGER = (
    "private_experts.privacy.accountant.Ledger"  # version 0.3 numbered no formats, and had ledgers alone
)


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _made_with(value: Any) -> dict[str, str]:
    """Return in words the public settings of an object that are numbers, words or guarantees, by name."""
    settings = value.get_params(deep=False) if isinstance(value, Described) else {}
    plain = bool | int | float | str | np.generic | GaussianDP | PureDP | ApproximateDP
    return {
        name: str(setting)
        for name, setting in settings.items()
        if isinstance(setting, plain | None) and name != "rng"
    }


def _differences(then: list[dict[str, str]], now: list[dict[str, str]], path: str) -> str:
    """Return which public settings are not those of then, for a refusal that says so of the path."""
    differing = [
        f"{name} was {old.get(name, 'missing')}, and is {new.get(name, 'missing')}"
        for old, new in zip(then, now, strict=False)
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name) and name not in path.split(".")
    ]
    return f" ({'; '.join(differing)})" if differing else ""


def _check_value(value: Any, fresh: Any) -> None:
    """Refuse a missing number, and an array of another type or shape than in an object that was made anew."""
    if isinstance(value, dict | list | tuple | deque):
        for part in value.values() if isinstance(value, dict) else value:
            _check_value(part, None)
    elif isinstance(value, float | np.ndarray | np.floating) and np.isnan(value).any():
        raise ValueError("a number is missing")
    if isinstance(fresh, np.ndarray):
        # Fresh state may have one row for all copies, or nothing yet.
        expected = tuple(now if was == 1 else was for now, was in zip(value.shape, fresh.shape, strict=False))
        if value.dtype != fresh.dtype or (
            fresh.size and (value.ndim != fresh.ndim or value.shape != expected)
        ):
            raise TypeError("another type or shape")


class _Anatomy(NamedTuple):
    """What is inside objects, by path. A place is an object and the name of an attribute."""

    places: dict[str, tuple[Any, str]]  # of state
    settings: dict[str, str]
    guarantees: dict[str, tuple[Any, str]]  # places of guarantees
    lasting: dict[str, Any]  # objects whose state later versions of the library read


def _anatomy(objects: Any) -> _Anatomy:
    """Return what is inside objects."""
    anatomy = _Anatomy({}, {}, {}, {})
    places, settings, guarantees, lasting = anatomy
    known: dict[int, str] = {}

    def enter(value: Any, path: str) -> None:
        if isinstance(value, np.random.Generator):
            # State is in the bits; two generators over one of them would be saved twice and continue wrongly.
            value = value.bit_generator
        kind = type(value)
        if isinstance(value, np.random.BitGenerator) or hasattr(kind, "STATE"):
            settings[path] = _kind(value)
            # Shared objects must stay shared: two copies of one generator would draw the same noise twice.
            if id(value) in known:  # then this path refers to the other one
                settings[path] = f"the same as {known[id(value)]}"
                return
            known[id(value)] = path
            if isinstance(value, np.random.BitGenerator):
                places[path] = value, "state"
                return
            if hasattr(kind, "FORMAT"):
                lasting[path] = value
            state, derived = (_attributes(kind, word) for word in ("STATE", "DERIVED"))
            for name, part in vars(value).items():
                if isinstance(part, GaussianDP | PureDP | ApproximateDP):
                    guarantees[f"{path}.{name}"] = value, name
                if name in state:
                    places[f"{path}.{name}"] = value, name
                elif name not in derived:
                    enter(part, f"{path}.{name}")
        elif (parts := _parts(value)) is not None:
            settings[path] = f"{kind.__name__} of {len(parts)}"
            for key, part in parts.items():
                enter(part, f"{path}.{key}")
        else:
            settings[path] = _worded(value, path)

    for number, part in enumerate(objects):
        enter(part, str(number))
    return anatomy


def _attributes(kind: type, word: str) -> set[str]:
    """Return the attributes that a class and those above it name."""
    return {name for base in kind.__mro__ for name in vars(base).get(word, ())}


def _parts(value: Any) -> Mapping[Any, Any] | None:
    """Return what a setting is made of, or None if it is one thing."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.compare
        }
    if type(value) is functools.partial:
        return {"function": value.func, "given": value.args, **value.keywords}
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.MethodType | types.BuiltinMethodType) and not isinstance(
        owner, types.ModuleType | None
    ):
        return {"name": value.__name__, "of": owner}
    return None


def _worded(value: Any, path: str) -> str:
    """Return a setting in words, which are the same for the same setting only."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        # By content: an array's words are cut, and two long ones would look alike.
        digest = hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
        return f"array of {value.dtype.str} {value.shape}, sha256 {digest}"
    # A lambda's name does not tell it from another one of the same place.
    name = getattr(value, "__qualname__" if callable(value) else "__name__", "<")
    if "<" in name:
        raise InputError(
            f"saving: {path} is {value!r}: define it in a module by itself, or give its class STATE"
        )
    return f"{getattr(value, '__module__', 'module')}.{name}"
