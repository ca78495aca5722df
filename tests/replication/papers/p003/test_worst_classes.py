"""Costs and levels of many classes at once are those of fractions and balls, one class after the other."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip
from private_experts.replication.balls.balls import ball, largest, precision
from private_experts.replication.balls.elementary import logs
from private_experts.replication.papers.p003 import worst_classes
from private_experts.replication.papers.p003.clipping_costs import random_classes
from private_experts.replication.papers.p003.exact_classes import cost, level

CLASSES = random_classes(2, 4, 6, 1)
WEIGHTS = np.random.default_rng(1).dirichlet(np.ones(2), size=6)


def exact(rows: Any) -> list[list[Fraction]]:
    return [[Fraction(mass) for mass in row] for row in rows.tolist()]


def right_cost() -> Any:
    return largest(
        cost(exact(f), [Fraction(weight) for weight in weights], 100)
        for f, weights in zip(CLASSES, WEIGHTS.tolist(), strict=True)
    )


def test_the_worst_cost_is_that_of_fractions_and_narrow() -> None:
    with precision():
        found = worst_classes.worst_cost(CLASSES, WEIGHTS, clip(CLASSES, 100))
        assert found.contains(right_cost())
        assert found.rad() < 1e-12


def test_the_worst_level_is_that_of_fractions_and_narrow() -> None:
    with precision():
        found = worst_classes.worst_level(clip(CLASSES, 100), 5.7)
        assert found.contains(largest(level(exact(f), 100, ball(5.7)) for f in CLASSES))
        assert found.rad() < 1e-12


@pytest.mark.parametrize("more", [1e-10, -1e-10])
def test_a_logarithm_a_bit_off_is_noticed(more: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Balls that did not follow what is computed would still contain the right number."""
    monkeypatch.setattr(worst_classes, "logs", lambda x: ((1 + more) * logs(x)[0], logs(x)[1]))
    with precision():
        assert not worst_classes.worst_cost(CLASSES, WEIGHTS, clip(CLASSES, 100)).contains(right_cost())


def test_a_level_with_a_bit_less_noise_is_noticed() -> None:
    with precision():
        right = largest(level(exact(f), 100, ball(5.7)) for f in CLASSES)
        assert not worst_classes.worst_level(clip(CLASSES, 100), 5.7 * (1 - 1e-10)).contains(right)
