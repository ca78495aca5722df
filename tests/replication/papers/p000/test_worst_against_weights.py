"""The worst two learners for exponential weights: a grid's program is between the bounds."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from private_experts.replication.balls.balls import lower, precision, upper
from private_experts.replication.papers.p000 import worst_against_weights as worst
from tests.algorithms.independence import steepness
from tests.each import each
from tests.replication.papers.p000.test_worst_pair import CHOICES, SMALLER, backwards


def proved(rate: float, eta: float, rounds: int, per_unit: int, charged: float = 1.0) -> tuple[float, float]:
    """Return the two ends of the ball."""
    with precision():
        found = worst.worst_against_weights(rate, eta, rounds, per_unit, charged)
        return lower(found), upper(found)


def law(rate: float, eta: float, difference: Any, charged: float = 1.0) -> tuple[Any, Any]:
    """Return the chance of the second learner, and what is charged where they name different experts."""
    second = expit(-rate * difference)
    return second, charged * rate * steepness(rate, eta) * 2 * second * (1 - second)


def program(
    rate: float, eta: float, rounds: int, per_unit: int, choices: Any = CHOICES, charged: float = 1.0
) -> float:
    """Return the value at 0, for noise on the grid alone."""
    return backwards(lambda d: [law(rate, eta, d, charged)] * rounds, eta, per_unit, choices)[0]


@each(("rate", "eta"), [(0.1, 0.5), (0.3, 0.0), (0.3, 1.0), (0.5, 0.25)])
def test_it_is_that_of_a_finer_grid_also_with_smaller_differences(rate: float, eta: float) -> None:
    low, high = proved(rate, eta, 30, 16)
    value, more = (program(rate, eta, 30, 32, choices) for choices in (CHOICES, SMALLER))
    assert low < value + 1e-9
    assert value <= more < high < 1.01 * more
    coarse = proved(rate, eta, 30, 4)
    assert coarse[0] <= value + 1e-9
    assert high < coarse[1]


def test_without_noise_it_is_the_best_of_all_sequences() -> None:
    rate, best = 0.5, -np.inf
    for gains in itertools.product((-1, 0, 1), repeat=5):
        second, cost = law(rate, 0.0, np.concatenate([[0], np.cumsum(gains)[:-1]]))
        best = max(best, float((np.array(gains) * second - np.abs(gains) * cost).sum()))
    low, high = proved(rate, 0.0, 5, 16)
    assert low == pytest.approx(best, abs=1e-9)
    assert best <= high < best + 1e-3


def test_the_bends_are_what_cells_of_both_tables_need() -> None:
    h = 1 / 64
    x = np.arange(-6, 6, h)

    def bend(function: Any) -> float:
        return float(np.abs(function(x + h / 2) - (function(x) + function(x + h)) / 2).max() / h**2)

    assert bend(lambda y: expit(-y)) < worst._BEND < 1.01 * bend(lambda y: expit(-y))
    tails = bend(lambda y: 2 * expit(y) * expit(-y))
    assert tails < 1.01 / 32 < 1.02 * tails


def test_where_the_bends_are_left_out_smaller_differences_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is charged and the rate is large, they pay."""
    more = program(2.5, 0.0, 12, 16, SMALLER, 0.0)
    assert more > 1.02 * program(2.5, 0.0, 12, 16, CHOICES, 0.0)
    assert proved(2.5, 0.0, 12, 1, 0.0)[1] > more
    monkeypatch.setattr(worst, "_BEND", 0.0)
    assert proved(2.5, 0.0, 12, 1, 0.0)[1] < more
