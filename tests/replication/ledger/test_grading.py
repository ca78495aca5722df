"""How a verdict is known, and how near its evidence comes to the bound, follows from the evidence."""

import math
from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.grading import KNOWN, Grade, counted, grade, in_words, measured, share
from tests.each import each


def judged(points: list[Point], verdict: str = "holds", **more: Any) -> Grade:
    record = {"points": len(points), "vacuous": sum(point.vacuous for point in points)}
    rows = [point.row() for point in points]
    return grade({"kind": "numerical", "verdict": verdict, **record, "measured": measured(rows), **more})


@each(
    ("point", "used"),
    [
        (Point({}, 4.0, 8.0), 0.5),
        (Point({}, 6.0, 8.0, 4.0, 7.0), 0.5),  # what is used for sure
        (Point({}, 16.0, 8.0), 2.0),
        (Point({}, 8.0, 4.0, sense=">="), 0.5),
        (Point({}, 6.0, 4.0, 5.0, 8.0, sense=">="), 0.5),
        (Point({}, 4.0, -4.0, sense=">="), 0.0),
        (Point({}, -8.0, -4.0), 0.5),
        (Point({}, -4.0, -8.0), 2.0),
        (Point({}, -4.0, 0.0), None),
        (Point({}, 4.0, -1.0), None),  # how many times -1 is 4?
        (Point({}, math.inf, 4.0), None),
        (Point({}, 5e-4, 1e-3), None),  # a tolerance
        (Point({}, 5e-4, 1e-3, 4e-4, 6e-4, certified=True), None),
        (Point({}, 5e-4, 1e-3, trivial=1.0), 0.5),  # a small probability
        (Point({}, 5e-4, 1e-3, 4e-4, 6e-4), 0.4),
        (Point({}, 7.9, 8.0, notes={"by_series": 1}, certified=True), None),  # both sides meet on this box
        (Point({}, 4.0, 8.0, notes={"by_series": 0}, certified=True), 0.5),
    ],
)
def test_the_share_of_a_bound_is_what_is_used_for_sure(point: Point, used: float | None) -> None:
    assert share(point.row()) == used


@each(
    ("points", "words"),
    [
        ([Point({}, 1.0, 8.0), Point({}, 3.9, 8.0)], "measured, 0.48 of the bound"),
        ([Point({}, 0.9999, 1.0)], "measured, 0.99 of the bound"),  # which is not all of it
        ([Point({}, 1.0, 1.0)], "measured, all of the bound"),
        ([Point({}, 0.003, 1.0)], "measured, 0.003 of the bound"),
        ([Point({}, -1.0, 1.0)], "measured, none of the bound"),
        ([Point({}, 1e-14, 1e-12), Point({}, 3.0, 4.0)], "measured, 0.75 of the bound"),
        ([Point({}, -3.0, 0.0)], "measured"),
    ],
)
def test_the_tightest_point_says_how_near_a_claim_that_holds_is(points: list[Point], words: str) -> None:
    assert judged(points).words == words


def test_vacuous_points_support_nothing() -> None:
    some = [Point({}, 9.0, 10.0, trivial=9.5), Point({}, 1.0, 4.0, trivial=9.5)]
    assert (judged(some).known, judged(some).share, judged(some).vacuous) == ("measured", 0.25, 0.5)
    assert judged(some[:1], "undecided").words == judged(some[:1]).words == ""


def test_a_claim_that_fails_is_known_by_its_clearest_counterexample() -> None:
    points = [Point({}, 4.0, 8.0), Point({}, 9.0, 8.0), Point({}, 20.0, 8.0, 16.0, 24.0)]
    assert judged(points, "fails").words == "counterexample, at least 2 times the bound"
    for value, times in ((1.0007, "1.0007"), (7.7965, "7.79"), (3590.4, "3590"), (1.34e69, "1.34e69")):
        words = judged([Point({}, value, 1.0)], "fails").words
        assert words == f"counterexample, at least {times} times the bound"
    assert judged([Point({}, 1.0, 0.0)], "fails").words == "counterexample"


def test_what_balls_or_an_enumeration_prove_is_called_so() -> None:
    proved = [Point({}, 1.0, 8.0, notes={"certified": True}), Point({}, 9.0, 8.0, trivial=1.0)]
    # a vacuous point need not be
    assert judged(proved).words == "proved in ball arithmetic, 0.12 of the bound"
    half = [*proved, Point({}, 1.0, 8.0, notes={"certified": False})]
    assert judged(half).known == "measured"
    fails = judged([*half, Point({}, 9.0, 8.0, notes={"certified": True})], "fails")
    assert fails.words == "counterexample, proved in ball arithmetic, at least 1.12 times the bound"
    assert judged(half, enumerated="all pairs").words == "proved by enumeration, 0.12 of the bound"


@each(
    ("lazy", "passes"),
    [
        ({"lazy_fails": 0, "lazy_points": 1}, True),
        ({"lazy_fails": 1, "lazy_points": 1}, False),
        ({"lazy_fails": 0, "lazy_points": 0}, False),
        ({}, False),
    ],
)
def test_a_claim_that_its_lazy_program_would_pass_says_so(lazy: dict[str, int], passes: bool) -> None:
    near = "0.75 of the bound" + ", its lazy program would pass" * passes
    assert judged([Point({}, 3.0, 4.0)], **lazy).words == f"measured, {near}"
    assert judged([Point({}, 3.0, 4.0, certified=True)], **lazy).words == f"proved in ball arithmetic, {near}"
    fails = judged([Point({}, 5.0, 4.0)], "fails", **lazy)
    assert fails.words == "counterexample, at least 1.25 times the bound"


def test_without_a_verdict_there_is_no_grade() -> None:
    assert grade({"kind": "exact", "verdict": "not run", "reason": "synthetic data"}) == Grade()
    assert judged([Point({}, 3.0, 4.0, 2.0, 5.0)], "undecided").words == ""


def test_evidence_that_was_read_from_a_file_says_the_same() -> None:
    points = [Point({"T": 3}, 3.0, 4.0, trivial=9.0, notes={"certified": True}), Point({"T": 4}, 4.0, 4.0)]
    rows = [point.row() for point in points]
    names = dict.fromkeys(name for row in rows for name in row)
    assert measured([{name: str(row.get(name, "")) for name in names} for row in rows]) == measured(rows)


def test_counts_are_in_the_order_of_the_words_and_leave_out_claims_without() -> None:
    names = ["measured", "", "counterexample", "proved", "measured", "counterexample"]
    assert {*names} == {*KNOWN, ""}
    entries = [{"grade": Grade(name).record()} for name in names]
    assert in_words(counted(entries)) == "1 proved, 2 measured, 2 counterexamples"
