"""Boxes and balls: what lies inside, what is nearest, how far a line runs inside."""

import numpy as np
import pytest

from private_experts.private_oco.domains import Ball, Box
from private_experts.randomness import rng_for

DOMAINS = {
    "interval": Box((-1.0,), (3.0,)),
    "rectangle": Box((-0.5, 0.0), (0.25, 2.0)),
    "disc": Ball(2, 1.5),
    "ball": Ball(5, 0.5),
}
everywhere = pytest.mark.parametrize("name", DOMAINS)


def inside(domain, points, slack=1e-12):
    if isinstance(domain, Ball):
        return np.linalg.norm(points, axis=-1) <= domain.radius + slack
    return ((points >= np.array(domain.low) - slack) & (points <= np.array(domain.high) + slack)).all(axis=-1)


@everywhere
def test_a_projection_is_inside_leaves_what_is_inside_and_moves_the_rest_the_shortest_way(name):
    domain, rng = DOMAINS[name], rng_for(0, "test domains", name)
    points = 3 * rng.standard_normal((200, domain.dimension))
    nearest = domain.project(points)
    assert inside(domain, nearest).all()
    np.testing.assert_allclose(domain.project(nearest), nearest, atol=1e-15)
    others = domain.project(3 * rng.standard_normal((200, domain.dimension)))
    # y is the projection of x when (x - y)(z - y) <= 0 for every z inside
    assert (
        (points - nearest) @ others.T - ((points - nearest) * nearest).sum(axis=1)[:, None] <= 1e-12
    ).all()


@everywhere
def test_the_diameter_is_the_largest_distance(name):
    domain = DOMAINS[name]
    points = domain.project(9 * rng_for(0, "test diameters").standard_normal((400, domain.dimension)))
    farthest = np.linalg.norm(points[:, None] - points, axis=-1).max()
    assert 0.8 * domain.diameter < farthest <= domain.diameter * (1 + 1e-12)


def test_a_grid_has_cells_of_equal_volume_that_fill_the_set():
    assert len(DOMAINS["rectangle"].grid(7)) == 49
    grid = DOMAINS["disc"].grid(200)
    assert inside(DOMAINS["disc"], grid).all()
    assert len(grid) * (3.0 / 200) ** 2 == pytest.approx(np.pi * 1.5**2, rel=1e-3)
    np.testing.assert_allclose(DOMAINS["interval"].grid(4)[:, 0], [-0.5, 0.5, 1.5, 2.5])
