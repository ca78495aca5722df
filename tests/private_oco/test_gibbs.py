"""Gibbs measures on grids, against direct sums, and sampling from them."""

import numpy as np
import pytest

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for


def test_masses_are_the_normalised_exponentials():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, -2.0]])
    losses = np.array([0.3, -0.2, 1.0])
    weights = np.exp(-2.0 * (losses + 0.5 * 0.7 * np.array([0.0, 1.0, 4.25])))
    np.testing.assert_allclose(
        np.exp(GridGibbs(points, beta=2.0, lam=0.7).log_masses(losses)), weights / weights.sum()
    )


def test_they_keep_their_digits_where_exponentials_overflow():
    family = GridGibbs(Box((-1.0,), (1.0,)).grid(5), beta=1e5, lam=1.0)
    logs = family.log_masses(np.array([0.0, 10.0, -3.0, 7.0, 1.0]))
    assert np.isfinite(logs).all()
    assert logs.max() == pytest.approx(0.0, abs=1e-12)
    assert logs[0] - logs[1] == pytest.approx(-1e5 * (-10.0 + 0.5 * (0.64 - 0.16)))


def test_mu_t_knows_the_losses_before_round_t_and_no_other():
    family = GridGibbs(Ball(2, 1.0).grid(8), beta=3.0, lam=2.0)
    losses = LOSSES["hinges"](family, 6, 1.0, rng_for(0, "test laws"))
    laws = family.laws(losses)
    for t in range(6):
        np.testing.assert_allclose(laws[t], family.log_masses(losses[:t].sum(axis=0)))
    np.testing.assert_allclose(family.laws(np.stack([losses, losses[::-1]]))[1], family.laws(losses[::-1]))


def test_samples_have_the_law():
    family = GridGibbs(Box((-1.0,), (1.0,)).grid(100), beta=2.0, lam=3.0)
    law = family.law(family.points[:, 0])
    rng, again = (rng_for(0, "test samples") for _ in range(2))
    drawn, uniforms = law.sample(rng, 20_000), again.random(20_000)
    upto = np.exp(law.log_masses).cumsum()
    np.testing.assert_array_equal(drawn, np.searchsorted(upto, upto[-1] * uniforms, side="right"))
    np.testing.assert_array_equal(law.log_density(drawn), law.log_masses[drawn])
