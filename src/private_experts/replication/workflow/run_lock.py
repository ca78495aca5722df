"""One run at a time in a folder; the operating system's lock ends with its process, however that ended."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from private_experts.errors import PROGRAM, InputError

LOCK = ".lock"
PATIENCE = 5.0  # seconds until a run that was just killed has ended, or a dry run
ANSWER = 60.0  # seconds that Slurm may take for an answer, and to end jobs

_held: dict[Path, int] = {}


def hold(*folders: Path) -> None:
    """Lock folders until this process ends, or refuse if another process keeps one of them."""
    for folder in folders:
        path = folder.resolve() / LOCK
        if path not in _held:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                # Not truncated on opening: the number of the process that holds it must still be readable.
                file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise InputError(f"{folder}: cannot be written ({error.strerror})") from error
            _lock(file, folder)
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}".encode(), 0)
            _held[path] = file


def _lock(file: int, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            # The kernel frees it when the process ends, so a crash leaves no lock behind.
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                whose = os.pread(file, 20, 0).decode()
                raise InputError(
                    f"another run is under way in {folder} (process {whose}); wait for it to end"
                ) from None
            time.sleep(0.1)
        # Refusing there would make such folders useless; two runs at once are the lesser danger.
        except OSError:  # a file system without locks
            return None


def cancel_jobs(folder: Path) -> None:
    """Cancel what a killed run left on a Slurm cluster and wait for its end: it would write the same files.

    Slurm knows such jobs by the folder that they work in, and by Snakemake's comment on them.
    """
    found = _submitted(folder)
    if found:
        print(
            f"{PROGRAM}: cancelling {len(found)} jobs that a killed run left on the cluster", file=sys.stderr
        )
        subprocess.run(["scancel", *found], check=False, timeout=ANSWER)
    end = time.monotonic() + ANSWER
    while left := found & _submitted(folder) if found else None:
        if time.monotonic() > end:
            raise InputError(
                f"jobs {', '.join(sorted(left))} of a killed run do not end; wait until squeue does not "
                "list them"
            )
        time.sleep(0.5)


def _submitted(folder: Path) -> set[str]:
    """Return the numbers of the jobs that Slurm has for Snakemake in a folder."""
    if shutil.which("squeue") is None:
        return set()
    words = ["squeue", "--me", "--noheader", "--format", "%A|%Z|%k"]
    listed = subprocess.run(words, capture_output=True, text=True, check=False, timeout=ANSWER).stdout
    rows = [line.strip().split("|", 2) for line in listed.splitlines()]
    here = folder.resolve()
    return {
        number
        for number, home, comment in rows
        if comment.startswith("rule_") and Path(home).resolve() == here
    }
