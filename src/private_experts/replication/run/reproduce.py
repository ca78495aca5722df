"""One command for a whole run: resumes after any interruption, and ends with a summary.

Snakemake guards a run by a lock file, which outlives a run that was killed. Here an operating-system lock guards it,
which does not: so a left-over lock file can be removed safely, and starting again is all that a person has to do.
"""

import argparse
import atexit
import fcntl
import gc
import os
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, NoReturn

from private_experts.errors import PROGRAM, InputError, told_in_one_line
from private_experts.replication.run import asked, unfinished
from private_experts.replication.run.later import put_off
from private_experts.replication.run.orphans import cancel, orphans
from private_experts.replication.run.stages import summary
from private_experts.replication.run.strays import end, marked, strays
from private_experts.replication.run.summary import complaints
from private_experts.replication.run.warm import warm

# A run that was just killed may take a moment to die and give up its lock.
PATIENCE = 5.0  # seconds


def snakemake(words: Sequence[str]) -> NoReturn:
    """Do as `python -m snakemake` does with these words."""
    # Python seldom looks for garbage, already while modules are imported, and not at the end. That is a fifth of the
    # time when there is nothing to do.
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    put_off("numpy", "pandas", "requests")
    sys.argv = ["snakemake", *words]
    from snakemake.cli import main

    main()
    raise SystemExit


def _ended(child: int) -> int:
    """Wait for a process to end, and return its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _locked(guard: IO[str]) -> bool:
    """Try to take the lock, for a while; tell whether it worked."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        else:
            return True


def _left(results: Path) -> list[str]:
    """Return what lies in the folders of results now, and nothing when nobody knows."""
    with suppress(InputError):
        return unfinished.lines(results)
    return []


def _take_back(lock: Path) -> None:
    """End the jobs that a killed run left in this folder, on a cluster or here, and say so."""
    if left := orphans(Path()):
        print(f"{PROGRAM}: cancelling {len(left)} jobs that a killed run left on the cluster", file=sys.stderr)
        cancel(left, Path())
    if here := strays(lock):
        print(f"{PROGRAM}: ending processes that a killed run left: {len(here)}", file=sys.stderr)
        end(here, lock)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in this folder with Snakemake's options, and say what came out.

    Returns
    -------
    int
        0 when all results are there, Snakemake's exit code otherwise, 2 when another run is under way or what was asked
        for cannot be.
    """
    parser = argparse.ArgumentParser(
        prog="python -m private_experts.replication.run.reproduce", description=main.__doc__
    )
    parser.add_argument("--results", type=Path, default=Path("results"), help="where the config writes its results")
    options, passed_on = parser.parse_known_args(arguments)
    with told_in_one_line():
        asked.check_words(passed_on)
    started = time.time()
    state = Path(".snakemake")
    state.mkdir(exist_ok=True)
    lock = state / "reproduce.lock"
    with lock.open("w") as guard:
        if not _locked(guard):
            print(f"{PROGRAM}: another run is under way in this folder; wait for it to end", file=sys.stderr)
            return 2
        for left_over in (state / "locks").glob("*"):  # as `snakemake --unlock` does, which takes seconds to start
            left_over.unlink()
        with told_in_one_line():
            _take_back(lock)
        with marked(lock), nullcontext() if asked.only_looks(passed_on) else warm():
            # A fork has what both need imported already. It shares the lock, which holds until the last of both has
            # ended.
            child = os.fork()
            if child == 0:
                snakemake(["--no-hooks", *passed_on])
            try:
                code = _ended(child)
            except KeyboardInterrupt:  # Snakemake has been told as well, and stops its jobs
                _ended(child)
                said = [*_left(options.results), f"{PROGRAM}: stopped; the same command goes on from here"]
                print("\n".join(said), file=sys.stderr)
                return 130
            if code < 0:  # the server of jobs is among what it left
                print(f"{PROGRAM}: signal {-code} ended Snakemake", file=sys.stderr)
                with told_in_one_line():
                    _take_back(lock)
    if code:
        said = [*_left(options.results), *complaints(options.results / "logs", started)]
        if code < 0:
            said.append(f"{PROGRAM}: the same command goes on from here")
        print("\n".join(said), file=sys.stderr)
        return code
    manifest = options.results / "manifest.json"
    if manifest.exists():  # it does not when one result alone was asked for
        with told_in_one_line():
            summary(manifest, started)
    return 0


if __name__ == "__main__":
    sys.exit(main())
