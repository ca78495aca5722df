"""Measure the smallest defect that the check of each claim catches, and write claims/power.csv.

``python -m tests.power`` measures all claims, and ``python -m tests.power 002 000/tree-rate`` those whose ids begin so.
Claims about the hospitals take their data from the last run. What cannot be measured keeps its old row and commit.
"""

import csv
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

# One thread for each process, as in the workflow. This must be set before NumPy is loaded.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from private_experts.replication.claims.checking import loaded  # noqa: E402
from private_experts.replication.claims.last_run import LastRun  # noqa: E402
from private_experts.replication.claims.power import COLUMNS, NOISE, STEPS, UNMEASURED, read, words  # noqa: E402
from tests.power.left_out import left_out  # noqa: E402
from tests.power.measure import power  # noqa: E402
from tests.power.own import PLACE  # noqa: E402
from tests.replication.claims.ledgers import KNOWN, ROOT  # noqa: E402

TABLE = ROOT / "claims/power.csv"
AT_ONCE = 2


def measured(name: str) -> dict[str, Any] | str:
    """Return a claim's smallest defects, or why they were not measured."""
    claim = KNOWN.claims[name]
    module, _, function = claim.check.partition(":")
    check = getattr(importlib.import_module(f"private_experts.replication.claims.checks.{module}"), function)
    run = LastRun(ROOT, ROOT / "results")
    try:
        given = {key: each for key, each in run.given(claim).items() if key != "provenance"}
        asked = claim, check, loaded(**given), run.seed
        return power(*asked) | left_out(*asked)
    except Exception as reason:  # which the others shall survive
        return f"{type(reason).__name__}: {reason}"


def own_mutants(papers: set[str]) -> Counter[str]:
    """Run the tests of the checks, and return how many mutants each check caught."""
    found: Counter[str] = Counter()
    tests = [f"tests/replication/claims/checks/paper_{paper}" for paper in sorted(papers)]
    with tempfile.TemporaryDirectory() as place:
        words = ["-q", "-p", "no:cacheprovider", "-p", "tests.power.own", "-n", str(AT_ONCE), *tests]
        done = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=os.environ | {PLACE: place})
        if done.returncode:
            sys.exit("power: the tests of the checks do not pass")
        for path in Path(place).glob("*.json"):
            found.update(json.loads(path.read_text()))
    return found


def main(asked: list[str]) -> None:
    """Measure, and write the table: rows of other claims stay, those of claims that there no longer are go."""
    old = read(TABLE) if TABLE.exists() else {}
    names = [name for name in KNOWN.claims if not asked or name.startswith(tuple(asked))]
    names.sort(key=lambda name: KNOWN.claims[name].seconds)  # so that what is interrupted has measured most claims
    commit = commit_now()
    own = own_mutants({KNOWN.claims[name].paper for name in names})
    rows = {name: old.get(name, dict.fromkeys(COLUMNS, "") | {"claim": name}) for name in KNOWN.claims}
    found: dict[str, Any] | str
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for name, found in zip(names, pool.map(measured, names), strict=True):
            if commit_now() != commit:  # processes read modules when they need them
                sys.exit(f"power: the code has changed since {commit}; run make power again")
            if isinstance(found, str):
                print(f"{name}: {found}", file=sys.stderr)
                if rows[name]["commit"] and rows[name]["bound"] != UNMEASURED:
                    continue
                found = dict.fromkeys((*NOISE, *STEPS), "") | {"bound": UNMEASURED}
            rows[name] = {"claim": name, **found, "own": own[KNOWN.claims[name].check], "commit": commit}
            print(f"{name}: {words(rows[name])}", flush=True)
            write(rows.values())
    print(steps_in_all([rows[name] for name in names]))


def steps_in_all(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return what became of all steps that were left out."""
    listed = [row for row in rows if int(row["steps"] or 0)]
    count = {name: sum(int(row[name]) for row in listed) for name in STEPS[:-1]}
    passed = count["steps"] - sum(count[name] for name in STEPS[1:-1])
    told = f"{count['noticed']} noticed, {count['crashed']} crashed, {passed} passed, {count['unchanged']} did nothing"
    return f"{count['steps']} steps left out of the checks of {len(listed)} claims: {told}"


def commit_now() -> str:
    """Return the commit of the work tree, and whether there are changes beside the table itself."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changes = git("status", "--porcelain", "-uno", "--", ".", f":!{TABLE.relative_to(ROOT)}")
    return git("rev-parse", "--short=7", "HEAD") + "-dirty" * bool(changes)


def write(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table, as far as it is measured."""
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
