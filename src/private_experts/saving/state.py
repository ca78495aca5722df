"""Save the state of a game, and load it into objects that were made with the same settings.

A class that can be saved says so itself: ``STATE`` names the attributes that change in play, and ``DERIVED`` those that
are worked out again, which are neither saved nor compared. Every other attribute is a setting, which must be the same
where the state is loaded, or an object of the same kind inside. A random generator is state wherever it is.
"""

import dataclasses
import hashlib
import types
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import private_experts
from private_experts.errors import InputError
from private_experts.saving.archive import read, write


class Saved(NamedTuple):
    """What a file says of one saved object.

    Parameters
    ----------
    kind, guarantee : str
        Its class with the module, and what it promises; nothing for a source of noise.

    Examples
    --------
    >>> from private_experts.saving import Saved
    >>> Saved("private_experts.algorithms.rw_ftpl.RWFTPL", "1-GDP (local)").guarantee
    '1-GDP (local)'
    """

    kind: str
    guarantee: str


def state_dict(*objects: Any) -> dict[str, Any]:
    """Return what changes in play, with the state of every random generator, and a summary of the settings.

    The state of a central algorithm holds true data, and that of a seeded generator all noise to come: keep it as
    secret as the data.

    Parameters
    ----------
    *objects : object
        Algorithms, learners, released sums, sources of noise, or random generators; what two of them share is kept
        once. A class that does not name its state (``STATE``) is refused.

    Returns
    -------
    dict
        ``state``, as copies, and ``settings`` by their path, such as ``0._windows._ahead``; ``objects``, the classes
        with their guarantees; ``library``, the version.
    """
    places, settings = _anatomy(objects)
    kinds = [f"{type(each).__module__}.{type(each).__qualname__}" for each in objects]
    return {
        "library": private_experts.__version__,
        "objects": [[kind, str(getattr(each, "guarantee", ""))] for kind, each in zip(kinds, objects, strict=True)],
        "settings": settings,
        "state": {path: deepcopy(getattr(*place)) for path, place in places.items()},
    }


def load_state_dict(saved: Mapping[str, Any], *objects: Any) -> None:
    """Give objects the state that others of the same settings had.

    Class, settings and guarantee are what the program says, never what was saved. Continue a state once: to play it
    twice on different data is to use the same noise twice, which no guarantee covers; with `SecureNoise` it costs the
    privacy of both plays.

    Parameters
    ----------
    saved : dict
        From `state_dict`.
    *objects : object
        As many as were saved, in the same order, freshly made with the same settings. Generators inside take over the
        saved state, also where others share them.

    Raises
    ------
    InputError
        When another version of the library saved it, or a class or a setting differs. The objects are then as before.
    """
    if saved["library"] != private_experts.__version__:
        raise InputError(
            f"it was saved by version {saved['library'][:20]!a} of the library, and this is "
            f"{private_experts.__version__}: continue with that version"
        )
    if len(saved["objects"]) != len(objects):
        raise InputError(
            f"{len(saved['objects'])} objects were saved, and {len(objects)} are given: write them as they were saved"
        )
    places, settings = _anatomy(objects)
    for path in [*settings, *saved["settings"]]:
        old, new = saved["settings"].get(path, "missing"), settings.get(path, "missing")
        if old != new:
            raise InputError(
                f"{path} was {_short(old)} when it was saved, and is {_short(new)} now: "
                "make the object with the settings of then"
            )
    before = {path: getattr(*place) for path, place in places.items()}
    expected = _after_predicting(objects)
    try:
        for path, (owner, name) in places.items():
            value = saved["state"][path]
            _check_value(value, [before[path], expected.get(path, before[path])])
            setattr(owner, name, deepcopy(value))  # a generator refuses what is no state of it
        for owner, _ in places.values():
            if hasattr(owner, "check_loaded"):
                owner.check_loaded()
    except Exception as error:
        for at, (owner, name) in places.items():
            setattr(owner, name, before[at])
        said = str(error) if isinstance(error, InputError) else f"{path} is not as it was saved: take another copy"
        raise InputError(said) from error


def _after_predicting(objects: tuple[Any, ...]) -> dict[str, Any]:
    """Return the state that copies of fresh objects have once they have predicted, or {} where they cannot."""
    try:
        copies = deepcopy(objects)
        for each in copies:
            each.predict()
        places, _ = _anatomy(copies)
    except Exception:  # such as learners that are shown something before they predict
        return {}
    return {path: getattr(*place) for path, place in places.items()}


def _check_value(value: Any, fresh: list[Any]) -> None:
    """Refuse a missing number, and another type or shape than fresh state has before or after it predicts.

    What fresh state does not have yet, such as the nodes of a tree, its class looks at itself (`check_loaded`).
    """
    if isinstance(value, dict | deque | tuple | list):
        known = [each for each in fresh if type(each) is type(value)]
        if isinstance(fresh[0], dict | deque | tuple | list) and not known:
            raise TypeError("another container")
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            inside = [one[key] for one in known if (key in one if isinstance(one, dict) else key < len(one))]
            _check_value(each, inside or [None])
        return
    if isinstance(value, float | np.ndarray | np.floating) and np.isnan(value).any():
        raise ValueError("a number is missing")
    arrays = [each for each in fresh if isinstance(each, np.ndarray)]
    if isinstance(value, np.ndarray) and arrays:
        unknown = all(each.shape == (0,) for each in arrays)  # nothing said yet how many there would be
        right = any(value.dtype == each.dtype and (unknown or _fits(value.shape, each.shape)) for each in arrays)
    else:
        right = not isinstance(fresh[0], np.ndarray) and (type(fresh[0]) is not int or type(value) is int)
    if not right:
        raise TypeError("another type or shape")


