"""One run at a time in a folder; the operating system's lock ends with its process, however that ended."""

import fcntl
import os
import time
from pathlib import Path

from private_experts.errors import InputError

LOCK = ".lock"
PATIENCE = 5.0  # seconds until a run that was just killed has ended, or a dry run

_held: dict[Path, int] = {}


def hold(*folders: Path) -> None:
    """Lock folders until this process ends, or refuse if another process keeps one of them."""
    for folder in folders:
        path = folder.resolve() / LOCK
        if path not in _held:
            folder.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            _lock(file, folder)
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}".encode(), 0)
            _held[path] = file


def _lock(file: int, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                whose = os.pread(file, 20, 0).decode()
                raise InputError(
                    f"another run is under way in {folder} (process {whose}); wait for it to end"
                ) from None
            time.sleep(0.1)
        except OSError:  # a file system without locks
            return None
