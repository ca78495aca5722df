"""What a run stored of a claim against what is computed again, point by point.

The same question (grid, repetitions and seed) must give the same values up to rounding, and on the same processor with
the same packages to the last bit. Another seed is another experiment. Then points are found again by where they are in
the grid, and the intervals of both must overlap: both hold with 99.9 %, jointly over the grid. A point that the seed
draws (`drawn` in the claim, or one without an interval) measures another number then, and cannot be compared.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from private_experts.replication.formats import EVIDENCE
from private_experts.replication.plotting.numbers import number
from private_experts.replication.verify.checking import table_of
from private_experts.replication.verify.recomputing import Answer, Question

Row = Mapping[str, str]

# Numbers are equal up to rounding if they differ by less than this share of the larger one. What is left of terms that
# cancel may differ by the smaller share of the row's bound, or of 1 where the bound is larger or 0. A bound that is
# itself a tolerance for rounding errors bounds errors that may differ by a larger share of it.
ROUNDING, CANCELLED = 1e-9, 1e-12
TOLERANCES, ERRORS = (1e-16, 1e-6), 1e-3


@dataclass(frozen=True)
class Comparison:
    """How a claim's verdict and points agree with those of a run."""

    before: str  # the verdict of the run
    now: str  # the verdict as recomputed
    same_question: bool  # the same grid, repetitions and seed
    points: int = 0  # computed now, of which are
    equal: int = 0  # - equal to the last bit
    rounded: int = 0  # - equal up to rounding
    overlapping: int = 0  # - with intervals that overlap
    redrawn: int = 0  # - without an interval, and with another value
    apart: Sequence[Row] = ()  # - none of these: the rows, as computed now
    alone: int = 0  # points that only one of the two has

    @property
    def same_verdict(self) -> bool:
        """Whether the verdicts are the same."""
        return self.before == self.now

    @property
    def identical(self) -> bool:
        """Whether all points are equal to the last bit."""
        return self.equal == self.points and not self.alone

    @property
    def up_to_rounding(self) -> bool:
        """Whether all points are equal up to rounding."""
        return self.equal + self.rounded == self.points and not self.alone

    @property
    def to_explain(self) -> bool:
        """Whether the same question was answered otherwise."""
        return self.same_question and not (self.same_verdict and self.identical)

    @property
    def agrees(self) -> bool:
        """Whether verdicts agree, and all values or, for another question, the points that both have."""
        if self.same_question:
            return self.same_verdict and self.up_to_rounding
        common = self.equal + self.rounded + self.overlapping + self.redrawn
        return self.same_verdict and not self.apart and (common > 0 or not self.points)


def compare(answer: Answer, entry: Mapping[str, Any], stored: Sequence[Row]) -> Comparison:
    """Compare an answer with a claim's entry in the ledger of a run, and its evidence there."""
    question, record = answer.question, answer.record
    before = "holds" if entry["verdict"] == "by construction" else str(entry["verdict"])
    same = entry.get("grid") == question.grid and all(
        entry.get(name) == record.get(name) for name in ("seed", "repetitions")
    )
    if "not run" in (before, answer.verdict):
        return Comparison(before, answer.verdict, same_question=same and before == answer.verdict)
    computed = list(csv.DictReader(io.StringIO(table_of(answer.rows))))
    names = sorted({name for row in answer.rows for name in list(row)[: list(row).index("value")]} - {*EVIDENCE})
    here, there = _placed(computed, names), _placed(stored, names)
    kind_of = {place: _kind(row, there[place], question) for place, row in here.items() if place in there}
    kinds = Counter(kind_of.values())
    return Comparison(
        before,
        answer.verdict,
        same,
        points=len(computed),
        equal=kinds["equal"],
        rounded=kinds["rounded"],
        overlapping=kinds["overlapping"],
        redrawn=kinds["redrawn"],
        apart=[here[place] for place, kind in kind_of.items() if kind == "apart"],
        alone=len(here.keys() ^ there.keys()),
    )


def _placed(rows: Sequence[Row], names: Sequence[str]) -> dict[Any, Row]:
    """Return rows by where they are; those in one place are counted, in their order."""
    met: Counter[Any] = Counter()
    placed = {}
    for row in rows:
        place = tuple((name, row[name]) for name in names if name in row)
        placed[place, met[place]] = row
        met[place] += 1
    return placed


def _kind(now: Row, before: Row, question: Question) -> str:
    if all(now[name] == before[name] for name in now.keys() & before.keys()):  # code may have added a column since
        return "equal"
    if _up_to_rounding(now, before):
        return "rounded"
    # Where the bound was drawn as well, the margins are compared.
    ends = ("low", "high") if now["bound"] == before["bound"] else ("margin_low", "margin_high")
    low, high, least, most = (number(row[end]) for row in (now, before) for end in ends)
    if low <= most and least <= high and question.by_chance and not low == high == least == most:
        return "overlapping"
    exact = (low == high and least == most) or any(map(math.isnan, (low, high, least, most)))
    drawn = any(now.get(name, "") in map(str, values) for name, values in question.claim.drawn.items())
    return "redrawn" if exact or drawn or not question.by_chance else "apart"


def _up_to_rounding(now: Row, before: Row) -> bool:
    """Tell whether rows have the same words, and numbers that are equal up to rounding."""
    bound = abs(number(before["bound"]))
    least = CANCELLED * (bound if 0 < bound < 1 else 1.0)
    if TOLERANCES[0] <= bound <= TOLERANCES[1]:
        least = ERRORS * bound
    # Margins follow from the other columns, and have their rounding errors, however near to each other these are.
    compared = (now.keys() & before.keys()) - {"margin_low", "margin_high"}
    pairs = ((now[name], before[name]) for name in compared)
    return all(
        one == other or math.isclose(number(one), number(other), rel_tol=ROUNDING, abs_tol=least)
        for one, other in pairs
    )
