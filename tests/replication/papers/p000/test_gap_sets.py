"""The derivative of the gap's law and the shape of its level sets, and mutants of both."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import gap_sets

CHECKED = gap_sets
DERIVATIVE = {"n": [3, 10], "e": [0.1, 1.0], "instances": 3, "tolerance": 1e-6, "rounding": 1e-12}
SHAPE = {"n": [2, 3], "e": [0, 1], "size": 3}
slope = gap_sets.slope


def test_the_checks_hold() -> None:
    assert decide(gap_sets.theorem_2_derivative(DERIVATIVE, 1)) == "holds"
    assert decide(gap_sets.remark_1(SHAPE)) == "holds"


def failing() -> set[str]:
    points = gap_sets.theorem_2_derivative(DERIVATIVE, 1)
    return {point.where["what"] for point in points if decide([point]) == "fails"}


def test_a_derivative_that_is_a_little_off_or_of_the_wrong_coordinate_is_caught(put: Any) -> None:
    put(slope=lambda v, i, e: 1.001 * slope(v, i, e))
    assert failing() == {"difference"}
    put(slope=lambda v, i, e: slope(v, int(np.argsort(v)[-2]), e))
    assert "sign" in failing()


def test_the_sign_of_a_smaller_means_derivative_is_negative() -> None:
    assert slope(np.array([2.0, 0.0]), 0, 1.0) > 0 > slope(np.array([2.0, 0.0]), 1, 1.0)


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param(lambda x, e: np.ptp(x, axis=-1) <= e, id="the range, which is convex for every n"),
        pytest.param(lambda x, e: np.ptp(x, axis=-1) > e, id="the outside, which is not convex for n = 2"),
    ],
)
def test_remark_1_catches_another_set(inside: Any, put: Any) -> None:
    put(_inside=inside)
    assert decide(gap_sets.remark_1(SHAPE)) == "fails"
