"""Verdicts follow from margins alone."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.replication.ledger.evidence import (
    Point,
    called,
    decide,
    gather,
    nearest_first,
    nearness,
    relative,
    worst,
)

NAN = float("nan")


def at_most(low: float, high: float, bound: float = 1.0, name: str = "") -> Point:
    return Point({"name": name}, (low + high) / 2, bound, low, high)


def at_least(low: float, high: float, bound: float = 1.0) -> Point:
    return Point({}, (low + high) / 2, bound, low, high, ">=")


def test_the_margin_of_an_upper_bound_is_how_far_the_interval_lies_under_it() -> None:
    assert at_most(0.25, 0.5).margin == (0.5, 0.75)
    assert at_most(1.25, 1.5).margin == (-0.5, -0.25)


def test_the_margin_of_a_lower_bound_is_how_far_the_interval_lies_over_it() -> None:
    assert at_least(1.25, 1.5).margin == (0.25, 0.5)
    assert at_least(0.25, 0.5).margin == (-0.75, -0.5)


def test_an_exact_value_is_an_interval_of_no_width() -> None:
    assert Point({}, 0.75, 1.0).interval == (0.75, 0.75)
    assert Point({}, 0.75, 1.0).margin == (0.25, 0.25)
    assert Point({}, 0.0, 1.0, low=0.0, high=0.0).interval == (0.0, 0.0)  # 0 is a number, not "none given"


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        pytest.param([at_most(0.1, 0.2), at_least(1.1, 1.2)], "holds", id="all on the right side"),
        pytest.param([at_most(0.5, 1.0), at_least(1.0, 2.0)], "holds", id="touching the bound"),
        pytest.param([at_most(0.1, 0.2), at_most(1.1, 1.2)], "fails", id="one counterexample"),
        pytest.param([at_most(0.9, 1.1), at_most(1.1, 1.2)], "fails", id="a counterexample beside an open point"),
        pytest.param([at_most(NAN, NAN), at_most(1.1, 1.2)], "fails", id="a counterexample beside a NaN"),
        pytest.param([at_most(0.1, 0.2), at_most(0.9, 1.1)], "undecided", id="one straddles"),
        pytest.param([at_most(1.0, 1.1)], "undecided", id="touching the bound from the wrong side"),
        pytest.param([at_most(0.1, 0.2), at_most(NAN, NAN)], "undecided", id="one is not a number"),
        pytest.param([Point({}, 0.5, NAN)], "undecided", id="a bound that is not a number"),
        pytest.param([], "undecided", id="no points"),
    ],
)
def test_the_verdict_over(points: list[Point], verdict: str) -> None:
    assert decide(points) == verdict
    assert decide(iter(points)) == verdict


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0, 2), st.sampled_from(["<=", ">="])), min_size=1, max_size=3))
def test_both_senses_are_mirror_images(drawn: list[tuple[float, float, str]]) -> None:
    points = [Point({}, low, 0.0, low, low + width, sense) for low, width, sense in drawn]  # type: ignore[arg-type]
    mirrored = [
        Point({}, -low, 0.0, -low - width, -low, ">=" if sense == "<=" else "<=") for low, width, sense in drawn
    ]
    assert decide(points) == decide(mirrored)


def test_a_row_names_the_parameters_the_numbers_and_the_points_own_verdict() -> None:
    point = Point({"n": 2}, 0.5, 1.0, 0.25, 1.5, "<=", {"repetitions": 7})
    assert point.row() == {
        "n": 2,
        "value": 0.5,
        "low": 0.25,
        "high": 1.5,
        "sense": "<=",
        "bound": 1.0,
        "margin_low": -0.5,
        "margin_high": 0.75,
        "verdict": "undecided",
        "repetitions": 7,
    }


@pytest.mark.parametrize(
    ("point", "vacuous"),
    [
        (Point({}, 0.5, 1.0), False),
        (Point({}, 0.5, 1.0, trivial=1.0), True),
        (Point({}, 0.5, 0.99, trivial=1.0), False),
        (Point({}, 0.5, 0.1, sense=">=", trivial=0.1), True),
        (Point({}, 0.5, 0.1, sense=">=", trivial=0.0), False),
        (Point({}, 0.5, NAN, trivial=1.0), False),
    ],
)
def test_a_point_is_vacuous_when_its_bound_is_no_better_than_the_trivial_one(point: Point, vacuous: bool) -> None:
    assert point.vacuous is vacuous
    told = {name: point.row()[name] for name in ("trivial", "vacuous") if name in point.row()}
    assert told == ({} if point.trivial is None else {"trivial": point.trivial, "vacuous": vacuous})


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


def test_the_worst_point_of_a_claim_that_holds_is_the_nearest_to_its_bound_relatively() -> None:
    near, far = Point({}, 0.9, 1.0), Point({}, 0.0009, 0.01)
    assert worst([far, near]) is near


def test_the_worst_point_of_a_claim_that_fails_fails_most_clearly() -> None:
    little, much = at_most(1.1, 1.2), at_most(3.0, 4.0)
    assert worst([at_most(0.0, 0.1), little, much]) is much


def test_the_worst_point_of_a_claim_that_fails_is_a_counterexample_however_wide_the_open_ones_are() -> None:
    counterexample, wide = at_most(0.9, 1.0, bound=0.01), Point({}, 0.0, 0.01, 0.0, 50.0)
    assert decide([wide]) == "undecided"
    assert worst([wide, counterexample]) is counterexample
    assert worst([at_most(NAN, NAN), counterexample]) is counterexample


def test_the_worst_point_of_an_open_claim_is_an_open_one() -> None:
    straddling, good = at_most(0.99, 1.01), at_most(0.98, 0.999)
    assert worst([good, straddling]) is straddling
    broken = at_most(NAN, NAN)
    assert worst([good, straddling, broken]) is broken


def test_a_bound_of_zero_is_compared_with_the_value() -> None:
    assert worst([Point({}, -1.0, 0.0), Point({}, -1e-9, 0.0), Point({}, 0.0, 0.0)]).value == 0.0


class Recorder:
    """A check that remembers how many repetitions it was asked for, and decides from a number on."""

    def __init__(self, decides_from: float, wrong: bool = False) -> None:
        self.asked: list[int] = []
        self.decides_from = decides_from
        self.low = 1.1 if wrong else 0.0

    def __call__(self, repetitions: int) -> Sequence[Point]:
        self.asked.append(repetitions)
        open_still = repetitions < self.decides_from
        return [at_most(0.9, 1.1) if open_still else at_most(self.low, self.low + 0.1, name=str(repetitions))]


@pytest.mark.parametrize("wrong", [False, True])
def test_repetitions_are_bought_only_while_the_claim_is_undecided(wrong: bool) -> None:
    check = Recorder(300, wrong)
    points, verdict, spent = gather(check, 25, 10_000)
    assert check.asked == [25, 100, 400]
    assert (verdict, spent) == ("fails" if wrong else "holds", 400)
    assert points[0].where["name"] == "400"  # of the last experiment alone


def test_the_cap_is_reached_exactly_and_never_passed() -> None:
    check = Recorder(math.inf)
    _, verdict, spent = gather(check, 30, 200)
    assert check.asked == [30, 120, 200]
    assert (verdict, spent) == ("undecided", 200)


def test_a_decided_claim_costs_one_experiment_and_a_cap_below_the_start_as_well() -> None:
    decided, capped = Recorder(0), Recorder(math.inf)
    gather(decided, 30, 200)
    gather(capped, 30, 20)
    assert decided.asked == capped.asked == [30]


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
    assert [nearness(each) for each in ordered[:2]] == [-6 / 9, -1 / 9]
    assert nearness(ordered[-1]) == 0.4
    assert math.isnan(nearness(ordered[2]))


def test_a_bound_of_zero_that_is_met_is_at_no_distance() -> None:
    assert relative(row("holds", 0.0, 0.0, 0.0, 0.0)) == (0.0, 0.0)


def test_a_point_that_fails_is_called_a_counterexample() -> None:
    names = [called(verdict) for verdict in ("fails", "undecided", "holds")]
    assert names == ["counterexample", "nearest to failing", "nearest to failing"]


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0, 2), st.sampled_from([NAN, 0.0, 1.0])), min_size=1, max_size=4))
def test_a_verdict_shows_the_first_row_of_its_evidence(drawn: list[tuple[float, float, float]]) -> None:
    points = [Point({"k": k}, low, bound, low, low + width) for k, (low, width, bound) in enumerate(drawn)]
    shown = worst(points)
    assert nearest_first([point.row() for point in points])[0] == pytest.approx(shown.row(), nan_ok=True)
    assert decide([shown]) == decide(points)
