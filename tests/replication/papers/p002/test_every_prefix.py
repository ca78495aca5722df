"""Errors after every number of rounds are those of single prefixes, and what is left out is in their balls."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import near, precision
from private_experts.replication.balls.elementary import EXP_STEPS
from private_experts.replication.balls.sums import rounded
from private_experts.replication.papers.p002 import every_prefix, volatile_balls
from tests.each import each
from tests.replication.papers.p002.streams import split

GAPS = {0.01: 200, 0.16: 300}


@pytest.fixture(autouse=True)
def in_balls() -> Any:
    """Let tests compare balls with the precision that checks have."""
    with precision():
        yield


@each(
    ("rate", "spread", "steady", "volatile", "gaps"),
    [
        (0.5, 0.48, 199, 20, GAPS),
        (0.15, 0.06, 9999, 30, {0.04: 130}),
        (2.0, 0.45, 1, 1, {0.1: 20}),
        (2.0, 0.06, 1, 3, {0.32: 300}),  # from the 155th round on G is 0 at all nodes
    ],
)
def test_errors_are_those_of_single_prefixes(
    rate: float, spread: float, steady: int, volatile: int, gaps: dict[float, int]
) -> None:
    found = every_prefix.every_softmax_error(rate, spread, steady, volatile, gaps)
    assert [len(each.values) for each in found.values()] == [*gaps.values()]
    for gap, longest in gaps.items():
        stream = split(gap, spread, steady, volatile)
        for r in (1, 2, 3, min(128, longest), min(129, longest), longest):
            error, expected = found[gap].mean(r, r), volatile_balls.softmax_error(stream, 2 * rate, r)
            assert error.overlaps(expected)
            assert error.rad() < 1e-9 * expected


def test_two_rounds_of_few_actions_are_those_of_all_coins() -> None:
    rate, gap, spread = 2.0, 0.1, 0.4
    expected = 0.0
    for heads in product((-2, 0, 0, 2), repeat=2):
        weights = np.exp(rate * np.array([2 * gap, *[2 * 0.99 * gap] * 3, *(each * spread for each in heads)]))
        expected += weights @ [0.0, *[gap / 100] * 3, gap, gap] / weights.sum() / 16
    found = every_prefix.every_softmax_error(rate, spread, 3, 2, {gap: 2})[gap].mean(2, 2)
    assert near(found) == pytest.approx(expected, rel=1e-11)
    assert abs(found - expected) < 1e-10


def test_means_are_over_the_prefixes_that_are_named() -> None:
    errors = every_prefix.Errors(np.array([1.0, 2.0, 4.0]), 5, 0, 0)
    assert near(errors.mean(2, 3)) == 3.0
    with pytest.raises(ValueError, match="of 3"):
        errors.mean(2, 4)


def test_all_roundings_and_all_that_is_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the documents say, written out once more to the first order, for 200 rounds of 20 volatile actions."""
    n, rounds, gap, step = 20, 200, 0.01, 0.24  # that of the walk, and of the rule
    reach = 9 * step * math.sqrt(rounds)
    most = math.ceil((reach + 40) / step) * step
    exponent = 4 * (most + 2 * 40 + rounds * 0.5 * gap / 100)
    of_e = EXP_STEPS + 1 + exponent
    of_weights = 2 * of_e + 4
    of_table = EXP_STEPS + 50 * of_e + of_e + rounds + 2
    of_others = EXP_STEPS + 50 * (of_e + of_weights + 1)
    inputs = (n * of_table + of_others + of_weights) * 2.0**-53

    whole, rare, right = 1 + 3 * step / 8, math.exp(-40.5), math.exp(step - 40)
    left, cut = math.exp(step + 4 - math.exp(4 - step)), 100 * math.exp(-49.95)
    table = 2 * rare + right + left + cut
    beyond = whole * (2 * rare + cut + right) + right + left
    lost = gap * n * (table * (exponent / 2 + step + whole * (n - 1)) + beyond)

    def counted(value: float, steps: int, given: Any, missing: Any) -> Any:
        assert steps > (reach + 44 + reach) / step + n + 10  # nodes, factors, prefixes
        assert 0.9999 < near(given) / inputs < 1.01
        assert 0.9999 < near(missing) / lost < 1.01
        return rounded(value, steps, given, missing)

    monkeypatch.setattr(every_prefix, "rounded", counted)
    every_prefix.every_softmax_error(0.5, 0.48, 199, n, {gap: rounds})[gap].mean(1, 10)


@each(
    ("name", "value"),
    [("_ABOVE", 2.0), ("_BELOW", 0.5), ("_DEVIATIONS", 2.0), ("_CUT", 4.0), ("_STEP", 1.5)],
)
def test_what_is_left_out_is_in_the_ball(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (2.0, 2.0, 3, 2, {0.5: 40})
    exact = every_prefix.every_softmax_error(*arguments)[0.5]
    with monkeypatch.context() as patched:
        patched.setattr(every_prefix, name, value)
        coarse = every_prefix.every_softmax_error(*arguments)[0.5]
    apart = 0.0
    for r in (1, 5, 40):
        one, two = exact.mean(r, r), coarse.mean(r, r)
        assert one.overlaps(two)
        assert two.rad() > 10 * one.rad()
        apart = max(apart, abs(near(one) - near(two)))
    assert apart > 1e-9  # the bound is needed


def test_growth_is_the_logarithm_of_a_mean() -> None:
    assert near(every_prefix.growth(0.5, 0.1, 0.3)) == pytest.approx(math.log(math.cosh(0.15)) - 0.05, rel=1e-14)


def test_an_action_that_is_drawn_without_data_has_the_mean_gap() -> None:
    assert near(every_prefix.error_before(0.2, 3, 2)) == pytest.approx((3 * 0.002 + 2 * 0.2) / 6, rel=1e-14)
