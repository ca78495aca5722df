"""A job ends with the process of Snakemake that started it: a killed run leaves nothing that still writes.

Linux tells a process when its parent ends. The parent is Snakemake itself, as the shell gives way to the job
(`exec`, in workflow/rules/common.smk). On other systems jobs of a killed run go on to their end.
"""

import os
import signal
import sys
from pathlib import Path

VARIABLE = "_PRIVATE_EXPERTS_RUN"  # with another beginning than what a person sets (`settled`)
_PARENT_ENDS = 1  # PR_SET_PDEATHSIG of prctl(2)


def mark() -> None:
    """Let the jobs that this process will start know whose they are."""
    if sys.platform == "linux":
        os.environ[VARIABLE] = f"{os.getpid()} {_namespace()}"


def end_with_run() -> None:
    """Let this process end when the run ends whose job it is; what people start themselves is left alone."""
    number, _, namespace = os.environ.get(VARIABLE, "").partition(" ")
    if not number or sys.platform != "linux":
        return
    import ctypes

    # Asked for first and looked at afterwards: a parent that ends in between is noticed either way.
    ctypes.CDLL(None).prctl(_PARENT_ENDS, signal.SIGKILL, 0, 0, 0)
    # it had ended before it could be watched
    if namespace == _namespace() and _ended(number):
        os.kill(os.getpid(), signal.SIGKILL)


def _ended(number: str) -> bool:
    """Tell whether a process has ended, also where its own parent has not asked for its exit code yet."""
    try:
        state = Path("/proc", number, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in ("Z", "X")


def _namespace() -> str:
    """Return which numbers of processes are seen here: a container may see others."""
    return str(Path("/proc/self/ns/pid").readlink())
