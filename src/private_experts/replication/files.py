"""Writing files. Each is written under another name and then renamed, so that nobody ever sees half of one."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from private_experts.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; it is renamed to `path` when the block ends without an error.

    Parameters
    ----------
    path : Path
        The file to be written. Its folder is made if it is missing.

    Raises
    ------
    InputError
        When the folder cannot be made or written to, or the disk is full. The old file, if any, is untouched.
    """
    path = Path(path)
    aside: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Some writers choose the format by the suffix, so it is kept.
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        aside = Path(name)
        yield aside
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)  # mkstemp makes files that nobody else can read
        aside.replace(path)
    except OSError as error:
        if aside is not None:
            aside.unlink(missing_ok=True)
        # An error that names another file comes from reading in the block, not from writing this one.
        if error.filename is not None:
            named = Path(error.filename)
            if named.parent != path.parent and named not in path.parents:
                raise
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    except BaseException:
        if aside is not None:
            aside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` in one step (UTF-8, Unix line ends)."""
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


def write_csv(path: Path, table: "pd.DataFrame") -> None:
    """Write a table to `path` in one step, without its index."""
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def sha256(path: Path) -> str:
    """Return the SHA-256 checksum of a file, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
