"""The file of a state: a NumPy npz with its arrays, and a JSON `header` with all else and their places.

Numbers keep every bit. Reading runs nothing that the file says: there is no pickle, and no name is imported.
The checksums of the zip tell damage.
"""

import contextlib
import json
import os
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from private_experts.errors import InputError

_KINDS = "biuf"  # of arrays: booleans, whole numbers and floating-point numbers


def write(path: Path, content: Any, check: Callable[[Any], None] | None = None) -> None:
    """Write dicts, lists, tuples and deques of numbers, strings and arrays. Only its owner may read the file.

    A crash leaves the old file. So does a `check` of what is in it that raises an `InputError`; no other
    process can write between this check and the new file, if it has one as well.
    """
    if check is None:
        _replace(path, content)
        return
    with _alone(path):
        if path.exists():
            if path.stat().st_nlink > 1:
                raise InputError(f"{path}: the file has another name as well, which would keep the old one")
            written = read(path)
            try:
                check(written)
            except Exception as error:
                reason = error if isinstance(error, InputError) else "the file there is none to replace"
                raise InputError(f"{path}: {reason}") from error
        _replace(path, content)


def check_once(path: Path, check: Callable[[Any], None]) -> None:
    """Let a check look at a file, without its arrays; what is no saved state is nobody's to keep."""
    try:
        written = read(path, arrays=False)
        settings = written["settings"]
    except (InputError, OSError, KeyError, TypeError):
        return
    if isinstance(settings, dict):
        try:
            check(written)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock that one process has at a time; the system takes it back from one that ends."""
    # Of a file beside it, which stays: the file itself is replaced, and its lock with it.
    handle = os.open(path.parent / f".{path.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _replace(path: Path, content: Any) -> None:
    arrays: dict[str, Any] = {}
    header = json.dumps(_encoded(content, arrays))
    # In the same folder, as a rename is atomic only within a file system.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, header=np.array(header.encode()), **arrays)
            file.flush()
            # Before the rename: after a crash a new name with old or no content would be worse than the old
            # file.
            os.fsync(file.fileno())
        Path(name).replace(path)
    # An interrupt too must not leave a temporary file with secret state behind.
    except BaseException:
        Path(name).unlink()
        raise


def read(path: Path, arrays: bool = True) -> Any:
    """Return what was written, with None for arrays unless wanted; refuse what is damaged or another file."""
    with path.open("rb") as file:  # a file that cannot be opened is another thing
        try:
            # A pickle can run anything; a state may come from another machine.
            with np.load(file, allow_pickle=False) as archive:
                return _decoded(json.loads(archive["header"].item()), archive if arrays else None)
        except Exception as error:  # of what somebody else wrote, anything may be wrong
            raise InputError(
                f"{path}: it is no saved state, or it is damaged ({ascii(str(error))[1:-1][:80]}): take "
                "another copy"
            ) from error


def _encoded(value: Any, arrays: dict[str, Any]) -> Any:
    """Return a value as what JSON can hold; arrays go into their own dict."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        arrays[str(len(arrays))] = value
        return {"array": str(len(arrays) - 1), "scalar": isinstance(value, np.generic)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind, pairs = type(value), value.items() if isinstance(value, dict) else value
    if kind not in (dict, list, tuple, deque):  # a named tuple would come back as another type
        raise InputError(f"saving: the state holds a value of type {kind.__name__}: write numbers and arrays")
    return {
        kind.__name__: [_encoded(item, arrays) for item in pairs],
        "maxlen": getattr(value, "maxlen", None),
    }


def _decoded(words: Any, archive: Mapping[str, Any] | None) -> Any:
    """Return the value that `_encoded` turned into words."""
    if not isinstance(words, dict):
        return words
    kind = next(iter(words))
    if kind == "array":
        if archive is None:
            return None
        array = archive[words[kind]]
        return array[()] if words["scalar"] else array
    inside = [_decoded(word, archive) for word in words[kind]]
    if kind == "deque":
        return deque(inside, words["maxlen"])
    return {"dict": dict, "list": list, "tuple": tuple}[kind](inside)
