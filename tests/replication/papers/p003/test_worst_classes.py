"""Costs and levels of many classes at once are those of fractions and balls, one class after the other."""

from fractions import Fraction

import numpy as np

from private_experts.distribution_learning.clipping import clip
from private_experts.replication.balls.balls import ball, largest, precision
from private_experts.replication.papers.p003 import worst_classes
from private_experts.replication.papers.p003.clipping_costs import random_classes
from private_experts.replication.papers.p003.exact_classes import cost, level
from tests.replication.papers.small_checks import wrong

CLASSES = random_classes(2, 4, 6, 1)
WEIGHTS = np.random.default_rng(1).dirichlet(np.ones(2), size=6)
EXACT = [[[Fraction(mass) for mass in row] for row in f] for f in CLASSES.tolist()]


def test_the_worst_cost_is_that_of_fractions_and_narrow() -> None:
    """Balls that did not follow what is computed would still contain the right number."""
    with precision():
        right = largest(
            cost(f, [Fraction(weight) for weight in weights], 100)
            for f, weights in zip(EXACT, WEIGHTS.tolist(), strict=True)
        )
        found = worst_classes.worst_cost(CLASSES, WEIGHTS, clip(CLASSES, 100))
        assert found.contains(right)
        assert found.rad() < 1e-12
        for more in (1e-10, -1e-10):

            def off(logs, x, more=more):
                return (1 + more) * logs(x)[0], logs(x)[1]

            with wrong(worst_classes, "logs", off):
                assert not worst_classes.worst_cost(CLASSES, WEIGHTS, clip(CLASSES, 100)).contains(right)


def test_the_worst_level_is_that_of_fractions_and_narrow() -> None:
    with precision():
        right = largest(level(f, 100, ball(5.7)) for f in EXACT)
        found = worst_classes.worst_level(clip(CLASSES, 100), 5.7)
        assert found.contains(right)
        assert found.rad() < 1e-12
        # with a bit less noise
        assert not worst_classes.worst_level(clip(CLASSES, 100), 5.7 * (1 - 1e-10)).contains(right)