def _fits(shape: tuple[int, ...], fresh: tuple[int, ...]) -> bool:
    """Tell whether axes have the same length, but where fresh state has one row for all copies, or none yet."""
    same = [now == was or was == 1 for now, was in zip(shape, fresh, strict=False)]
    return len(shape) == len(fresh) and all(same[1:]) and (same[:1] != [False] or fresh[0] == 0)


def save(path: Path, *objects: Any) -> None:
    """Write the state of objects to a file, so that `load` can go on with them bit for bit.

    After a crash the old or the new file is there. Keep it as secret as the data; see `state_dict`.

    Parameters
    ----------
    path : Path
        The file.
    *objects : object
        As for `state_dict`; several that play together belong into one file, so that what they share stays shared.

    Examples
    --------
    Who goes on makes the algorithm with the same settings; its own draws so far are replaced:

    >>> import tempfile
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
    header = state_dict(*objects)
    write(Path(path), header, header.pop("state"))


def load(path: Path, *objects: Any) -> None:
    """Give objects the state of a file, as `load_state_dict` does.

    Parameters
    ----------
    path : Path
        A file of `save`; one that is damaged, something else, or of another version of the format is refused.
    *objects : object
        As for `load_state_dict`.
    """
    header, state = _opened(Path(path))
    try:
        load_state_dict({**header, "state": state}, *objects)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def described(path: Path) -> tuple[Saved, ...]:
    """Return what a file of `save` says of the objects in it.

    Parameters
    ----------
    path : Path
        The file; what is no file of `save` is refused with an `InputError`.

    Returns
    -------
    tuple of Saved
        One for each object, in the order in which they were saved.
    """
    header, _ = _opened(Path(path))
    return tuple(Saved(kind, guarantee) for kind, guarantee in header["objects"])


def _opened(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the state of a file that `save` may have written."""
    header, state = read(path)
    kinds = {"library": str, "objects": list, "settings": dict}
    whole = all(isinstance(header.get(name), kind) for name, kind in kinds.items())
    if not (whole and all(isinstance(each, list) and [*map(type, each)] == [str, str] for each in header["objects"])):
        raise InputError(f"{path}: its header does not say what was saved: take another copy")
    return header, state


def _short(text: Any) -> str:
    """Return a setting in one short line."""
    line = ascii(str(text))[1:-1]
    return line if len(line) <= 120 else f"{line[:117]}..."


def _anatomy(objects: Any) -> tuple[dict[str, tuple[Any, str]], dict[str, str]]:
    """Return where each piece of state is, an object and the name of its attribute, and the settings, by their path."""
    places: dict[str, tuple[Any, str]] = {}
    settings: dict[str, str] = {}
    known: dict[int, str] = {}

    def shared(value: Any, path: str) -> bool:
        if id(value) in known:  # then this path refers to the other one
            settings[path] = f"the same as {known[id(value)]}"
            return True
        known[id(value)] = path
        return False

    def enter(value: Any, path: str) -> None:
        kind = type(value)
        if isinstance(value, np.random.Generator):
            if not shared(value.bit_generator, path):  # two generators may share their bits
                settings[path] = f"a generator of {type(value.bit_generator).__name__}"
                places[path] = value.bit_generator, "state"
        elif "STATE" in vars(kind):
            if shared(value, path):
                return
            settings[path] = f"{kind.__module__}.{kind.__qualname__}"
            state, derived = (
                {name for each in kind.__mro__ for name in vars(each).get(word, ())} for word in ("STATE", "DERIVED")
            )
            for name, each in vars(value).items():
                if name in state:
                    places[f"{path}.{name}"] = value, name
                elif name not in derived:
                    enter(each, f"{path}.{name}")
        elif isinstance(value, types.MethodType | types.BuiltinMethodType) and not isinstance(
            value.__self__, types.ModuleType | None
        ):
            settings[path] = f"the method {value.__name__}"
            enter(value.__self__, f"{path}.of")
        elif isinstance(value, list | tuple | Mapping):
            settings[path] = f"{kind.__name__} of {len(value)}"
            for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
                enter(each, f"{path}.{key}")
        else:
            settings[path] = _worded(value, path)

    for number, each in enumerate(objects):
        enter(each, str(number))
    return places, settings


def _worded(value: Any, path: str) -> str:
    """Return a setting in words, which are the same for the same setting only."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((each.name, getattr(value, each.name)) for each in dataclasses.fields(value) if each.compare)
        return f"{type(value).__name__}({', '.join(f'{name}={_worded(part, path)}' for name, part in parts)})"
    if isinstance(value, tuple | list):  # inside a dataclass
        return f"({', '.join(_worded(each, path) for each in value)})"
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
