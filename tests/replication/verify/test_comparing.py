"""What was stored against what is computed again: equal bits for one question, overlapping intervals for two."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.verify.checking import table_of
from private_experts.replication.verify.comparing import Comparison, compare
from private_experts.replication.verify.recomputing import Answer, Question
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
    assert (again.same_question, again.equal, again.points, again.to_explain) == (True, 2, 2, False)
    rounded = compared(CHANCY, points(ONE, TWO), points(ONE, (0.2 + 1e-16, 0.15, 0.25 + 1e-16)))
    assert (rounded.equal, rounded.rounded) == (1, 1)
    assert rounded.agrees
    assert rounded.to_explain
    assert not rounded.identical
    other = compared(CHANCY, points(ONE, TWO), points(ONE, (0.2 + 1e-8, 0.15, 0.25)))
    assert other.overlapping == 1
    assert not other.agrees


@pytest.mark.parametrize(
    ("before", "now", "equal"),
    [
        (3e-17, -4e-17, True),  # what is left of terms as large as the bound
        (3e-11, 4e-11, False),
        (2.0, 2.0 * (1 + 5e-10), True),
        (2.0, 2.0 * (1 + 5e-9), False),
        (float("nan"), 1.0, False),
    ],
)
def test_rounding_is_small_against_the_number_or_against_what_cancelled(before: float, now: float, equal: bool) -> None:
    assert compared(SURE, points((before, before, before)), points((now, now, now))).agrees == equal


@pytest.mark.parametrize(
    ("bound", "before", "now", "equal"),
    [
        (1e13, 1.0, 9.0, False),  # nothing as large as the bound need have cancelled
        (1e-39, 1e-40, 2e-40, False),
        (1e-39, 1e-40, 1e-40 * (1 + 5e-10), True),
        (1e-12, 1e-16, 3e-16, True),  # errors of two routes, within a tolerance for them
        (1e-12, 1e-16, 3e-15, False),
        (0.0, -3e-17, -4e-17, True),
    ],
)
def test_rounding_is_small_against_a_small_bound_too(bound: float, before: float, now: float, equal: bool) -> None:
    rows = [[Point({"n": 1}, value, bound, sense="<=")] for value in (before, now)]
    assert compared(SURE, *rows, verdict=decide(rows[1])).agrees == equal


def test_words_and_verdicts_are_never_equal_up_to_rounding() -> None:
    here, there = ([Point({"n": 1}, value, 1.0, notes={"where": "edge"})] for value in (1.0, 1.0 + 1e-15))
    assert not compared(SURE, here, there, verdict="holds").agrees  # it is on the other side of its bound
    elsewhere = [Point({"n": 1}, 1.0, 1.0, notes={"where": "middle"})]
    assert not compared(SURE, here, elsewhere).agrees


def test_for_another_seed_intervals_that_overlap_are_enough() -> None:
    other = compared(CHANCY, points(ONE, ONE), points(ONE, (0.19, 0.14, 0.24)), seed=7)
    assert not other.same_question
    assert not compared(CHANCY, points(ONE), points(ONE), grid={"T": [1]}).same_question
    assert not compared(CHANCY, points(ONE), points(ONE), repetitions=10).same_question
    assert (other.equal, other.overlapping) == (1, 1)
    assert other.agrees


def test_intervals_that_lie_apart_disagree_although_the_verdict_is_the_same() -> None:
    other = compared(CHANCY, points(ONE), points((0.3, 0.25, 0.35)), seed=7)
    assert other.same_verdict
    assert [row["value"] for row in other.apart] == ["0.3"]
    assert not other.agrees


def test_another_verdict_disagrees_although_intervals_overlap() -> None:
    other = compared(CHANCY, points((0.9, 0.8, 1.0)), points((0.95, 0.85, 1.05)), seed=7)
    assert (other.before, other.now, other.overlapping) == ("holds", "undecided", 1)
    assert not other.agrees


def test_values_without_an_interval_that_differ_are_drawn_anew() -> None:
    exact = [points((value, value, value)) for value in (0.1, 0.2)]
    assert compared(CHANCY, *exact, seed=7).redrawn == 1
    assert compared(SURE, points(ONE), points((0.3, 0.25, 0.35)), seed=7).redrawn == 1  # its ends are rounding errors
    assert not compared(SURE, *exact).agrees  # but the same seed draws the same


def test_points_of_instances_that_the_claim_says_are_drawn_are_not_compared() -> None:
    drawn = replace(CHANCY, claim=replace(CHANCY.claim, drawn={"n": [1]}))
    before, now = points(ONE, ONE), points((0.3, 0.25, 0.35), (0.3, 0.25, 0.35))
    found = compared(drawn, before, now, seed=7)
    assert (found.redrawn, [row["n"] for row in found.apart]) == (1, ["0"])
    assert not compared(drawn, before, now).agrees  # but the same seed draws the same


def test_what_claims_say_is_drawn_is_on_their_grids() -> None:
    declared = [claim for claim in KNOWN.claims.values() if claim.drawn]
    assert declared
    for claim in declared:
        assert Question(claim, seed=0).by_chance
        grids = claim.grid, claim.quick
        assert all({*values} <= {*named(name, grids)} for name, values in claim.drawn.items())


def named(name: str, within: Any) -> list[Any]:
    """Return the values that a grid gives to a name, also in its parts."""
    if isinstance(within, dict):
        own = list(within[name]) if name in within else []
        return own + [each for part in within.values() for each in named(name, part)]
    return [each for part in within for each in named(name, part)] if isinstance(within, list | tuple) else []


def test_where_the_bound_is_drawn_as_well_margins_are_compared() -> None:
    before, now = (Point({"n": 1}, value, value + 0.5, value - 0.1, value + 0.1) for value in (1.0, 5.0))
    assert compared(CHANCY, [before], [now], seed=7).overlapping == 1


@pytest.mark.parametrize(("before", "now"), [([ONE, TWO], [ONE]), ([ONE], [ONE, TWO])])
def test_a_point_that_one_lacks_is_counted(before: list[Any], now: list[Any]) -> None:
    found = compared(CHANCY, points(*before), points(*now))
    assert found.alone == 1
    assert not found.agrees


def test_without_a_point_in_common_nothing_agrees() -> None:
    here, there = ([Point({"n": n}, 0.3, 1.0, 0.2, 0.4)] for n in (1, 2))
    assert not compared(CHANCY, here, there, seed=7).agrees
    assert compared(CHANCY, here, [*here, *there], seed=7).agrees


def test_a_column_that_only_one_has_changes_no_value() -> None:
    noted = [Point({"n": 1}, 0.1, 1.0, notes={"certified": True})]
    assert compared(CHANCY, [Point({"n": 1}, 0.1, 1.0)], noted).agrees
    assert not compared(CHANCY, [Point({"n": 1}, 0.1, 1.0, notes={"certified": False})], noted).agrees


def test_points_in_one_place_are_told_apart_by_their_order() -> None:
    twice = [Point({"n": 1}, value, 1.0) for value in (0.1, 0.2)]
    assert compared(CHANCY, twice, twice).equal == 2
    assert compared(CHANCY, twice, twice[::-1]).equal == 0


def test_what_was_not_run_agrees_with_nothing_that_was() -> None:
    stored = {"verdict": "not run", "grid": CHANCY.grid}
    assert not compare(answer(CHANCY, points(ONE)), stored, []).agrees
    idle = Answer(CHANCY, [], {"verdict": "not run", "reason": "synthetic data"}, 0.0)
    assert compare(idle, stored, []).agrees
    assert compared(SURE, points(ONE), points(ONE), verdict="by construction").agrees  # it holds
