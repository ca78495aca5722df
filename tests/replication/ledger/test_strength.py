"""How much a verdict is worth follows from its evidence."""

import math
from dataclasses import replace
from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.strength import (
    STRENGTHS,
    Strength,
    counted,
    in_words,
    measured,
    share,
    strength,
)
from tests.each import each


def judged(points: list[Point], verdict: str = "holds", **more: Any) -> Strength:
    record = {"points": len(points), "vacuous": sum(point.vacuous for point in points)}
    rows = [point.row() for point in points]
    return strength({"kind": "numerical", "verdict": verdict, **record, "measured": measured(rows), **more})


def pair(least: float, value: float, most: float) -> list[Point]:
    return [Point({"T": 4, "side": "least"}, value, least, sense=">="), Point({"T": 4, "side": "most"}, value, most)]


def one_sided(points: list[Point]) -> list[Point]:
    return [replace(point, notes={"one_sided": True}) for point in points]


@each(
    ("point", "used"),
    [
        (Point({}, 4.0, 8.0), 0.5),
        (Point({}, 6.0, 8.0, 4.0, 7.0), 0.5),  # what is used for sure
        (Point({}, 16.0, 8.0), 2.0),
        (Point({}, -4.0, 8.0), 0.0),
        (Point({}, 8.0, 4.0, sense=">="), 0.5),
        (Point({}, 6.0, 4.0, 5.0, 8.0, sense=">="), 0.5),
        (Point({}, 4.0, -4.0, sense=">="), 0.0),
        (Point({}, -8.0, -4.0), 0.5),
        (Point({}, -4.0, -8.0), 2.0),
        (Point({}, -4.0, 0.0), None),
        (Point({}, 4.0, -1.0), None),  # how many times -1 is 4?
        (Point({}, math.inf, 4.0), None),
        (Point({}, math.nan, 4.0), None),
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
    ("points", "name", "words"),
    [
        ([Point({}, 1.0, 8.0), Point({}, 4.0, 8.0)], "tight", "tight, 0.5 of the bound"),
        ([Point({}, 1.0, 8.0), Point({}, 3.9, 8.0)], "loose", "loose, 0.48 of the bound"),
        ([Point({}, 0.9999, 1.0)], "tight", "tight, 0.99 of the bound"),
        ([Point({}, 1.0, 1.0)], "tight", "tight, all of the bound"),
        ([Point({}, 0.003, 1.0)], "loose", "loose, 0.003 of the bound"),
        ([Point({}, -1.0, 1.0)], "loose", "loose, none of the bound"),
        ([Point({}, 1e-14, 1e-12), Point({}, 0.0, 1e-8)], "agrees", "agrees to 8 digits"),
        ([Point({}, 0.0, 0.0)], "agrees", "agrees exactly"),
        ([Point({}, 0.0, 1e-12, notes={"one_sided": True})], "sign", "sign"),  # an inequality that is met somewhere
        (one_sided(pair(1.0, 1.0, 1.0)), "tight", "tight, all of the bound"),
        ([Point({}, -3.0, 0.0)], "sign", "sign"),
        ([Point({}, 0.0, 0.0), Point({}, -3.0, 0.0)], "sign", "sign"),  # no difference, for it is negative elsewhere
        ([Point({}, 1e-14, 1e-12), Point({}, -3.0, 0.0)], "agrees", "agrees to 12 digits"),
        ([Point({}, 1e-14, 1e-12), Point({}, 3.0, 4.0)], "tight", "tight, 0.75 of the bound"),
        (pair(0.9, 1.02, 1.1), "agrees", "agrees to 1 digit"),
        (pair(-0.01, 0.0, 0.01), "agrees", "agrees to 2 digits"),
        (pair(2.0, 2.0, 2.0), "agrees", "agrees exactly"),
        ([pair(0.9, 1.0, 1.1)[0], pair(0.9, 1 + 2**-52, 1.1)[1]], "agrees", "agrees to 1 digit"),  # but for rounding
        (pair(0.8, 1.0, 1.2), "tight", "tight, 0.83 of the bound"),  # too wide for an agreement
        ([*pair(0.9, 1.02, 1.1), Point({}, 1.0, 8.0)], "loose", "loose, 0.12 of the bound"),
    ],
)
def test_a_claim_that_holds_is_as_strong_as_its_points(points: list[Point], name: str, words: str) -> None:
    assert (judged(points).name, judged(points).words) == (name, words)


def test_two_bounds_of_different_quantities_are_no_agreement() -> None:
    apart = [Point({"T": 4}, 1.0, 0.9, sense=">="), Point({"T": 8}, 1.0, 1.1)]
    assert judged(apart).name == "tight"


def test_vacuous_points_support_nothing() -> None:
    some = [Point({}, 9.0, 10.0, trivial=9.5), Point({}, 1.0, 4.0, trivial=9.5)]
    assert (judged(some).name, judged(some).share, judged(some).vacuous) == ("loose", 0.25, 0.5)
    assert judged(some[:1], "undecided").name == "vacuous"


def test_a_claim_that_fails_is_as_strong_as_its_clearest_counterexample() -> None:
    points = [Point({}, 4.0, 8.0), Point({}, 9.0, 8.0), Point({}, 20.0, 8.0, 16.0, 24.0)]
    assert judged(points, "fails").words == "counterexample, 2 times the bound"
    assert judged([Point({}, 1.0007, 1.0)], "fails").words == "counterexample, 1.0007 times the bound"
    assert judged([Point({}, 3590.4, 1.0)], "fails").words == "counterexample, 3590 times the bound"
    assert judged([Point({}, 1.34e69, 1.0)], "fails").words == "counterexample, 1.34e69 times the bound"
    assert judged([Point({}, 1.0, 0.0)], "fails").words == "counterexample"


def test_what_is_certified_or_enumerated_is_called_so() -> None:
    proved = [Point({}, 1.0, 8.0, notes={"certified": True}), Point({}, 9.0, 8.0, trivial=1.0)]
    assert judged(proved).name == "certified"  # a vacuous point need not be
    half = [*proved, Point({}, 1.0, 8.0, notes={"certified": False})]
    assert judged(half).name == "loose"
    assert judged([*half, Point({}, 9.0, 8.0, notes={"certified": True})], "fails").name == "certified"
    assert judged(half, enumerated="all pairs").name == "enumerated"
    assert judged(proved, kind="by construction").name == "by construction"
    assert judged([Point({}, 9.0, 8.0)], "fails", kind="by construction").name == "counterexample"


@each(
    ("lazy", "name"),
    [
        ({"lazy_fails": 0, "lazy_points": 1}, "lenient"),
        ({"lazy_fails": 1, "lazy_points": 1}, "tight"),
        ({"lazy_fails": 0, "lazy_points": 0}, "tight"),
        ({}, "tight"),
    ],
)
def test_a_claim_that_its_lazy_program_passes_is_lenient(lazy: dict[str, int], name: str) -> None:
    assert judged([Point({}, 3.0, 4.0)], **lazy).words == f"{name}, 0.75 of the bound"
    assert judged([Point({}, 3.0, 4.0, certified=True)], **lazy).name == ("certified" if name == "tight" else name)
    assert judged([Point({}, 5.0, 4.0)], "fails", **lazy).name == "counterexample"


def test_a_certificate_for_less_than_the_claim_says_for_what() -> None:
    certified, measured_only = (
        judged([Point({}, 3.0, 4.0, certified=balls)], certificate="a game on cells") for balls in (True, False)
    )
    assert certified.words == "certified for a game on cells, 0.75 of the bound"
    assert measured_only.words == "tight, 0.75 of the bound"


def test_without_a_verdict_there_is_no_strength() -> None:
    assert strength({"kind": "exact", "verdict": "not run", "reason": "synthetic data"}) == Strength("")
    assert judged([Point({}, 3.0, 4.0, 2.0, 5.0)], "undecided").name == ""


def test_evidence_that_was_read_from_a_file_says_the_same() -> None:
    points = [Point({"T": 3}, 3.0, 4.0, trivial=9.0, notes={"certified": True}), Point({"T": 4}, 4.0, 4.0)]
    rows = [point.row() for point in points]
    names = dict.fromkeys(name for row in rows for name in row)
    assert measured([{name: str(row.get(name, "")) for name in names} for row in rows]) == measured(rows)


def test_counts_are_in_the_order_of_the_strengths_and_leave_out_claims_without() -> None:
    names = ["loose", "", "by construction", "certified", "loose"]
    assert {*names} <= {*STRENGTHS, ""}
    entries = [{"strength": Strength(name).record()} for name in names]
    assert in_words(counted(entries)) == "1 certified, 2 loose, 1 by construction"


def test_the_record_can_stand_in_json() -> None:
    assert Strength("agrees", digits=math.inf).record()["digits"] == "inf"
    assert (
        strength({"kind": "exact", "verdict": "holds", "measured": {"share": None, "digits": "inf"}}).digits == math.inf
    )
