"""Processes that a killed run left on this machine.

A run that is stopped ends its jobs. When Snakemake alone is killed, as the kernel does for its memory, its jobs go on,
and would write over what the next run has made. A process inherits the environment of who started it. So a run puts
its folder there, and the next one in that folder ends what still has it, which nobody waits for any more. Linux tells
of each process how its environment began; elsewhere nothing is found.
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


@contextmanager
def marked(folder: Path) -> Iterator[None]:
    """Let all processes that are started meanwhile be known as those of a run in a folder."""
    os.environ[VARIABLE] = str(folder.resolve())
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def strays(folder: Path) -> list[int]:
    """Return the numbers of the processes that a run in a folder has started.

    Parameters
    ----------
    folder : Path
        The project's folder. No run may be under way in it.
    """
    mark = f"{VARIABLE}={folder.resolve()}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return [number for number in found if number != os.getpid()]


def end(numbers: Sequence[int], folder: Path) -> None:
    """Kill processes and what they have started, and wait until they are gone.

    Parameters
    ----------
    numbers : sequence of int
        What `strays` returned for the folder.
    folder : Path
        The project's folder.

    Raises
    ------
    InputError
        If some are still there after ten seconds.
    """
    last = time.monotonic() + PATIENCE
    left = list(numbers)
    while left:
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if time.monotonic() > last:
            named = ", ".join(map(str, left))
            raise InputError(f"processes {named} of an earlier run in this folder do not end; wait until they have")
        time.sleep(0.02)
        left = strays(folder)
