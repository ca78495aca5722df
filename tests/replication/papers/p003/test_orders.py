"""Theorems 1 and 2 at large epsilon and in their range, and mutants."""

import math
from typing import Any

import pytest

from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import orders
from tests.each import each

PRINTED_1 = {"K": [16], "T": [10**12]}
ONE = {"K": [7], "T": [100], "eps": [0.0, 4.0], "points": [0.1, math.log(2), 4.0]}
PRINTED_2 = {"K": [16], "T": [100], "eps": [1e6]}
TWO = {"K": [2, 16], "T": [2, 1000], "eps_over_log": [0.0, 1.0]}
TWO |= {"points": {"K": [2], "T": [2, 1000], "eps": [0.1], "delta": [0.36, 1e-5]}}


def test_as_printed_both_theorems_fail_and_in_their_range_they_hold() -> None:
    assert decide(orders.theorem_1_printed(PRINTED_1)) == "fails"
    assert decide(orders.theorem_2_printed(PRINTED_2)) == "fails"
    assert decide(orders.theorem_1(ONE)) == "holds"
    assert decide(orders.theorem_2(TWO)) == "holds"


def test_the_counterexample_has_a_risk_near_log_k() -> None:
    point, _ = orders.theorem_1_printed({"K": [16], "T": [4000]})
    assert math.log(16) < point.notes["risk_at_most"] < math.log(16) * (1 + 1e-6)
    assert point.notes["rate"] == pytest.approx(7.62, abs=0.005)


@each(
    ("name", "value", "check", "grid"),
    [
        ("_OF_THEOREM_1", 807, "theorem_1", ONE),
        ("_OF_THEOREM_2", 7.36, "theorem_2", TWO),
        ("_OF_REMARK", 17.4, "theorem_2", TWO),
    ],
)
def test_the_next_constant_is_caught(name: str, value: float, check: str, grid: Any) -> None:
    right = getattr(orders, name)
    try:
        setattr(orders, name, value)
        assert decide(points_of(getattr(orders, check), grid, 2, 1)) == "fails"
    finally:
        setattr(orders, name, right)


def test_beyond_the_range_of_epsilon_the_mended_theorems_fail() -> None:
    assert decide(orders.theorem_1(ONE | {"eps": [0.0, 5.0]})) == "fails"
    assert decide(orders.theorem_2(TWO | {"eps_over_log": [0.0, 10.0]})) == "fails"


@each("name", ["NoisyCoordinate", "NoisyVector", "lower_bound_gap"])
def test_a_bound_of_the_library_that_is_off_by_a_millionth_is_caught(name: str, put: Any) -> None:
    right, checks = getattr(orders, name), {"NoisyCoordinate": "theorem_2", "NoisyVector": "theorem_2"}

    class Off:
        def __init__(self, *arguments: Any, **more: Any) -> None:
            self.risk_bound = right(*arguments, **more).risk_bound * (1 + 1e-6)

    put(orders, name, Off if name in checks else lambda *arguments: right(*arguments) * (1 + 1e-6))
    grid = {"theorem_2": TWO, "theorem_1": ONE}
    check = checks.get(name, "theorem_1")
    assert decide(points_of(getattr(orders, check), grid[check], 2, 1)) == "fails"
