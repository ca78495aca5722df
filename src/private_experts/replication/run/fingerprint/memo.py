"""Modules that were read before, on disk, so that planning a run reads only those that changed.

There is one file a module. It counts only when it was made from the same source by the same parsing code, and is whole;
otherwise the module is read anew. So all of them may be deleted at any time, and two runs may write them at once.
"""

import functools
import hashlib
import json
import sys
from pathlib import Path

from private_experts.replication.files import write_text
from private_experts.replication.run.fingerprint.meaning import Meaning, Module
from private_experts.replication.run.fingerprint.parsing import parse


def read(name: str, path: Path, source: bytes, folder: Path | None = None) -> Module:
    """Return what is known of a module, from the folder of those read before if it is there.

    Parameters
    ----------
    name : str
        The module's name, with its packages.
    path : Path
        Its file.
    source : bytes
        The file's content.
    folder : Path, optional
        Where modules are kept.

    Raises
    ------
    InputError
        When the module is not valid Python, or the folder cannot be written to.
    """
    if folder is None:
        return parse(name, path, source)
    kept, key = folder / f"{name}.json", _key(name, path.name, source)
    module = _recalled(kept, key)
    if module is None:
        module = parse(name, path, source)
        text = json.dumps(module)
        write_text(kept, f"{key} {_sha256(text.encode())}\n{text}")
    return module


def _key(*given: str | bytes) -> str:
    """Return a hash of what decides how a module is read: its name and source, and the code and Python that read it."""
    parts = [each.encode() if isinstance(each, str) else each for each in given]
    return _sha256(reader() + b"".join(hashlib.sha256(part).digest() for part in parts))


@functools.cache
def reader() -> bytes:
    """Return a hash of the code, and of the Python, that read modules and follow names from one to another."""
    names = ("parsing.py", "meaning.py", "memo.py", "reachability.py")
    code = [Path(__file__).with_name(name).read_bytes() for name in names]
    return hashlib.sha256(b"\n".join([sys.version.encode(), *code])).digest()


def _recalled(kept: Path, key: str) -> Module | None:
    """Return a module from its file; None when the file is another module's, damaged or missing."""
    try:
        head, _, text = kept.read_bytes().partition(b"\n")
    except OSError:
        return None
    if head != f"{key} {_sha256(text)}".encode():
        return None
    is_package, stars, names, visit = json.loads(text)
    return Module(is_package, stars, {name: Meaning(*each) for name, each in names.items()}, Meaning(*visit))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
