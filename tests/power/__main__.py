"""Measure the smallest defect that the check of each claim catches, and print it. [verdicts.md#power]

``python -m tests.power`` measures all claims, and ``python -m tests.power 002 000/tree-rate`` those whose ids
begin so. Claims about the hospitals take their data from the last run. Nothing is kept: a result is of the
code that made it.
"""

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

# One thread for each process, as in the workflow. This must be set before NumPy is loaded.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from private_experts.errors import InputError  # noqa: E402
from private_experts.replication.ledger.checking import imported_function, loaded, points_of  # noqa: E402
from private_experts.replication.ledger.evidence import Point, decide  # noqa: E402
from private_experts.replication.ledger.grading import measured as share_of  # noqa: E402
from private_experts.replication.ledger.ledger import Claim, entry_of  # noqa: E402
from private_experts.replication.verify.last_run import LastRun  # noqa: E402
from tests.power.noise import Kind, noise_times  # noqa: E402
from tests.replication.ledger.ledgers import KNOWN, ROOT  # noqa: E402

LESS = (0.95, 0.9, 0.8, 0.5)  # of the noise, from the smallest defect to the largest
MORE = (1.05, 1.1, 1.25, 2.0)
KINDS: tuple[Kind, ...] = ("drawn", "calibrated")

Check = Callable[[], Sequence[Point]]


def caught(check: Check) -> bool:
    """Tell whether a check that should hold fails, or refuses repetitions that do not vary at all."""
    try:
        return decide(check()) == "fails"
    except InputError as refusal:
        return "repetitions are equal" in str(refusal)


def smallest(check: Check, kind: Kind, factors: Sequence[float], before: Sequence[Point]) -> float | str:
    """Return the first factor on the noise that a check catches.

    It is ``none`` when the check does not even catch the last, ``refused`` when the program does not run with
    it, and blank when the evidence is then as before.
    """

    def catches(factor: float) -> bool:
        with noise_times(factor, kind):
            return caught(check)

    with noise_times(factors[-1], kind):
        try:
            after = check()
        except InputError as refusal:
            after = []
            if "repetitions are equal" not in str(refusal):
                return "refused"
    if [point.row() for point in after] == [point.row() for point in before]:
        return ""
    if after and decide(after) != "fails":
        return "none"
    return next((factor for factor in factors[:-1] if catches(factor)), factors[-1])


def power(
    claim: Claim, check: Callable[..., Sequence[Point]], inputs: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """Return the smallest defects that the check of a claim catches, on its quick grid.

    It has all its repetitions there; games on the hospitals, which take long, have a tenth of them. A bound
    smaller than ``bound``, the share that is used, rounded up, is caught. Of each kind of noise see
    `smallest`.
    """
    quick = claim.experiment(quick=True)
    repetitions = claim.repetitions if claim.needs is None else quick.repetitions

    def run() -> Sequence[Point]:
        return points_of(check, quick.grid, repetitions, seed, **inputs)

    watched = {}
    for kind in KINDS:
        with noise_times(1.0, kind) as watched[kind]:
            points = run()
    verdict = decide(points)
    share = share_of([point.row() for point in points])["share"]
    row: dict[str, Any] = {"bound": "" if share is None else f"{math.ceil(1000 * share - 1e-6) / 1000:g}"}
    for kind in KINDS:
        wanted = watched[kind].seen and verdict == "holds"
        for name, factors in (("less", LESS), ("more", MORE)):
            row[f"{kind}_{name}"] = smallest(run, kind, factors, points) if wanted else ""
    return row


def measured(name: str) -> dict[str, Any] | str:
    """Return a claim's smallest defects, or why they were not measured."""
    claim, run = KNOWN.claims[name], LastRun(ROOT, ROOT / "results")
    try:
        inputs = {key: value for key, value in run.inputs_of(claim).items() if key != "provenance"}
        return power(claim, imported_function(entry_of(claim)), loaded(**inputs), run.seed)
    except Exception as reason:  # which the others shall survive
        return f"{type(reason).__name__}: {reason}"


def chosen(starts: Sequence[str]) -> list[str]:
    """Return the claims whose ids begin so, all without any; refuse what no id begins with in one line."""
    for start in starts:
        if not any(name.startswith(start) for name in KNOWN.claims):
            sys.exit(f"power: no claim's id begins with {start!r}")
    return [name for name in KNOWN.claims if not starts or name.startswith(tuple(starts))]


def main(names: Sequence[str]) -> None:
    """Measure, the short claims first, and print what each check catches when it is there."""
    with ProcessPoolExecutor() as pool:
        jobs = {
            pool.submit(measured, name): name
            for name in sorted(names, key=lambda claim_id: KNOWN.claims[claim_id].seconds)
        }
        for done in as_completed(jobs):
            outcome = done.result()
            if not isinstance(outcome, str):
                outcome = ", ".join(f"{defect} {factor}" for defect, factor in outcome.items())
            print(f"{jobs[done]}: {outcome}", flush=True)


if __name__ == "__main__":
    main(chosen(sys.argv[1:]))
