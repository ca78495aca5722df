"""The largest shift of a quantile, on laws whose quantiles are known."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import log_softmax

from private_experts.replication.papers.p001.transport import largest_shift, least_radius

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


def test_the_least_radius_is_that_of_a_linear_programme():
    rng = np.random.default_rng(0)
    for _ in range(5):
        points, (one, two) = rng.random((7, 2)), rng.dirichlet(np.ones(7), 2)
        apart = np.linalg.norm(points[:, None] - points, axis=-1)
        marginals = np.concatenate([np.kron(np.eye(7), np.ones(7)), np.kron(np.ones(7), np.eye(7))])

        def couples(radius):  # whether a coupling has no pair further apart
            near = apart.ravel() <= radius + 1e-9  # noqa: B023
            bounds = [(0, None if within else 0) for within in near]
            sums = np.concatenate([one, two])  # noqa: B023
            return linprog(np.zeros(49), A_eq=marginals, b_eq=sums, bounds=bounds).success  # noqa: B023

        found = least_radius(one, two, points)
        assert couples(found)
        assert not couples(found - 1e-6)


def test_on_a_line_both_distances_agree():
    masses, moved = (log_softmax(-0.5 * ((EDGES[5:-5:10] - centre) / 0.1) ** 2) for centre in (0.4, 0.55))
    by_flow = least_radius(np.exp(masses), np.exp(moved), EDGES[5:-5:10, None])
    assert by_flow == pytest.approx(largest_shift(masses, moved, EDGES[::10]), abs=0.02)
