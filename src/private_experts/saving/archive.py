"""The file: a zip of ``header.json`` and arrays in NumPy's format, which `numpy.load` reads too.

The header says what each array is, with its sha256, and the archive's comment holds the header's. An array is kept with
its axes as they lie in memory, because NumPy adds in that order, and another order rounds otherwise. Nothing is
compressed, and the same content gives the same bytes. Reading runs nothing that the file says: there is no pickle,
and no name is imported.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

FORMAT = "private-experts state"
VERSION = 1

_KINDS = "biuf"  # booleans, whole numbers and floating-point numbers
_LONGEST = 2**28  # bytes of a header


def write(path: Path, header: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write a file anew, or leave what is there as it is. Only its owner may read it, for state may be secret.

    Parameters
    ----------
    path : Path
        The file. Its folder must be there.
    header : dict
        What JSON can hold.
    arrays : list of ndarray
        Of numbers or booleans.

    Examples
    --------
    >>> import tempfile
    >>> from private_experts.saving.archive import read, write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder) / "a.state", {"rounds": 3}, [np.array([0.5, 1.0])])
    ...     read(Path(folder) / "a.state")
    ({'rounds': 3}, [array([0.5, 1. ])])
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write_to(file, header, arrays)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)  # a process that is killed before leaves the old file
    except BaseException:
        Path(name).unlink()
        raise


def write_to(file: IO[bytes], header: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write what `write` writes to a file that is open.

    Parameters
    ----------
    file : binary file
        Open for writing.
    header, arrays
        As for `write`.

    Examples
    --------
    >>> import io
    >>> from private_experts.saving.archive import write_to
    >>> file = io.BytesIO()
    >>> write_to(file, {"rounds": 3}, [])
    >>> file.getvalue()[:2]
    b'PK'
    """
    axes = [sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])) for array in arrays]
    kept = [np.array(array.transpose(order), order="C") for array, order in zip(arrays, axes, strict=True)]
    parts = [
        {"type": array.dtype.str, "shape": array.shape, "axes": order, "sha256": _digest(array)}
        for array, order in zip(kept, axes, strict=True)
    ]
    text = json.dumps({"format": FORMAT, "version": VERSION, "arrays": parts, "content": header}).encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = hashlib.sha256(text).hexdigest().encode()
        archive.writestr(zipfile.ZipInfo("header.json"), text)
        for number, array in enumerate(kept):
            with archive.open(zipfile.ZipInfo(f"{number}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)


def read(path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Read a file that `write` wrote.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    header : dict
        As it was given.
    arrays : list of ndarray
        As they were given, and writable.

    Raises
    ------
    InputError
        When the file is damaged, cut off or something else, or has another version of the format.

    Examples
    --------
    >>> import tempfile
    >>> from private_experts.saving.archive import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "notes.txt"
    ...     _ = path.write_text("nothing")
    ...     try:
    ...         read(path)
    ...     except InputError as error:
    ...         print(str(error).replace(str(path), "notes.txt"))
    notes.txt: it is no saved state, or it is damaged (File is not a zip file): take another copy
    """
    with path.open("rb") as file:  # a file that cannot be opened is another thing
        try:
            with zipfile.ZipFile(file) as archive:
                return _read_all(archive, path)
        except InputError:
            raise
        except Exception as error:  # zipfile and NumPy raise a dozen kinds for what is no such file
            said = str(error).splitlines()[0] if str(error).strip() else type(error).__name__
            raise InputError(
                f"{path}: it is no saved state, or it is damaged ({ascii(said)[1:-1][:80]}): take another copy"
            ) from error


def _read_all(archive: zipfile.ZipFile, path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the header and the arrays of an archive."""
    whole = _read_header(archive)
    version = str(whole.get("version"))[:20]
    if version != str(VERSION):
        raise InputError(
            f"{path}: it is of version {version!a} of the format, and this program reads version {VERSION}: "
            "continue with the program that wrote it"
        )
    arrays = [_read_array(archive, f"{number}.npy", part) for number, part in enumerate(whole["arrays"])]
    return dict(whole["content"]), arrays


def _read_header(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return the header as it was written."""
    member = archive.getinfo("header.json")
    _check_member(member, _LONGEST)
    text = archive.read(member)
    if hashlib.sha256(text).hexdigest().encode() != archive.comment:
        raise ValueError("its header is not as it was written")
    whole = json.loads(text)
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise ValueError("its header is of another format")
    return whole


def _read_array(archive: zipfile.ZipFile, name: str, part: dict[str, Any]) -> NDArray[Any]:
    """Return an array that is what the header says."""
    dtype, shape = np.dtype(part["type"]), tuple(part["shape"])
    if dtype.kind not in _KINDS:
        raise ValueError(f"array {name} is not of numbers")
    member = archive.getinfo(name)
    blank = np.broadcast_to(np.zeros((), dtype), shape)
    _check_member(member, blank.nbytes + 2**16)
    if member.file_size < blank.nbytes:  # before memory is asked for
        raise ValueError(f"array {name} is cut off")
    with archive.open(member) as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    if (array.dtype, array.shape) != (dtype, shape) or _digest(array) != part["sha256"]:
        raise ValueError(f"array {name} is not as it was written")
    return array.transpose(np.argsort(part["axes"]))


def _check_member(member: zipfile.ZipInfo, longest: int) -> None:
    """Refuse a member that would unfold to more than it takes in the file."""
    if member.compress_type != zipfile.ZIP_STORED or member.file_size > longest:
        raise ValueError(f"{member.filename} is too long, or compressed")


def _digest(array: NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
