"""Files for their owner alone, written in one step: whole or not at all, also when a process is killed meanwhile."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


def write_private(path: Path, content: bytes | str, durable: bool = True) -> None:
    """Write a file; what stood there before stays until the new one is whole, and on the disk if it is `durable`."""
    draft = path.with_name(path.name + ".part")
    try:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()  # a kill left it; or somebody else made it, so as to read what is written
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            if durable:
                os.fsync(descriptor)
        draft.replace(path)
        if durable:
            synchronise(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error  # a full disk's error names no file


def synchronise(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes that ask for it out of a folder meanwhile. Not every file system has hard links for that."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def warn_of_others(path: Path) -> None:
    """Warn of a secret that other users of this machine can read or change: by its mode, and that of its folder."""
    try:
        file = path.resolve()
        open_to_others = file.stat().st_mode & 0o066 and file.parent.stat().st_mode & 0o011
    except OSError:  # whoever reads it says so
        return
    if open_to_others:
        print(f"{path}: other users can read or change it; say chmod 600 {path}", file=sys.stderr, flush=True)
