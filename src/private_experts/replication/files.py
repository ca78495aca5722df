"""Files written aside and then renamed, so that nobody ever sees half of one."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from private_experts.errors import InputError


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`, renamed to `path` when the block ends well.

    Parameters
    ----------
    path : Path
        The file to be written; its folder is made when missing.

    Raises
    ------
    InputError
        When the folder cannot be made or written to, or the disk is full. The old file, if any, is untouched.
    """
    path = Path(path)
    aside: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The suffix is kept, because some writers choose the format by it.
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        aside = Path(name)
        yield aside
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)  # mkstemp makes private files; a result is an ordinary one
        aside.replace(path)
    except OSError as error:
        if aside is not None:
            aside.unlink(missing_ok=True)
        # Errors that name another file come from what the block reads, not from what is written here.
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


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
