"""Jobs that a killed run left behind on a cluster.

A run that is stopped takes its jobs back. One that is killed cannot, and the next would submit the same jobs again: two
jobs would write the same files. What an orphan writes is of no use, because nobody takes note that it was made; so
orphans are cancelled. Slurm knows them by the folder that they work in.
"""

import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from private_experts.errors import InputError

ANSWER = 60.0  # seconds that Slurm may take for an answer, and to end jobs
SUBMITTED = "rule_"  # how Snakemake's comments on its jobs begin


def _slurm(*words: str) -> str | None:
    """Return what a command of Slurm says, and None where there is no Slurm or it does not answer."""
    if shutil.which(words[0]) is None:
        return None
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=ANSWER, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def orphans(folder: Path) -> list[str]:
    """Return the numbers of the jobs that Slurm has or will run for Snakemake in a folder.

    Parameters
    ----------
    folder : Path
        The project's folder. No run may be under way in it.
    """
    return _listed(folder) or []


def _listed(folder: Path) -> list[str] | None:
    """Return the same, and None when nobody tells."""
    told = _slurm("squeue", "--me", "--noheader", "--format", "%A|%Z|%k")
    if told is None:
        return None
    rows = [line.strip().split("|", 2) for line in told.splitlines()]
    here = str(folder.resolve())
    return [
        row[0] for row in rows if len(row) == 3 and row[2].startswith(SUBMITTED) and str(Path(row[1]).resolve()) == here
    ]


def cancel(numbers: Sequence[str], folder: Path) -> None:
    """Cancel jobs, and wait until they are gone.

    Parameters
    ----------
    numbers : sequence of str
        What `orphans` returned for the folder.
    folder : Path
        The project's folder.

    Raises
    ------
    InputError
        If some are still there after a minute, or Slurm does not tell: it answered a moment ago.
    """
    _slurm("scancel", *numbers)
    end = time.monotonic() + ANSWER
    while left := {*numbers} & {*(numbers if (there := _listed(folder)) is None else there)}:
        if time.monotonic() > end:
            raise InputError(
                f"jobs {', '.join(sorted(left))} of an earlier run in this folder are still on the cluster and do not "
                "end; wait until squeue does not list them any more"
            )
        time.sleep(0.5)
