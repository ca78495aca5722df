"""Bounds counted from actions and reports: by hand, and against the lemma in ball arithmetic."""

import math

import numpy as np
import pytest

from private_experts.replication.balls.balls import near, precision
from private_experts.replication.papers.p000.hedge_counts import Counted, formula_at
from private_experts.replication.papers.p000.hedge_meta_regret import _cost


@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.0, 0.25), (0.0, 1.0), (0.0, 0.0)])
@pytest.mark.parametrize("rate", ["adaptive", "textbook"])
def test_two_rounds_are_those_by_hand(rate: str, scales: tuple[float, float]) -> None:
    eta, horizon, entropy = max(scales), 50, math.log(3)
    counted = Counted(rate, 3, scales, horizon, 1)
    first = 1 / (1 + eta) if rate == "adaptive" else math.sqrt(8 * entropy / (horizon * (1 + 4 * eta**2)))
    assert counted.bound == pytest.approx(entropy / first)
    with precision():
        cost = float(near(_cost(first, 1 / 3, scales)))
        counted.round(np.array([[0], [0], [1]]), np.array([[0.5, 2.0]]))
        r = entropy / (entropy / first + cost) if rate == "adaptive" else first
        q = 1 / (1 + 2 * math.exp(-1.5 * r))
        cost += float(near(_cost(r, q, scales)))
    counted.round(np.array([[0], [0], [1]]), np.array([[0.0, 0.0]]))
    counted.round(np.array([[1], [1], [1]]), np.array([[0.0, 0.0]]))  # all agree
    assert counted.disagreement == pytest.approx(4 / 9 + 2 * q * (1 - q))
    assert counted.bound == pytest.approx(entropy / first + (2 if rate == "adaptive" else 1) * cost)


def test_the_formula_is_that_of_the_theorem_by_hand() -> None:
    r = math.sqrt(8 * math.log(2) / 250)
    assert formula_at("textbook", 2, 1.0, 50, 3.0) == pytest.approx(
        math.log(2) / r + 3 * (math.exp(r + r**2) - 1 - r) / (2 * r)
    )
    root = math.sqrt(2 * (math.exp(0.75) - 1.5) / 0.5 * 3 * math.log(2))
    assert formula_at("adaptive", 2, 1.0, 50, 3.0) == pytest.approx(2 * math.log(2) + 0.625 + 2 * root)
