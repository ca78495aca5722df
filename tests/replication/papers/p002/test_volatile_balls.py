"""Balls around errors among volatile actions contain what quadrature finds, and are narrow."""

import math
from typing import Any

import pytest

from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.balls.sums import rounded
from private_experts.replication.papers.p002 import volatile_balls
from private_experts.replication.papers.p002.volatile import Volatile, error
from private_experts.replication.papers.p002.volatile_balls import noisy_max_error, softmax_error
from tests.each import each
from tests.replication.papers.p002.streams import split
from tests.replication.papers.replaced import put

STREAM = Volatile(best=0.2, near=1e-4, gap=0.01, small=0.0, large=1.0, steady=199, volatile=20)
FEW = Volatile(best=0.3, near=0.05, gap=0.1, small=0.1, large=0.9, steady=1, volatile=1)
ALONE = Volatile(best=0.3, near=0.0, gap=0.1, small=0.1, large=0.9, steady=0, volatile=3)


@each(
    ("stream", "epsilon", "r"),
    [(STREAM, 1.0, 1), (STREAM, 1.0, 100), (FEW, 3.0, 20), (split(0.04, 0.48, 199, 20), 0.3, 64)],
)
def test_the_error_of_a_softmax_is_that_of_quadrature(stream: Volatile, epsilon: float, r: int) -> None:
    found, expected = softmax_error(stream, epsilon, r), error("whole block", stream, epsilon, r)
    assert near(found) == pytest.approx(expected, rel=1e-10)
    assert 1e-12 * expected < found.rad() < 2e-8 * expected


def test_two_actions_and_one_round_are_a_logistic_law() -> None:
    """With nobody steady the volatile action wins with a chance that has a closed form, by its losses."""
    stream = Volatile(best=0.3, near=0.0, gap=0.1, small=0.1, large=0.9, steady=0, volatile=1)
    chances = ((0.1, 1 - stream.heads), (0.9, stream.heads))
    expected = 0.1 * sum(share / (1 + math.exp(loss - 0.3)) for loss, share in chances)
    found = softmax_error(stream, 2.0, 1)
    assert abs(found - expected) < 1e-10
    assert found.rad() < 1e-10


@each(("stream", "epsilon", "r"), [(STREAM, 1.0, 1), (STREAM, 1.0, 64), (FEW, 3.0, 20), (ALONE, 3.0, 20)])
def test_the_error_of_report_noisy_max_lies_between_its_sums(
    stream: Volatile, epsilon: float, r: int
) -> None:
    found, expected = noisy_max_error(stream, epsilon, r), error("noisy max", stream, epsilon, r)
    assert found.lower() < expected < found.upper()
    assert found.rad() < 0.03 * expected


# Nodes are 8 noise scales apart. The steady action, which wins most errors, is nearly midway.
MIDWAY = Volatile(best=0.5, near=0.05, gap=0.01, small=0.1, large=0.9, steady=1, volatile=1)


@each(
    ("coarse", "stream", "epsilon", "r"),
    [
        ({"_FAR_BELOW": 0.5}, FEW, 3.0, 20),
        ({"_ABOVE": 0.1}, FEW, 3.0, 20),
        ({"_SMALL": 1.0}, FEW, 3.0, 20),
        ({"_SMALL": 100.0}, MIDWAY, 20.0, 1),
    ],
)
def test_coarse_sums_are_on_both_sides_of_the_error(
    coarse: dict[str, float], stream: Volatile, epsilon: float, r: int
) -> None:
    with put(volatile_balls, **coarse):
        found = noisy_max_error(stream, epsilon, r)
    assert found.lower() < error("noisy max", stream, epsilon, r) < found.upper()


def test_sums_for_report_noisy_max_count_their_roundings() -> None:
    def counted(value: float, steps: int, inputs: Any, lost: Any) -> Any:
        assert steps > 1000 + STREAM.volatile + STREAM.steady  # nodes, and factors of a product
        assert inputs > (64 + STREAM.volatile + STREAM.steady) * 2.0**-53
        assert lost > 0
        seen.append(value)
        return rounded(value, steps, inputs, lost)

    seen: list[float] = []
    with put(volatile_balls, rounded=counted):
        noisy_max_error(STREAM, 1.0, 64)
    assert len(seen) == 4


def test_what_is_left_out_of_the_rule_is_in_its_ball() -> None:
    exact = softmax_error(FEW, 3.0, 20)
    with put(volatile_balls, _ABOVE=2.0):
        assert softmax_error(FEW, 3.0, 20).contains(exact)


def test_the_bound_on_the_rule_is_no_smaller_than_what_a_coarse_rule_does() -> None:
    """With a step of 2 noise scales the rule is off, by less than it says."""
    wide = Volatile(best=0.3, near=0.05, gap=0.1, small=-4.7, large=4.7, steady=1, volatile=1)
    with put(volatile_balls, _STEP=2.0):
        coarse = softmax_error(wide, 1.0, 20)
    with put(volatile_balls, _STEP=0.1):
        exact = softmax_error(wide, 1.0, 20)
    assert coarse.overlaps(exact)
    assert coarse.rad() > 10 * exact.rad()
    assert abs(near(coarse) - near(exact)) > exact.rad()


def test_regrets_use_the_prefixes_that_are_named() -> None:
    with precision():
        names = ("randomised prefix", "whole block", "noisy max")
        prefix, whole, noisy = (volatile_balls.rival_errors(name, STREAM, 1.0, 5) for name in names)
        errors = [softmax_error(STREAM, 1.0, r) for r in range(1, 9)]
        assert len(prefix) == len(whole) == len(noisy) == 5
        assert near(whole[4] - errors[7]) == pytest.approx(0, abs=1e-15)
        assert near(prefix[4] - sum(errors[4:8], ball(0)) / 4) == pytest.approx(0, abs=1e-15)
        assert near(noisy[3]) == pytest.approx(error("noisy max", STREAM, 1.0, 4), rel=0.03)
    assert near(prefix[0]) == pytest.approx((199 * 1e-4 + 20 * 0.01) / 220, rel=1e-14)
    assert near(whole[0]) == pytest.approx(near(noisy[0]), rel=1e-7)
