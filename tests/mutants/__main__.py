"""Show that a test and a claim notice each mutant: ``python -m tests.mutants [--quick] [NAME ...]``.

A name is the beginning of a mutant's name, such as ``003``. ``--jobs`` tells how many run at a time. Exit
code 1 when a mutant is not noticed.
"""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.mutants import mutants_000, mutants_001, mutants_002, mutants_003, mutants_004
from tests.mutants.mutant import failing_claim, failing_test

MUTANTS = {
    name: mutant
    for room in (mutants_000, mutants_001, mutants_002, mutants_003, mutants_004)
    for name, mutant in room.MUTANTS.items()
}


def noticed(name: str, *, quick: bool) -> bool:
    """Run one mutant's claim and test, print a line, and return whether both fail."""
    mutant = MUTANTS[name]
    looked_at = mutant.mechanism or mutant.test.partition("[")[2].removesuffix("]")
    fails = {
        mutant.test: failing_test(mutant.test, mutant.patch),
        mutant.claim: failing_claim(mutant.claim, mutant.patch, quick=quick, looked_at=looked_at),
    }
    verdicts = [f"{what} {'fails' if failed else 'PASSES'}" for what, failed in fails.items()]
    print(f"{name}: {', '.join(verdicts)}", flush=True)
    return all(fails.values())


def main() -> int:
    """Run the mutants that are named, each in a process of its own, so that no cache outlives its mutant."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="play the claims on their small grids, whose wider slack lets small changes pass",
    )
    parser.add_argument("--jobs", type=int, default=1, help="mutants that run at a time (1)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="how names begin; all mutants without any")
    given = parser.parse_args()
    if given.one:
        return 0 if noticed(given.one, quick=given.quick) else 1
    chosen = [name for name in MUTANTS if not given.names or name.startswith(tuple(given.names))]
    if not chosen:
        parser.error(f"no mutant's name begins so; there are {', '.join(MUTANTS)}")
    quick = ["--quick"] if given.quick else []

    def missed(name: str) -> bool:
        command = [sys.executable, "-m", "tests.mutants", *quick, "--one", name]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(ended.stdout.splitlines()[-1] if ended.stdout else f"{name}: no output", flush=True)
        return ended.returncode != 0

    with ThreadPoolExecutor(given.jobs) as pool:
        unnoticed = sum(pool.map(missed, chosen))
    print(f"{len(chosen) - unnoticed} of {len(chosen)} mutants are noticed by their test and their claim")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
