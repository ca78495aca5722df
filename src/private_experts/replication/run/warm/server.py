"""A server of processes that begin with all that is not ours imported; run as a script by ``__init__.py``.

It imports that when it is asked for the first time, and answers each request with a fresh fork of itself that runs a
command of ours. Nothing of the package is imported before the fork, so each fork reads the code as it then is. A fork
ends with who asked for it: Ctrl-C is passed on, and when who asked was killed, so is the fork.
"""

import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

FOREIGN = (
    "flint",
    "fontTools.subset",
    "jsonschema",
    "math_core",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "numpy",
    "pandas",
    "requests",
    "scipy.integrate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.signal",
    "scipy.special",
    "yaml",
)
PROGRAM = "private-experts"
PROGRAMS = {PROGRAM: "private_experts.replication.cli"}
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # a job has one thread

# What Snakemake and its rules set for a job. In all else a job's environment is that of its run. If not, it may be of
# another machine, of a container or of another Python, and this server is not for it.
SET_FOR_JOBS = {
    *THREADS,
    *("GOTO_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("TMPDIR", "TMP", "TEMPDIR", "TEMP"),
    *("PATH", "PWD", "OLDPWD", "SHLVL", "_"),
}
SET_BY_US = ("PRIVATE_EXPERTS_", "BASH_FUNC_private-experts%%")

INTERRUPTED, NOT_WRITTEN = 130, 120  # the exit codes of Ctrl-C, and of words that could not be written at the end

Fits = Callable[[Mapping[str, str]], bool]


def of_this_run(environment: Mapping[str, str]) -> bool:
    """Tell whether a job's command is that of our Python, and its environment ours, but for what a run sets."""

    def told(variables: Mapping[str, str]) -> dict[str, str]:
        return {
            name: value
            for name, value in variables.items()
            if name not in SET_FOR_JOBS and not name.startswith(SET_BY_US)
        }

    found = shutil.which(PROGRAM, path=environment.get("PATH"))
    same = found is not None and Path(found).parent == Path(sys.executable).parent
    return same and told(environment) == told(os.environ)


def serve(address: str, foreign: Sequence[str], programs: Mapping[str, str], fits: Fits) -> None:
    """Answer requests until standard input ends; then take the door and its folder away."""
    for name in THREADS:  # before NumPy is imported
        os.environ[name] = "1"
    signal.signal(signal.SIGCHLD, _count)
    with socket.socket(socket.AF_UNIX) as door:
        built = Path(f"{address}.new")
        try:
            door.bind(str(built))
        except OSError:  # the path is too long, or its disk knows no such files: jobs begin cold
            return
        door.listen(64)
        built.rename(address)  # who sees it can come in
        imported = False
        while door in select.select([door, sys.stdin], [], [])[0]:
            line, _ = door.accept()
            if not imported:
                for name in foreign:
                    with suppress(Exception):  # who needs it says so
                        importlib.import_module(name)
                gc.freeze()
                imported = True
            with suppress(OSError):  # no fork can be had: who asked sees that nobody answers
                _begin(door, line, programs, fits)
            line.close()
    with suppress(OSError):
        Path(address).unlink()
        Path(address).parent.rmdir()


def _begin(door: socket.socket, line: socket.socket, programs: Mapping[str, str], fits: Fits) -> None:
    """Answer in a fork, which never comes back."""
    if os.fork() == 0:
        try:
            door.close()
            _answer(line, programs, fits)
        finally:
            os._exit(0)


def _count(*_: object) -> None:
    """Wait for forks that have ended, so that what they took counts with the run."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(line: socket.socket) -> NoReturn:
    """Pass on what happens to who asked: Ctrl-C, or its end."""
    with suppress(ConnectionError):  # it was killed before it had heard that the command begins
        while line.recv(1):
            os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")


def _asked(line: socket.socket) -> tuple[dict[str, Any], bytes]:
    """Take over the files of who asked; return folder, environment and words, and what has been said since."""
    _, files, *_ = socket.recv_fds(line, 1, 3)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    said = b""
    while b"\n" not in said:
        more = line.recv(65536)
        if not more:  # who asked was stopped before it had said all
            os._exit(0)
        said += more
    request, _, further = said.partition(b"\n")
    return json.loads(request), further


def _run(asked: dict[str, Any], programs: Mapping[str, str]) -> None:
    """Run the words as a process of their own would."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    program, *words = sys.argv = asked["words"]
    raise SystemExit(importlib.import_module(programs[program]).main(words))


def _answer(line: socket.socket, programs: Mapping[str, str], fits: Fits) -> None:
    """Run what is asked for, if it is for this server, and say that it begins, and its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which is ignored where a run is in the background
    asked, stopped = _asked(line)
    if fits(asked["environment"]):
        line.sendall(b"+")
        line.sendall(str(_code(line, asked, programs, stopped)).encode())


def _code(line: socket.socket, asked: dict[str, Any], programs: Mapping[str, str], stopped: bytes) -> int:
    """Run what is asked for, and return the exit code that a process of its own would have."""
    code: Any = 1
    try:
        if stopped:  # Ctrl-C came so soon that both were read at once
            raise KeyboardInterrupt
        threading.Thread(target=_attend, args=(line,), daemon=True).start()
        _run(asked, programs)
    except SystemExit as end:
        code = end.code
        if not isinstance(code, int | None):
            print(code, file=sys.stderr)
            code = 1
    except KeyboardInterrupt:
        traceback.print_exc()
        code = INTERRUPTED
    except BaseException:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:  # the disk is full
        with suppress(OSError):
            print(error, file=sys.stderr, flush=True)
        code = NOT_WRITTEN
    return int(code or 0) & 255


if __name__ == "__main__":
    serve(sys.argv[1], FOREIGN, PROGRAMS, of_this_run)
