"""What is the smallest defect that the check of a claim catches?"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.ledger.strength import measured
from tests.power.noise import Kind, noise_times

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

    It is ``none`` when the check does not even catch the last, ``refused`` when the program does not run with it, and
    blank when the evidence is then as before.
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


def power(claim: Claim, check: Callable[..., Sequence[Point]], given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the smallest defects that the check of a claim catches, on its quick grid, as columns of the table.

    It has all its repetitions there; games on the hospitals, which take long, have a tenth of them. A bound smaller
    than ``bound``, the share of `Strength` rounded up, is caught. Of each kind of noise see `smallest`.
    """
    grid = claim.experiment(quick=True).grid
    repetitions = claim.repetitions if claim.needs is None else claim.experiment(quick=True).repetitions

    def run() -> Sequence[Point]:
        return points_of(check, grid, repetitions, seed, **given)

    watched = {}
    for kind in KINDS:
        with noise_times(1.0, kind) as watched[kind]:
            points = run()
    verdict = decide(points)
    share = measured([point.row() for point in points])["share"]
    row: dict[str, Any] = {"bound": "" if share is None else f"{math.ceil(1000 * share - 1e-6) / 1000:g}"}
    for kind in KINDS:
        asked = watched[kind].seen and verdict == "holds"
        for name, factors in (("less", LESS), ("more", MORE)):
            row[f"{kind}_{name}"] = smallest(run, kind, factors, points) if asked else ""
    return row
