"""What is true is proved, what is false never, and what is left is told."""

import math
from typing import Any

import pytest

from private_experts.replication.balls.balls import ball, exp, log, precision, rational, sqrt, square
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box, prove, widened
from private_experts.replication.ledger.evidence import decide


def bernoulli(x: Any) -> tuple[Any, Any]:
    """1 + x <= e^x, with equality at 0."""
    return 1 + x, exp(x)


def means(x: Any, y: Any) -> tuple[Any, Any]:
    """The geometric mean is at most the arithmetic one, with equality where x = y."""
    return sqrt(x * y), (x + y) / 2


def test_a_true_inequality_with_room_is_proved_and_its_margin_is_no_more_than_the_true_one() -> None:
    one, two = prove(bernoulli, {"x": (0.5, 3.0)}), prove(means, {"x": (1.0, 2.0), "y": (2.5, 8.0)})
    for proof, margin, nearest in (
        (one, math.exp(0.5) - 1.5, {"x": 0.5}),
        (two, 2.25 - math.sqrt(5), {"x": 2.0, "y": 2.5}),
    ):
        assert proof.holds
        assert 0 < proof.smallest <= margin
        assert proof.nearest == nearest


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 1.0), (0.1, 1.0), (1e-7, 2.0)], ids=["around", "apart", "close by"]
)
def test_a_false_inequality_is_never_proved(low: float, high: float) -> None:
    proof = prove(lambda x: (exp(x) * (1 + 1e-9), 1 + x), {"x": (low, high)})
    assert not proof.holds
    assert proof.refuted is not None
    assert low <= proof.refuted["x"] <= high


def test_what_is_false_in_one_corner_alone_is_found_there() -> None:
    proof = prove(lambda x, y: (x * y, ball(0.999)), {"x": (0.0, 1.0), "y": (0.0, 1.0)})
    assert proof.refuted is not None
    assert proof.refuted["x"] * proof.refuted["y"] > 0.999


def test_an_edge_of_equality_stays_unproved_and_is_told() -> None:
    proof = prove(bernoulli, {"x": (0.0, 1.0)}, depth=12)
    assert not proof.holds
    assert proof.refuted is None
    assert all(low == 0.0 or high < 1e-2 for low, high in (box["x"] for box in proof.unproved))
    assert proof.unproved
    point = over_box({}, bernoulli, {"x": (0.0, 1.0)}, depth=12)
    assert decide([point]) == "undecided"
    assert point.notes["unproved"] == len(proof.unproved)
    assert "x 0 to" in point.notes["unproved_boxes"]


def test_the_series_decides_an_edge() -> None:
    edge = Edge("x", 0.0, 2)
    for box in ((0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0)):
        proof = prove(bernoulli, {"x": box}, edges=[edge])
        assert proof.holds
        assert proof.by_series >= 1


@pytest.mark.parametrize("order", [1, 3])
def test_a_wrong_order_of_an_edge_proves_nothing(order: int) -> None:
    assert not prove(bernoulli, {"x": (-1.0, 1.0)}, edges=[Edge("x", 0.0, order)], depth=12).holds


def test_an_odd_edge_has_its_sign_on_each_side() -> None:
    cubic = {"edges": [Edge("x", 0.0, 3)], "depth": 15}
    assert prove(lambda x: (x * 0, x * x * x), {"x": (0.0, 1.0)}, **cubic).holds
    assert not prove(lambda x: (x * 0, x * x * x), {"x": (-1.0, 0.0)}, **cubic).holds
    assert prove(lambda x: (x * x * x, x * 0), {"x": (-1.0, 0.0)}, **cubic).holds


def test_nothing_is_proved_at_an_edge_where_the_sides_meet_at_its_corners_and_in_its_middle_alone() -> None:
    def false(x: Any, y: Any) -> tuple[Any, Any]:
        return y * (1 - y) * square(y - 0.5), x + 0 * y

    unit = (0.0, 1.0)
    assert not prove(false, {"x": unit, "y": unit}, edges=[Edge("x", 0.0, 1)], depth=12).holds


