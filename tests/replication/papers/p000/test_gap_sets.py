"""The derivative of the gap's law and the shape of its level sets, and mutants of both."""

from typing import Any

import numpy as np

from private_experts.replication.papers.p000 import gap_sets
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

DERIVATIVE = {"n": [3, 10], "e": [0.1, 1.0], "instances": 3, "tolerance": 1e-6, "rounding": 1e-12}
SHAPE = {"n": [2, 3], "e": [0, 1], "size": 3}
slope = gap_sets.slope


def wrong_coordinate(v: Any, i: int, e: float) -> Any:
    return slope(v, int(np.argsort(v)[-2]), e)


@each(
    ("check", "grid", "mutants", "expected"),
    [
        (gap_sets.theorem_2_derivative, DERIVATIVE, {}, "holds"),
        (gap_sets.remark_1, SHAPE, {}, "holds"),
        # the range, which is convex for every n, and the outside, which is not convex for n = 2
        (gap_sets.remark_1, SHAPE, {"_inside": lambda x, e: np.ptp(x, axis=-1) <= e}, "fails"),
        (gap_sets.remark_1, SHAPE, {"_inside": lambda x, e: np.ptp(x, axis=-1) > e}, "fails"),
    ],
)
def test_they_hold_and_another_set_is_caught(check: Any, grid: Any, mutants: Any, expected: str) -> None:
    assert verdict(check, grid, **mutants) == expected


def test_a_derivative_that_is_a_little_off_or_of_the_wrong_coordinate_is_caught() -> None:
    derivative = gap_sets.theorem_2_derivative
    assert failing(found(derivative, DERIVATIVE, slope=times(1.001, slope)), "what") == {"difference"}
    assert "sign" in failing(found(derivative, DERIVATIVE, slope=wrong_coordinate), "what")


def test_the_sign_of_a_smaller_means_derivative_is_negative() -> None:
    assert slope(np.array([2.0, 0.0]), 0, 1.0) > 0 > slope(np.array([2.0, 0.0]), 1, 1.0)
