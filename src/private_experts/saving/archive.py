"""The file of a state: an npz of NumPy with its arrays, and a JSON header with all else, and where each array belongs.

Numbers keep every bit. An array is kept with its axes as they lie in memory, because NumPy adds in that order, and
another order rounds otherwise. Nothing is compressed, and the same content gives the same bytes. Reading runs nothing
that the file says: there is no pickle, and no name is imported. The checksums of the zip tell damage.
"""

import io
import json
import os
import tempfile
import zipfile
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

FORMAT = "private-experts state"
VERSION = 2

_KINDS = "biuf"  # of arrays: booleans, whole numbers and floating-point numbers


def write(path: Path, header: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write a header, which JSON can hold, and values by name. A crash leaves the old file; only its owner may read it.

    A value is None, a number, a string, an array of numbers, or tuples, lists, deques and dicts of such values.
    """
    arrays: list[NDArray[Any]] = []
    words = {name: _encoded(value, name, arrays) for name, value in values.items()}
    axes = [sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])) for array in arrays]
    whole = {"format": FORMAT, "version": VERSION, "header": dict(header), "values": words, "axes": axes}
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(zipfile.ZipInfo("header.json"), json.dumps(whole))
                for number, (array, order) in enumerate(zip(arrays, axes, strict=True)):
                    with archive.open(zipfile.ZipInfo(f"{number}.npy"), "w", force_zip64=True) as member:
                        kept = np.array(array.transpose(order), order="C")
                        np.lib.format.write_array(member, kept, version=(1, 0), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the values of a file, and refuse what is damaged, cut off, another file or version."""
    with path.open("rb") as file:  # a file that cannot be opened is another thing
        try:
            with zipfile.ZipFile(file) as archive:
                whole, arrays = _unpacked(archive)
            version = str(whole["version"])[:20]
            if version == str(VERSION):
                values = {name: _decoded(words, arrays) for name, words in whole["values"].items()}
                return dict(whole["header"]), values
        except Exception as error:  # of what somebody else wrote, anything may be wrong
            said = str(error).splitlines()[0] if str(error).strip() else type(error).__name__
            raise InputError(
                f"{path}: it is no saved state, or it is damaged ({ascii(said)[1:-1][:80]}): take another copy"
            ) from error
    raise InputError(
        f"{path}: it is of version {version!a} of the format, and this program reads version {VERSION}: "
        "continue with the program that wrote it"
    )


def _unpacked(archive: zipfile.ZipFile) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return what the header says, and the arrays that it names."""
    if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
        raise ValueError("it is compressed")  # and might unfold to more than there is room for
    whole = json.loads(archive.read("header.json"))
    if whole["format"] != FORMAT:
        raise ValueError("its header is of another format")
    arrays = []
    for number, axes in enumerate(whole.get("axes", ())):
        member = io.BytesIO(archive.read(f"{number}.npy"))  # all of it, so that the checksum is compared
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        if array.dtype.kind not in _KINDS:
            raise ValueError(f"array {number} is not of numbers")
        arrays.append(array.transpose(np.argsort(axes)))
    return whole, arrays


def _encoded(value: Any, name: str, arrays: list[Any]) -> list[Any]:
    """Return a value as what JSON can hold, a list that begins with its kind; arrays go into their own list."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        arrays.append(np.asarray(value))
        return ["array" if isinstance(value, np.ndarray) else "scalar", len(arrays) - 1]
    if value is None or isinstance(value, bool | int | float | str):
        return ["plain", value]
    if isinstance(value, dict):
        return ["dict", *([_encoded(key, name, arrays), _encoded(each, name, arrays)] for key, each in value.items())]
    if isinstance(value, deque):
        return ["deque", value.maxlen, *(_encoded(each, name, arrays) for each in value)]
    if type(value) in (tuple, list):  # a named tuple would come back as another type
        return [type(value).__name__, *(_encoded(each, name, arrays) for each in value)]
    raise InputError(f"saving: {name} holds a value of type {type(value).__name__}: write numbers and arrays")


def _decoded(words: list[Any], arrays: list[Any]) -> Any:
    """Return the value that `_encoded` turned into words."""
    kind, *inside = words
    match kind:
        case "array":
            return arrays[inside[0]]
        case "scalar":
            return arrays[inside[0]][()]
        case "plain" if inside[0] is None or isinstance(inside[0], bool | int | float | str):
            return inside[0]
        case "dict":
            return {_decoded(key, arrays): _decoded(each, arrays) for key, each in inside}
        case "deque":
            return deque((_decoded(each, arrays) for each in inside[1:]), maxlen=inside[0])
        case "tuple":
            return tuple(_decoded(each, arrays) for each in inside)
        case "list":
            return [_decoded(each, arrays) for each in inside]
    raise ValueError(f"a value of the kind {kind!r}")
