"""Exponential weights in log space."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.weighted_majority import (
    WeightedMajority,
    learning_rate,
    regret_bound,
    second_order_bound,
)
from private_experts.errors import InputError
from tests.each import each


def test_weights_are_the_paper_s_products() -> None:
    majority, losses = (
        WeightedMajority(3, rate=0.7, repetitions=2),
        np.array([[0.1, 0.9, 0.4], [1.0, 0.0, 0.3]]),
    )
    products = np.ones((2, 3))
    for _ in range(4):
        majority.update(losses)
        products *= np.exp(-0.7 * losses)
    majority.update(losses[0])  # of all repetitions
    products *= np.exp(-0.7 * losses[0])
    np.testing.assert_allclose(majority.weights, products / products.sum(axis=1, keepdims=True), rtol=1e-12)


def test_huge_losses_overflow_nothing() -> None:
    majority = WeightedMajority(2, rate=1.0)
    majority.update([1e12, 1e12 + 1])
    np.testing.assert_allclose(majority.weights, [[1 / (1 + math.exp(-1)), 1 / (1 + math.e)]], rtol=1e-12)


def test_the_learning_rates_make_the_bounds_least() -> None:
    experts, horizon = 16, 400
    assert second_order_bound(learning_rate(experts, horizon), experts, horizon) == pytest.approx(
        regret_bound(experts, horizon), rel=1e-12
    )
    for few in (1, 4):  # the mean square of a loss that is revealed by chance r / K has the factor r / K
        some = learning_rate(experts, horizon, few)
        assert second_order_bound(some, experts, horizon * few / experts) == pytest.approx(
            math.sqrt(few / experts) * regret_bound(experts, horizon), rel=1e-12
        )


@each(
    ("experts", "rate", "repetitions", "word"),
    [
        (0, 1.0, 1, "experts"),
        (2, -1.0, 1, "rate"),
        (2, math.inf, 1, "rate"),
        (2, 1.0, 0, "repetitions"),
    ],
)
def test_bad_input_is_named(experts: Any, rate: float, repetitions: int, word: str) -> None:
    with pytest.raises(InputError, match=word):
        WeightedMajority(experts, rate=rate, repetitions=repetitions)


@each("losses", [[0.1, 0.2, 0.3], [[0.1, 0.2]], [0.1, math.nan]])
def test_losses_that_cannot_be_are_refused_and_nothing_is_added(losses: Any) -> None:
    majority = WeightedMajority(2, rate=1.0, repetitions=3)
    with pytest.raises(InputError, match="losses"):
        majority.update(losses)
    assert (majority.total == 0).all()


@each(
    "call",
    [
        lambda: learning_rate(0, 5),
        lambda: learning_rate(2, 5, 0),
        lambda: regret_bound(2, 0),
        lambda: second_order_bound(0.0, 2, 1.0),
    ],
)
def test_bounds_say_what_is_wrong(call: Callable[[], object]) -> None:
    with pytest.raises(InputError, match="write a"):
        call()
