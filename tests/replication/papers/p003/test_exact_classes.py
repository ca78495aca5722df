"""Classes in fractions are distributions, near to those in floating point, and are clipped alike."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p003.exact_classes import (
    EXACT,
    INSTANCES,
    apart,
    clipped,
    cost,
    level,
)
from private_experts.replication.papers.p003.privacy_level import exact_levels


def test_fractions_are_distributions_whose_floats_the_library_has() -> None:
    for name, f in EXACT.items():
        assert {sum(row) for row in f} == {1}
        np.testing.assert_allclose(np.array(f, dtype=np.float64), INSTANCES[name], rtol=1e-13)


def test_fractions_are_clipped_as_the_library_does() -> None:
    for name, f in EXACT.items():
        sizes, values = clipped(f, 10)
        found = clip(INSTANCES[name], 10)
        assert sizes == found.sizes.tolist()
        np.testing.assert_allclose(np.array(values, dtype=np.float64), found.values, rtol=1e-13)
        for row in values:
            assert sum(size * mass for size, mass in zip(sizes, row, strict=True)) == 1


def test_the_level_and_the_cost_are_those_of_the_library() -> None:
    with precision():
        level_of = near(level(EXACT["three eighths"], 50, ball(4)))
        paid = near(cost(apart(5), [1, 2], 20))  # weights that need not have the sum 1
    assert level_of == pytest.approx(exact_levels(INSTANCES["three eighths"], 50, 4.0).max(), rel=1e-12)
    found = clip(np.array(apart(5), dtype=np.float64), 20)
    mixture = (found.values[0] + 2 * found.values[1]) * found.sizes
    first = -math.log(mixture[0])
    assert paid == pytest.approx(first - kl(found.values[0] * found.sizes, mixture), rel=1e-12)
