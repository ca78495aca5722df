"""Measure the smallest defect that the check of each claim catches, and write claims/power.csv.

``python -m tests.power`` measures all claims, and ``python -m tests.power 002 000/tree-rate`` those whose ids begin so.
Claims about the hospitals take their data from the last run. What cannot be measured keeps its old row and commit.
Each row is written when it is there. What was measured at this very commit is not measured again, so that a measurement
that was stopped goes on where it was.
"""

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

# One thread for each process, as in the workflow. This must be set before NumPy is loaded.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from private_experts.replication.files import write_text  # noqa: E402
from private_experts.replication.ledger.checking import loaded, table_of  # noqa: E402
from private_experts.replication.ledger.evidence import NotRunError  # noqa: E402
from private_experts.replication.ledger.power import COLUMNS, NOISE, STEPS, UNMEASURED, Row, read, totals, words  # noqa: E402
from private_experts.replication.verify.last_run import LastRun  # noqa: E402
from tests.power.left_out import left_out  # noqa: E402
from tests.power.measure import power  # noqa: E402
from tests.power.own import PLACE  # noqa: E402
from tests.replication.ledger.ledgers import KNOWN, ROOT  # noqa: E402

TABLE = ROOT / "claims/power.csv"
AT_ONCE = os.cpu_count() or 1
# Bytes that a process may take: a step left out can make a list that never ends.
LIMIT = resource.RLIMIT_AS, (6 * 2**30, resource.RLIM_INFINITY)


def measured(name: str) -> dict[str, Any] | str:
    """Return a claim's smallest defects, or why they were not measured."""
    claim = KNOWN.claims[name]
    module, _, function = claim.check.partition(":")
    check = getattr(importlib.import_module(f"private_experts.replication.papers.{module}"), function)
    run = LastRun(ROOT, ROOT / "results")
    try:
        data = loaded(**{key: each for key, each in run.given(claim).items() if key != "provenance"})
        try:
            return power(claim, check, data, run.seed) | left_out(claim, check, data, run.seed)
        except NotRunError:  # some quick grids are made for the synthetic panels alone
            whole = replace(claim, quick={})
            return power(whole, check, data, run.seed) | left_out(whole, check, data, run.seed)
    except Exception as reason:  # which the others shall survive
        return f"{type(reason).__name__}: {reason}"


def own_mutants(papers: set[str]) -> Counter[str]:
    """Run the tests of the checks, and return how many mutants each check caught."""
    found: Counter[str] = Counter()
    tests = [f"tests/replication/papers/p{paper}" for paper in sorted(papers)]
    with tempfile.TemporaryDirectory() as place:
        words = ["-q", "-p", "no:cacheprovider", "-p", "tests.power.own", "-n", str(AT_ONCE), *tests]
        done = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=os.environ | {PLACE: place})
        if done.returncode:
            sys.exit("power: the tests of the checks do not pass")
        for path in Path(place).glob("*.json"):
            found.update(json.loads(path.read_text()))
    return found


def asked_for(arguments: Sequence[str]) -> list[str]:
    """Return the claims that the command line names, or refuse it in one line."""
    parser = argparse.ArgumentParser(prog="python -m tests.power", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("starts", nargs="*", metavar="ID", help="how ids of claims begin; all claims without any")
    starts: list[str] = parser.parse_args(arguments).starts
    for start in starts:
        if not any(name.startswith(start) for name in KNOWN.claims):
            sys.exit(f"power: no claim's id begins with {start!r}")
    return [name for name in KNOWN.claims if not starts or name.startswith(tuple(starts))]


def main(names: list[str]) -> None:
    """Measure, and write the table: rows of other claims stay, those of claims that there no longer are go."""
    old = read(TABLE) if TABLE.exists() else {}
    names.sort(key=lambda name: KNOWN.claims[name].seconds)  # so that what is interrupted has measured most claims
    commit = commit_now()
    own = own_mutants({KNOWN.claims[name].paper for name in names})
    rows = {name: old.get(name, dict.fromkeys(COLUMNS, "") | {"claim": name}) for name in KNOWN.claims}
    waiting = [name for name in names if rows[name]["commit"] != commit]
    with ProcessPoolExecutor(AT_ONCE, initializer=resource.setrlimit, initargs=LIMIT) as pool:
        asked = {pool.submit(measured, name): name for name in waiting}
        for done in as_completed(asked):
            name, found = asked[done], done.result()
            if commit_now() != commit:  # processes read modules when they need them
                pool.shutdown(wait=False, cancel_futures=True)
                sys.exit(f"power: the code has changed since {commit}; run make power again")
            if isinstance(found, str):
                print(f"{name}: {found}", file=sys.stderr)
            rows[name] = row_of(rows[name], found, own[KNOWN.claims[name].check], commit)
            print(f"{name}: {words(rows[name])}", flush=True)
            write(rows.values())
    print("; ".join(f"{what}: {count}" for what, count in totals(rows[name] for name in names).items()))


def row_of(old: Row, found: Mapping[str, Any] | str, own: int, commit: str) -> dict[str, Any]:
    """Return the new row of a claim, from what was found or why nothing was; then it keeps an old one."""
    if isinstance(found, str):
        if old["commit"] and old["bound"] != UNMEASURED:
            return dict(old)
        found = dict.fromkeys((*NOISE, *STEPS), "") | {"bound": UNMEASURED}
    return {"claim": old["claim"], **found, "own": own, "commit": commit}


def commit_now() -> str:
    """Return the commit of the work tree, and whether there are changes beside the table itself."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changes = git("status", "--porcelain", "-uno", "--", ".", f":!{TABLE.relative_to(ROOT)}")
    return git("rev-parse", "--short=7", "HEAD") + "-dirty" * bool(changes)


def write(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table, as far as it is measured, in one step."""
    write_text(TABLE, table_of([{name: row[name] for name in COLUMNS} for row in rows]))


if __name__ == "__main__":
    main(asked_for(sys.argv[1:]))
