"""What a run stored of a claim against what is computed again, point by point.

The same question (grid, repetitions and seed) must give the same values up to rounding, and on the same
processor with the same packages to the last bit. Another seed is another experiment, which must come to the
same verdict.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from private_experts.replication.ledger.checking import plain, table_of
from private_experts.replication.plotting.numbers import number
from private_experts.replication.verify.recomputing import Answer

Row = Mapping[str, str]

# Numbers are equal up to rounding if they differ by less than this share of the larger one. What is left of
# terms that cancel may differ by the smaller share of the row's bound, or of 1 where the bound is larger or
# 0. A bound that is itself a tolerance for rounding errors bounds errors that may differ by a larger share of
# it.
ROUNDING, CANCELLED = 1e-9, 1e-12
TOLERANCES, ERRORS = (1e-16, 1e-6), 1e-3


@dataclass(frozen=True)
class Comparison:
    """How a claim's verdict and points agree with those of a run."""

    before: str  # the verdict of the run
    now: str  # the verdict as recomputed
    same_question: bool  # the same grid, repetitions and seed
    points: int = 0  # compared, of which are
    equal: int = 0  # - equal to the last bit
    rounded: int = 0  # - equal up to rounding

    @property
    def agrees(self) -> bool:
        """Whether verdicts agree and, for the same question, all values up to rounding."""
        return self.before == self.now and self.equal + self.rounded == self.points

    def __str__(self) -> str:
        """Say in a few words how verdicts and points agree."""
        verdicts = "the same verdict" if self.before == self.now else f"{self.before} there, {self.now} here"
        if not self.same_question:
            return f"{verdicts}, as another experiment"
        if self.equal == self.points:
            return f"{verdicts}, all {self.points} points equal to the last bit"
        other = self.points - self.equal - self.rounded
        return (
            f"{verdicts}; of {self.points} points {self.rounded} equal up to rounding, {other} with "
            "another value"
        )


def compare(answer: Answer, entry: Mapping[str, Any], stored: Sequence[Row]) -> Comparison:
    """Compare an answer with a claim's entry in the ledger of a run, and its evidence there."""
    question, record = answer.question, answer.record
    before, now = str(entry["verdict"]), answer.verdict
    stored_of = {part["name"]: part["verdict"] for part in entry.get("statements", ())}
    found = {part["name"]: part["verdict"] for part in record.get("statements", ())}
    # A statement that has turned is told by its name, as the claim's own verdict may be the same.
    if turned := next((name for name in found if stored_of.get(name) != found[name]), None):
        before, now = (f"{turned}: {verdicts.get(turned, 'no verdict')}" for verdicts in (stored_of, found))
    same = entry.get("grid") == plain(question.grid) and all(
        entry.get(name) == record.get(name) for name in ("seed", "repetitions")
    )
    # Values of two experiments differ by chance, so only their verdicts can be compared.
    if not same or "not run" in (entry["verdict"], answer.verdict):
        return Comparison(before, now, same_question=same)
    computed = list(csv.DictReader(io.StringIO(table_of(answer.rows))))
    kinds = Counter(_kind(*rows) for rows in zip(computed, stored, strict=False))
    # The longer of both: points that one of them lacks must count as different.
    points = max(len(computed), len(stored))
    return Comparison(before, now, True, points, kinds["equal"], kinds["rounded"])


def _kind(now: Row, before: Row) -> str:
    # code may have added a column since
    if all(now[name] == before[name] for name in now.keys() & before.keys()):
        return "equal"
    return "rounded" if _up_to_rounding(now, before) else "other"


def _up_to_rounding(now: Row, before: Row) -> bool:
    """Tell whether rows have the same words, and numbers that are equal up to rounding."""
    bound = abs(number(before["bound"]))
    least = CANCELLED * (bound if 0 < bound < 1 else 1.0)
    if TOLERANCES[0] <= bound <= TOLERANCES[1]:
        least = ERRORS * bound
    # Margins follow from the other columns, and have their rounding errors, however near to each other these
    # are.
    compared = (now.keys() & before.keys()) - {"margin_low", "margin_high"}
    pairs = ((now[name], before[name]) for name in compared)
    return all(
        one == other or math.isclose(number(one), number(other), rel_tol=ROUNDING, abs_tol=least)
        for one, other in pairs
    )
