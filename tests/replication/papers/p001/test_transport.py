"""The largest shift of a quantile, on laws whose quantiles are known."""

import numpy as np
import pytest
from scipy.special import log_softmax

from private_experts.replication.papers.p001.transport import largest_shift, least_radius

EDGES = np.linspace(0.0, 1.0, 1001)


def test_the_same_law_does_not_move_and_a_moved_one_moves_as_far():
    masses, moved = (log_softmax(-0.5 * ((EDGES[1:] - centre) / 0.05) ** 2) for centre in (0.4, 0.55))
    assert largest_shift(masses, masses, EDGES) == 0.0
    assert largest_shift(masses, moved, EDGES) == pytest.approx(0.15, abs=2e-3)
    assert largest_shift(moved, masses, EDGES) == pytest.approx(0.15, abs=2e-3)


def test_far_tails_count():
    steep, flat = log_softmax(-2000.0 * EDGES[1:]), log_softmax(-1000.0 * EDGES[1:])
    assert largest_shift(steep, flat, EDGES) > 0.4  # the quantile at e^-1000, where doubles see nothing


def test_on_a_line_both_distances_agree():
    masses, moved = (log_softmax(-0.5 * ((EDGES[5:-5:10] - centre) / 0.1) ** 2) for centre in (0.4, 0.55))
    by_flow = least_radius(np.exp(masses), np.exp(moved), EDGES[5:-5:10, None])
    assert by_flow == pytest.approx(largest_shift(masses, moved, EDGES[::10]), abs=0.02)
