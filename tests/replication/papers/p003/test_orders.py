"""Theorems 1 and 2 at large epsilon and in their range, and mutants."""

import math

import pytest

from private_experts.replication.papers.p003 import orders
from tests.each import each
from tests.replication.papers.small_checks import verdict, wrong

ONE = {"K": [7], "T": [100], "eps": [0.0, 4.0], "points": [0.1, math.log(2), 4.0]}
TWO = {"K": [2, 16], "T": [2, 1000], "eps_over_log": [0.0, 1.0]}
TWO |= {"points": {"K": [2], "T": [2, 1000], "eps": [0.1], "delta": [0.36, 1e-5]}}


@each(
    ("check", "grid", "expected"),
    [
        (orders.theorem_1_printed, {"K": [16], "T": [10**12]}, "fails"),
        (orders.theorem_2_printed, {"K": [16], "T": [100], "eps": [1e6]}, "fails"),
        (orders.theorem_1, ONE, "holds"),
        (orders.theorem_2, TWO, "holds"),
        # beyond the range of epsilon
        (orders.theorem_1, ONE | {"eps": [0.0, 5.0]}, "fails"),
        (orders.theorem_2, TWO | {"eps_over_log": [0.0, 10.0]}, "fails"),
    ],
)
def test_as_printed_both_theorems_fail_and_in_their_range_they_hold(check, grid, expected) -> None:
    assert verdict(check, grid) == expected


def test_the_counterexample_has_a_risk_near_log_k() -> None:
    point, _ = orders.theorem_1_printed({"K": [16], "T": [4000]})
    assert math.log(16) < point.notes["risk_at_most"] < math.log(16) * (1 + 1e-6)
    assert point.notes["rate"] == pytest.approx(7.62, abs=0.005)


class Off:
    """A mechanism of the library with a bound that is off by a millionth."""

    def __init__(self, right, *given, **more) -> None:
        self.risk_bound = right(*given, **more).risk_bound * (1 + 1e-6)


@each(
    ("name", "mutant", "check", "grid"),
    [
        ("_OF_THEOREM_1", 807, orders.theorem_1, ONE),
        ("_OF_THEOREM_2", 7.36, orders.theorem_2, TWO),
        ("_OF_REMARK", 17.4, orders.theorem_2, TWO),
        ("lower_bound_gap", 1 + 1e-6, orders.theorem_1, ONE),
        ("NoisyCoordinate", lambda *given, **more: Off(*given, **more), orders.theorem_2, TWO),
        ("NoisyVector", lambda *given, **more: Off(*given, **more), orders.theorem_2, TWO),
    ],
)
def test_the_next_constant_and_a_bound_that_is_off_by_a_millionth_are_caught(
    name, mutant, check, grid
) -> None:
    with wrong(orders, name, mutant):
        assert verdict(check, grid) == "fails"
