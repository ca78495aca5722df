"""What was stored against what is computed again: equal bits or rounding; a verdict for two."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from private_experts.replication.ledger.checking import table_of
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.verify.comparing import Comparison, compare
from private_experts.replication.verify.recomputing import Answer, Question
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN

CHANCY = Question(KNOWN.claims["000/lemma-3"], seed=2026)
SURE = Question(KNOWN.claims["000/tree-nodes"], seed=2026)


def points(*intervals: tuple[float, float, float]) -> list[Point]:
    return [Point({"n": n}, value, 1.0, low, high) for n, (value, low, high) in enumerate(intervals)]


def answer(question: Question, found: Sequence[Point]) -> Answer:
    rows = [point.row() for point in found]
    return Answer(question, rows, {"verdict": decide(found), "seed": question.seed, "repetitions": 9}, 0.1)


def compared(
    question: Question, before: Sequence[Point], now: Sequence[Point], seed: int = 2026, **entry: Any
) -> Comparison:
    stored = {"verdict": decide(before), "grid": question.grid, "seed": 2026, "repetitions": 9} | entry
    rows = list(csv.DictReader(io.StringIO(table_of([point.row() for point in before]))))
    return compare(answer(replace(question, seed=seed), now), stored, rows)


ONE, TWO = (0.1, 0.05, 0.15), (0.2, 0.15, 0.25)


def test_the_same_question_asks_for_the_same_values_and_tells_bits_from_rounding() -> None:
    again = compared(CHANCY, points(ONE, TWO), points(ONE, TWO))
    assert again.agrees
    assert (again.same_question, again.equal, again.points) == (True, 2, 2)
    assert str(again) == "the same verdict, all 2 points equal to the last bit"
    rounded = compared(CHANCY, points(ONE, TWO), points(ONE, (0.2 + 1e-16, 0.15, 0.25 + 1e-16)))
    assert (rounded.equal, rounded.rounded, rounded.agrees) == (1, 1, True)
    other = compared(CHANCY, points(ONE, TWO), points(ONE, (0.2 + 1e-8, 0.15, 0.25)))
    assert not other.agrees
    assert str(other) == "the same verdict; of 2 points 0 equal up to rounding, 1 with another value"


@each(
    ("bound", "before", "now", "equal"),
    [
        (1.0, 3e-17, -4e-17, True),  # what is left of terms as large as the bound
        (1.0, 3e-11, 4e-11, False),
        (1.0, 2.0, 2.0 * (1 + 5e-10), True),
        (1.0, 2.0, 2.0 * (1 + 5e-9), False),
        (1.0, float("nan"), 1.0, False),
        (1e13, 1.0, 9.0, False),  # nothing as large as the bound need have cancelled
        (1e-39, 1e-40, 2e-40, False),
        (1e-12, 1e-16, 3e-16, True),  # errors of two routes, within a tolerance for them
        (1e-12, 1e-16, 3e-15, False),
        (0.0, -3e-17, -4e-17, True),
    ],
)
def test_rounding_is_small_against_the_number_or_against_what_cancelled_or_a_small_bound(
    bound: float, before: float, now: float, equal: bool
) -> None:
    rows = [[Point({"n": 1}, value, bound)] for value in (before, now)]
    assert compared(SURE, *rows, verdict=decide(rows[1])).agrees == equal


def test_words_and_verdicts_are_never_equal_up_to_rounding() -> None:
    here, there = ([Point({"n": 1}, value, 1.0, notes={"where": "edge"})] for value in (1.0, 1.0 + 1e-15))
    assert not compared(SURE, here, there, verdict="holds").agrees  # it is on the other side of its bound
    elsewhere = [Point({"n": 1}, 1.0, 1.0, notes={"where": "middle"})]
    assert not compared(SURE, here, elsewhere).agrees


@each("other", [{"seed": 7}, {"grid": {"T": [1]}}, {"repetitions": 10}])
def test_another_question_must_have_the_same_verdict(other: dict[str, Any]) -> None:
    assert compared(CHANCY, points(ONE), points(TWO), **other).agrees
    assert not compared(CHANCY, points((0.9, 0.8, 1.0)), points((0.95, 0.85, 1.05)), **other).agrees


def test_a_point_that_one_lacks_is_not_equal_and_a_column_that_only_one_has_changes_no_value() -> None:
    for before, now in (([ONE, TWO], [ONE]), ([ONE], [ONE, TWO])):
        found = compared(CHANCY, points(*before), points(*now))
        assert (found.points, found.equal, found.agrees) == (2, 1, False)
    noted = [Point({"n": 1}, 0.1, 1.0, notes={"certified": True})]
    assert compared(CHANCY, [Point({"n": 1}, 0.1, 1.0)], noted).agrees
    assert not compared(CHANCY, [Point({"n": 1}, 0.1, 1.0, notes={"certified": False})], noted).agrees


def test_what_was_not_run_agrees_with_nothing_that_was() -> None:
    stored = {"verdict": "not run", "grid": CHANCY.grid}
    assert not compare(answer(CHANCY, points(ONE)), stored, []).agrees
    idle = Answer(CHANCY, [], {"verdict": "not run", "reason": "synthetic data"})
    assert compare(idle, stored, []).agrees


def test_a_statement_that_has_turned_is_told_by_its_name_although_the_claims_verdict_is_the_same() -> None:
    def found(verdict: str) -> dict[str, Any]:
        return {"statements": [{"name": "one", "verdict": verdict}, {"name": "two", "verdict": "fails"}]}

    now = answer(replace(CHANCY, seed=7), points(ONE))
    here = replace(now, record={**now.record, **found("holds")})
    for before, agrees in (("holds", True), ("fails", False)):
        comparison = compare(here, {"verdict": "holds", **found(before)}, [])
        assert comparison.agrees == agrees
    assert str(comparison) == "one: fails there, one: holds here, as another experiment"
