"""Verdicts follow from margins alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import (
    NotRunError,
    Point,
    against_lazy,
    called,
    decide,
    gather,
    labelled,
    nearest_first,
    nearness,
    relative,
    worst,
)
from tests.each import each

NAN = float("nan")


def at_most(low: float, high: float, bound: float = 1.0, name: str = "") -> Point:
    return Point({"name": name}, (low + high) / 2, bound, low, high)


def at_least(low: float, high: float, bound: float = 1.0) -> Point:
    return Point({}, (low + high) / 2, bound, low, high, ">=")


def test_the_margin_is_how_far_the_interval_lies_on_the_right_side() -> None:
    assert [at_most(0.25, 0.5).margin, at_most(1.25, 1.5).margin] == [(0.5, 0.75), (-0.5, -0.25)]
    assert [at_least(1.25, 1.5).margin, at_least(0.25, 0.5).margin] == [(0.25, 0.5), (-0.75, -0.5)]
    assert Point({}, 0.75, 1.0).margin == (0.25, 0.25)
    assert Point({}, 0.0, 1.0, low=0.0, high=0.0).interval == (0.0, 0.0)  # 0 is a number, not "none given"


@each(
    ("points", "verdict"),
    [
        ([at_most(0.5, 1.0), at_least(1.0, 2.0)], "holds"),  # they touch the bound
        ([at_most(0.1, 0.2), at_most(0.9, 1.1), at_most(NAN, NAN), at_most(1.1, 1.2)], "fails"),
        ([at_most(0.1, 0.2), at_most(0.9, 1.1)], "undecided"),
        ([at_most(1.0, 1.1)], "undecided"),  # touches the bound from the wrong side
        ([at_most(0.1, 0.2), at_most(NAN, NAN)], "undecided"),
        ([Point({}, 0.5, NAN)], "undecided"),
        ([], "undecided"),
    ],
)
def test_one_counterexample_is_enough_and_an_open_point_leaves_the_others_undecided(
    points: list[Point], verdict: str
) -> None:
    assert decide(points) == verdict


def test_of_points_that_differ_by_rounding_errors_the_first_is_shown() -> None:
    for values, bound, first in (
        ([1e-16, 1e-14, 1e-15], 1e-9, 0),
        ([np.nextafter(1.0, 0), 1.0], 1.0, 0),
        ([0.5, 0.51], 1.0, 1),
    ):
        assert worst([Point({"k": k}, value, bound) for k, value in enumerate(values)]).where == {"k": first}


def test_a_row_names_the_parameters_the_numbers_and_the_points_own_verdict() -> None:
    point = Point({"n": 2}, 0.5, 1.0, 0.25, 1.5, "<=", {"repetitions": 7})
    decisive = {"value": 0.5, "low": 0.25, "high": 1.5, "sense": "<=", "bound": 1.0}
    margin = {"margin_low": -0.5, "margin_high": 0.75, "verdict": "undecided"}
    assert [*point.row().items()] == [("n", 2), *decisive.items(), *margin.items(), ("repetitions", 7)]


def test_points_of_several_parts_begin_with_the_part_that_they_are_of() -> None:
    one, two = (Point({"n": n}, value=1.0, bound=2.0) for n in (1, 2))
    points = labelled("fact", {"first": [one, two], "second": iter([one])})
    assert [list(point.where.items()) for point in points] == [
        [("fact", "first"), ("n", 1)],
        [("fact", "first"), ("n", 2)],
        [("fact", "second"), ("n", 1)],
    ]
    assert one.where == {"n": 1}


@each(("where", "notes"), [({"low": 0}, {}), ({}, {"verdict": "holds"})])
def test_a_row_refuses_what_is_named_like_a_column_of_its_own(
    where: dict[str, Any], notes: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=f"column {[*where, *notes][0]} of its own"):
        Point(where, 0.5, 1.0, notes=notes).row()


@each(
    ("bound", "sense", "trivial", "vacuous"),
    [
        *((1.0, "<=", None, False), (1.0, "<=", 1.0, True), (0.99, "<=", 1.0, False)),
        *((0.1, ">=", 0.1, True), (0.1, ">=", 0.0, False), (NAN, "<=", 1.0, False)),
    ],
)
def test_a_point_is_vacuous_when_its_bound_is_no_better_than_the_trivial_one(
    bound: float, sense: Any, trivial: float | None, vacuous: bool
) -> None:
    point = Point({}, 0.5, bound, sense=sense, trivial=trivial)
    flags = {name: point.row()[name] for name in ("trivial", "vacuous") if name in point.row()}
    assert point.vacuous is vacuous
    assert flags == ({} if trivial is None else {"trivial": trivial, "vacuous": vacuous})


@each(
    ("value", "sense", "lazy", "fails"),
    [
        *((0.5, "<=", None, False), (0.5, "<=", 1.5, True), (0.5, "<=", 1.0, False)),
        *((1.5, ">=", 0.5, True), (1.5, ">=", 1.0, False)),
    ],
)
def test_a_lazy_program_fails_on_the_wrong_side_of_the_bound_and_decides_nothing(
    value: float, sense: Any, lazy: float | None, fails: bool
) -> None:
    point = Point({}, value, 1.0, sense=sense, lazy=lazy)
    flags = {name: point.row()[name] for name in ("lazy", "lazy_fails") if name in point.row()}
    assert point.lazy_fails is fails
    assert flags == ({} if lazy is None else {"lazy": lazy, "lazy_fails": fails})
    assert decide([point]) == decide([replace(point, lazy=None)]) == "holds"


def test_vacuous_points_do_not_count_against_a_lazy_program() -> None:
    fails, passes = Point({}, 0.5, 1.0, trivial=2.0, lazy=2.0), Point({}, 0.5, 1.0, lazy=0.75)
    vacuous, silent = Point({}, 0.5, 3.0, trivial=2.0, lazy=4.0), Point({}, 0.5, 1.0)
    assert against_lazy([fails, passes, vacuous, silent]) == {"lazy_fails": 1, "lazy_points": 2}
    assert against_lazy([vacuous]) == {"lazy_fails": 0, "lazy_points": 0}
    assert against_lazy([silent]) == {}


def test_vacuous_points_alone_decide_nothing() -> None:
    empty, telling = Point({}, 0.5, 2.0, trivial=1.0), Point({}, 0.5, 0.9, trivial=1.0)
    assert decide([empty, empty]) == "undecided"
    assert decide([empty, telling]) == "holds"
    assert decide([empty, Point({}, 0.95, 0.9, trivial=1.0)]) == "fails"
    assert decide([Point({}, 3.0, 2.0, trivial=1.0)]) == "fails"  # then something is wrong, and is told
    assert empty.row()["verdict"] == "holds"  # of the point alone
    routes = Point({}, 0.0, 1e-12)  # which has no trivial bound
    assert decide([empty, routes]) == "undecided"
    assert decide([telling, routes]) == decide([routes]) == "holds"


MUCH, WIDE = at_most(3.0, 4.0), Point({}, 0.0, 0.01, 0.0, 50.0)
OPEN, BROKEN = at_most(0.99, 1.01), at_most(NAN, NAN)
COUNTEREXAMPLE, GOOD = at_most(0.9, 1.0, bound=0.01), at_most(0.98, 0.999)


@each(
    ("points", "first"),
    [
        ([Point({}, 0.0009, 0.01), Point({}, 0.9, 1.0)], 1),  # nearest to its bound, relatively
        ([at_most(0.0, 0.1), at_most(1.1, 1.2), MUCH], 2),  # fails most clearly
        ([WIDE, BROKEN, COUNTEREXAMPLE], 2),  # however wide the open ones are
        ([GOOD, OPEN], 1),
        ([GOOD, OPEN, BROKEN], 2),
        ([Point({}, -1.0, 0.0), Point({}, -1e-9, 0.0), Point({}, 0.0, 0.0)], 2),  # a bound of 0 that is met
    ],
)
def test_the_worst_point_is(points: list[Point], first: int) -> None:
    assert worst(points) is points[first]


class Recorder:
    """A check that remembers how many repetitions it was asked for, and decides from a number on."""

    def __init__(self, decides_from: float, wrong: bool = False) -> None:
        self.repetitions_run: list[int] = []
        self.decides_from = decides_from
        self.low = 1.1 if wrong else 0.0

    def __call__(self, repetitions: int) -> Sequence[Point]:
        self.repetitions_run.append(repetitions)
        open_still = repetitions < self.decides_from
        return [at_most(0.9, 1.1) if open_still else at_most(self.low, self.low + 0.1, name=str(repetitions))]


@each(
    ("decides_from", "wrong", "first", "cap", "repetitions_run", "verdict"),
    [
        (300, False, 25, 10_000, [25, 100, 400], "holds"),
        (300, True, 25, 10_000, [25, 100, 400], "fails"),
        (math.inf, False, 30, 200, [30, 120, 200], "undecided"),  # the cap is reached exactly
        (0, False, 30, 200, [30], "holds"),
        (math.inf, False, 30, 20, [30], "undecided"),
    ],
)
def test_repetitions_are_bought_only_while_the_claim_is_undecided_and_up_to_the_cap(
    decides_from: float, wrong: bool, first: int, cap: int, repetitions_run: list[int], verdict: str
) -> None:
    check = Recorder(decides_from, wrong)
    points, found, spent = gather(check, first, cap)
    assert (found, spent, check.repetitions_run) == (verdict, repetitions_run[-1], repetitions_run)
    if verdict != "undecided":
        assert points[0].where["name"] == f"{spent}"  # of the last experiment alone


def test_a_check_that_no_point_of_the_grid_applies_to_is_not_run() -> None:
    with pytest.raises(NotRunError, match="no point of the grid applies to this data"):
        gather(lambda repetitions: [], 30, 200)


def row(verdict: str, value: object, bound: object, low: object, high: object) -> dict[str, object]:
    return {"verdict": verdict, "value": value, "bound": bound, "margin_low": low, "margin_high": high}


def test_what_is_nearest_to_failing_comes_first() -> None:
    ordered = [
        row("fails", 9.0, 3.0, -7.0, -6.0),  # at least 6/9 too much
        row("fails", 9.0, 8.0, -2.0, -1.0),
        row("undecided", "nan", 8.0, "nan", "nan"),
        row("undecided", 9.0, 8.0, -2.0, 1.0),
        row("holds", "0.7", "1", "0.25", "0.5"),  # as a file has them
        row("holds", 100.0, 200.0, 80.0, 100.0),
    ]
    assert nearest_first(ordered[::-1]) == ordered
    assert [nearness(rated) for rated in ordered[:2]] == [-6 / 9, -1 / 9]
    assert nearness(ordered[-1]) == 0.4
    assert math.isnan(nearness(ordered[2]))
    assert [called(verdict) for verdict in ("fails", "holds")] == ["counterexample", "nearest to failing"]
    assert relative(row("holds", 0.0, 0.0, 0.0, 0.0)) == (0.0, 0.0)
