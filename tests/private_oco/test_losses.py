"""Every family of losses is convex and G-Lipschitz; the adversary punishes the side of the mean."""

import numpy as np

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES, random_slopes
from private_experts.randomness import rng_for
from tests.each import each

LINE = GridGibbs(Box((-0.5,), (1.0,)).grid(40), beta=2.0, lam=6.0)
DISC = GridGibbs(Ball(2, 0.5).grid(9), beta=2.0, lam=6.0)


@each("name", LOSSES)
@each("family", [LINE, DISC])
def test_losses_are_lipschitz_and_some_are_as_steep_as_may_be(name, family):
    losses = LOSSES[name](family, 30, 2.0, rng_for(0, "test losses", name))
    assert losses.shape == (30, len(family.points))
    apart = np.linalg.norm(family.points[:, None] - family.points, axis=-1) + np.eye(len(family.points))
    slopes = np.abs(losses[:, :, None] - losses[:, None, :]) / apart
    assert slopes.max() <= 2.0 * (1 + 1e-9)
    assert slopes.max() > 1.2


@each("name", LOSSES)
def test_losses_are_convex_along_the_line(name):
    losses = LOSSES[name](LINE, 30, 2.0, rng_for(0, "test losses", name))
    assert np.diff(losses, n=2, axis=1).min() >= -1e-9


def test_slopes_have_the_given_length():
    slopes = random_slopes(50, 4, 3.0, rng_for(0, "test slopes"))
    np.testing.assert_allclose(np.linalg.norm(slopes, axis=1), 3.0)
    assert (np.abs(slopes.mean(axis=0)) < 1.5).all()


@each("family", [LINE, DISC])
def test_the_adversary_makes_the_mean_of_each_law_lose(family):
    losses = LOSSES["against-the-mean"](family, 20, 1.0, rng_for(0, "unused"))
    laws = np.exp(family.laws(losses))
    means = laws @ family.points
    np.testing.assert_allclose((laws * losses).sum(axis=1), np.linalg.norm(means, axis=1), atol=1e-10)