def test_a_corner_at_which_an_inequality_is_false_refutes_it_whatever_is_said_of_an_edge() -> None:
    for order, sides in (
        (1, lambda x: (1e-21 + 0 * x, x)),
        (1, lambda x: (ball(0.7) if x > 0.5 else ball(0), ball(0.6))),
        (2, lambda x: (exp(x), 1 + x)),
    ):
        proof = prove(sides, {"x": (0.0, 1.0)}, edges=[Edge("x", 0.0, order)])
        assert proof.refuted is not None
        assert not proof.holds
        assert proof.by_series == 0


def test_an_edge_holds_for_all_values_of_the_other_parameters() -> None:
    def weighted(x: Any, y: Any) -> tuple[Any, Any]:
        return x * y, exp(x * y) - 1

    assert prove(weighted, {"x": (0.0, 1.0), "y": (0.1, 3.0)}, edges=[Edge("x", 0.0, 2)]).holds


def test_boxes_over_decades_are_cut_by_factors() -> None:
    proof = prove(lambda x: (log(x), x / 2), {"x": (1e-6, 1e9)})
    assert proof.holds
    assert proof.boxes < 200


def test_an_interval_is_widened_by_a_few_roundings_on_both_sides() -> None:
    low, high = widened(0.1, 3.0)
    assert 0.1 * (1 - 1e-14) < low < 0.1
    assert 3.0 < high < 3.0 * (1 + 1e-14)


def test_work_ends_at_the_most_boxes() -> None:
    proof = prove(bernoulli, {"x": (0.0, 1.0)}, depth=10**6, most=50)
    assert 0 < len(proof.unproved) < 50
    assert not proof.holds


def test_the_evidence_of_a_box_says_where_it_is_nearest() -> None:
    point = over_box({"n": 2}, bernoulli, {"x": (0.5, 3.0)})
    assert decide([point]) == "holds"
    row = point.row()
    assert row["certified"] is True
    assert (row["n"], row["box"], row["unproved"]) == (2, "x 0.5 to 3", 0)
    assert row["boxes"] >= 1
    assert row["value"] < row["bound"]
    refuted = over_box({}, lambda x: (exp(x), 1 + x), {"x": (0.5, 3.0)})
    assert decide([refuted]) == "fails"
    assert refuted.value > refuted.bound


def test_at_a_point_balls_that_differ_in_the_thirtieth_digit_are_told_apart() -> None:
    with precision():
        one, more = ball(1), 1 + rational("1e-30")
        assert decide([at_point({}, one, more)]) == "holds"
        assert decide([at_point({}, more, one)]) == "fails"
        assert decide([at_point({}, one, ball(1) + rational("0.1") - rational("0.1"))]) == "undecided"
        assert decide([at_point({}, one, one)]) == "holds"
        low, high = at_point({}, rational("1e30"), rational("1e30") + 1).margin
    assert 0 <= low <= high


def test_the_interval_of_a_point_contains_its_value() -> None:
    with precision(53):
        point = at_point({}, sqrt(ball(2)), square(rational("1.2")))
    low, high = point.interval
    assert low <= point.value <= high
    assert point.margin[0] <= 1.44 - math.sqrt(2) <= point.margin[1]


def test_agreement_is_relative() -> None:
    with precision():
        assert decide([agreement({}, math.exp(50), exp(ball(50)), 1e-15)]) == "holds"
        assert decide([agreement({}, math.exp(50) * (1 + 1e-14), exp(ball(50)), 1e-15)]) == "fails"
        assert decide([agreement({}, 0.0, ball(0), 1e-15)]) == "holds"


def test_a_lower_bound_is_told_as_one() -> None:
    with precision():
        point = at_point({}, ball(3), ball(2), sense=">=")
        assert (point.sense, point.value, point.bound) == (">=", 3.0, 2.0)
        assert point.margin[0] == pytest.approx(1)
        assert decide([at_point({}, ball(2), ball(3), sense=">=")]) == "fails"
        assert decide([at_point({}, 2 - rational("1e-30"), ball(2), sense=">=")]) == "fails"
        assert decide([at_point({}, 2 + rational("1e-30"), ball(2), sense=">=")]) == "holds"
