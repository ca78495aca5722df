"""Save the state of a game, and load it into objects that were made with the same settings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import private_experts
from private_experts.errors import InputError
from private_experts.saving.anatomy import Anatomy, anatomy
from private_experts.saving.archive import read, write
from private_experts.saving.plain import made, told


@dataclass(frozen=True)
class Saved:
    """What a file says of one saved object.

    Parameters
    ----------
    kind : str
        Its class, with the module.
    guarantee : str
        What it promises, in words; empty for what promises nothing by itself, such as a source of noise.

    Examples
    --------
    >>> from private_experts.saving import Saved
    >>> Saved("private_experts.algorithms.rw_ftpl.RWFTPL", "1-GDP (local)").guarantee
    '1-GDP (local)'
    """

    kind: str
    guarantee: str


def save(path: Path, *objects: Any) -> None:
    """Write the state of objects to a file, so that `load` can go on with them bit for bit.

    The file holds what changes in play, with the state of every random generator, and a summary of the settings. The
    state of a central algorithm holds true data, and that of a seeded generator all noise to come: keep it as secret as
    the data. The file is replaced as a whole: after a crash the old or the new one is there.

    Parameters
    ----------
    path : Path
        The file.
    *objects : object
        Algorithms, learners, released sums, sources of noise, or random generators; several that play together belong
        into one file, so that what they share stays shared.

    Raises
    ------
    InputError
        When an object's class does not name its state (``STATE``), or the state holds what is no number and no array.

    Examples
    --------
    A game of ten rounds, with a break after the fifth. Who goes on makes the algorithm with the same settings; its own
    draws so far are replaced:

    >>> import tempfile
    >>> from private_experts.algorithms import Hedge
    >>> from private_experts.games import play
    >>> from private_experts.randomness import rng_for
    >>> from private_experts.saving import load, save
    >>> gains = rng_for(0, "gains").random((10, 3))
    >>> whole = play(Hedge(3, rng=rng_for(0, "draws")), gains).ravel().tolist()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = Hedge(3, rng=rng_for(0, "draws")), Hedge(3, rng=rng_for(1, "others"))
    ...     before = play(first, gains[:5])
    ...     save(Path(folder) / "hedge.state", first)
    ...     load(Path(folder) / "hedge.state", second)
    >>> [*before.ravel().tolist(), *play(second, gains[5:]).ravel().tolist()] == whole
    True
    """
    found = anatomy(objects)
    arrays: list[NDArray[Any]] = []
    state = {at: told(getattr(*place), at, arrays) for at, place in found.places.items()}
    said = [_said(each) for each in objects]
    header = {"library": private_experts.__version__, "objects": said, "settings": found.settings, "state": state}
    write(Path(path), header, arrays)


def load(path: Path, *objects: Any) -> None:
    """Give objects the state that others of the same settings had when they were saved.

    Nothing is made from the file: the caller makes the objects, so that class, settings and guarantee are what the
    program says, and a file that says otherwise is refused. Continue a state once. To play it twice on different data
    is to use the same noise twice, which no guarantee covers; with `SecureNoise` it costs the privacy of both plays.

    Parameters
    ----------
    path : Path
        A file of `save`.
    *objects : object
        As many as were saved, in the same order, freshly made with the same settings. Their own draws so far do not
        matter. Generators inside take over the saved state, also where others share them.

    Raises
    ------
    InputError
        When the file is damaged, cut off, something else, or of another version of the format or of the library; or
        when a class or a setting differs. The objects are then as before.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.saving import load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Path(folder) / "leader.state", FollowTheLeader(3))
    ...     try:
    ...         load(Path(folder) / "leader.state", FollowTheLeader(4))
    ...     except InputError as error:
    ...         print(str(error).replace(folder, "here"))
    here/leader.state: 0.n was 3 when it was saved, and is 4 now: make the object with the settings of then
    """
    path = Path(path)
    header, arrays = _opened(path)
    found = anatomy(objects)
    _compare(path, header["settings"], found, len(header["objects"]), len(objects))
    values = {}
    for at, place in found.places.items():
        try:
            values[at] = value = made(header["state"][at], arrays)
        except Exception as error:
            raise InputError(f"{path}: {at} is not as it is written: take another copy") from error
        present = getattr(*place)
        if isinstance(present, np.ndarray) and not (isinstance(value, np.ndarray) and value.dtype == present.dtype):
            raise InputError(f"{path}: {at} is not an array of {present.dtype}: take another copy")
    _set(path, found, values)


def described(path: Path) -> tuple[Saved, ...]:
    """Return what a file of `save` says of the objects in it.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    tuple of Saved
        One for each object, in the order in which they were saved.

    Raises
    ------
    InputError
        When the file is damaged, something else, or of another version.

    Examples
    --------
    >>> import tempfile
    >>> from private_experts.algorithms import Uniform
    >>> from private_experts.randomness import rng_for
    >>> from private_experts.saving import described, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Path(folder) / "a.state", Uniform(4, rng=rng_for(0, "draws")))
    ...     described(Path(folder) / "a.state")
    (Saved(kind='private_experts.algorithms.baselines.Uniform', guarantee='0-GDP (local)'),)
    """
    header, _ = _opened(Path(path))
    return tuple(Saved(str(kind), str(guarantee)) for kind, guarantee in header["objects"])


def _said(each: Any) -> tuple[str, str]:
    """Return an object's class, and its guarantee in words."""
    return f"{type(each).__module__}.{type(each).__qualname__}", str(getattr(each, "guarantee", ""))


def _opened(path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the header and the arrays of a file that this version of the library wrote."""
    header, arrays = read(path)
    kinds = {"library": str, "objects": list, "settings": dict, "state": dict}
    if not all(isinstance(header.get(name), kind) for name, kind in kinds.items()):
        raise InputError(f"{path}: its header lacks something: take another copy")
    if not all(isinstance(each, list) and len(each) == 2 for each in header["objects"]):
        raise InputError(f"{path}: its header does not say what was saved: take another copy")
    if header["library"] != private_experts.__version__:
        raise InputError(
            f"{path}: it was saved by version {header['library'][:20]!a} of the library, and this is "
            f"{private_experts.__version__}: continue with that version"
        )
    return header, arrays


def _compare(path: Path, then: dict[str, Any], found: Anatomy, saved: int, given: int) -> None:
    """Refuse objects whose settings are not those that were saved."""
    if saved != given:
        raise InputError(f"{path}: {saved} objects were saved, and {given} are given: write them as they were saved")
    for at in [*found.settings, *then]:
        old, new = then.get(at, "missing"), found.settings.get(at, "missing")
        if old != new:
            raise InputError(
                f"{path}: {at} was {_short(old)} when it was saved, and is {_short(new)} now: "
                "make the object with the settings of then"
            )


def _short(text: Any) -> str:
    """Return a setting in one short line."""
    line = ascii(str(text))[1:-1]
    return line if len(line) <= 120 else f"{line[:117]}..."


def _set(path: Path, found: Anatomy, values: dict[str, Any]) -> None:
    """Set all that was read; where a generator refuses its state, take back what was set."""
    before = [(place, getattr(*place)) for place in found.places.values()]
    try:
        for at, (owner, name) in found.places.items():
            setattr(owner, name, values[at])
    except Exception as error:
        for (owner, name), value in before:
            setattr(owner, name, value)
        raise InputError(f"{path}: a generator's state is not as it is written: take another copy") from error
