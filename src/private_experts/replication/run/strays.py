"""Processes that a killed run left on this machine.

A run that is stopped ends its jobs. When Snakemake alone is killed, as the kernel does for its memory, its jobs go on,
and would write over what the next run has made. A process inherits the environment of who started it. So a run puts
the number of its lock file there, and the next one that has that lock ends what still bears the number: nobody waits
for it any more. Linux tells of each process how its environment began; elsewhere nothing is found.
"""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from private_experts.errors import InputError

VARIABLE = "PRIVATE_EXPERTS_RUN"
PATIENCE = 10.0  # seconds that killed processes may take to end


def _number(lock: Path) -> str:
    """Return the number of a lock file. It is the file's, whatever the path to it, as the lock is."""
    file = lock.stat()
    return f"{file.st_dev}:{file.st_ino}"


@contextmanager
def marked(lock: Path) -> Iterator[None]:
    """Let all processes that are started meanwhile be known as those of the run that has a lock."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = _number(lock)
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def strays(lock: Path) -> list[int]:
    """Return the numbers of the processes that runs with a lock have started, and that still work.

    Parameters
    ----------
    lock : Path
        The lock file. Whoever asks has the lock, so that no run is under way.
    """
    mark = f"{VARIABLE}={_number(lock)}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return [number for number in found if number != os.getpid()]


def end(numbers: Sequence[int], lock: Path) -> None:
    """Kill processes and what they start meanwhile, and wait until they are gone.

    Parameters
    ----------
    numbers : sequence of int
        What `strays` returned for the lock.
    lock : Path
        The lock file.

    Raises
    ------
    InputError
        If some are still there after ten seconds.
    """
    last = time.monotonic() + PATIENCE
    left = list(numbers)
    while left:
        for number in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if time.monotonic() > last:
            named = ", ".join(map(str, left))
            raise InputError(f"processes {named} of an earlier run in this folder do not end; wait until they have")
        time.sleep(0.02)
        left = strays(lock)
