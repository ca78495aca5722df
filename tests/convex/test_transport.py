"""The largest shift of a quantile, on laws whose quantiles are known."""

import numpy as np
import pytest
from scipy.special import log_softmax

from private_experts.convex.transport import largest_shift

EDGES = np.linspace(0.0, 1.0, 1001)


def test_the_same_law_does_not_move_and_a_moved_one_moves_as_far():
    masses, moved = (log_softmax(-0.5 * ((EDGES[1:] - centre) / 0.05) ** 2) for centre in (0.4, 0.55))
    assert largest_shift(masses, masses, EDGES) == 0.0
    assert largest_shift(masses, moved, EDGES) == pytest.approx(0.15, abs=2e-3)
    assert largest_shift(moved, masses, EDGES) == pytest.approx(0.15, abs=2e-3)


def test_uniform_against_a_power_law():
    uniform, square = np.full(1000, np.log(1e-3)), np.log(np.diff(EDGES**2))
    assert largest_shift(uniform, square, EDGES) == pytest.approx(0.25, abs=2e-3)  # max of sqrt(q) - q


def test_far_tails_count():
    steep, flat = log_softmax(-2000.0 * EDGES[1:]), log_softmax(-1000.0 * EDGES[1:])
    assert largest_shift(steep, flat, EDGES) > 0.4  # the quantile at e^-1000, where doubles see nothing
