"""The chain of (draws, point), against its definition and against what must be so."""

import itertools
import math

import numpy as np
import pytest

from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.papers.p001.chains import (
    budgeted_laws,
    closeness,
    joint_laws,
    keep_probabilities,
    marginals,
)
from tests.each import each

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(3), beta=4.0, lam=6.0)
LOSS = LOSSES["linear"](FAMILY, 5, 1.0, rng_for(0, "test chains"))
LAWS = FAMILY.laws(LOSS)


@each("budget", [math.inf, 2, 1.5, 0])
@each(("log_phi", "p"), [(0.2, 0.1), (3.0, 0.0)])
def test_it_is_the_sum_over_all_ways_to_play(log_phi, p, budget):
    horizon, m = LAWS.shape
    expected = np.zeros((horizon, m))
    draws = np.zeros(horizon)
    for points in itertools.product(range(m), repeat=horizon):
        for anew in itertools.product((False, True), repeat=horizon - 1):
            chance, used = math.exp(LAWS[0, points[0]]), 0
            for t, drawn in enumerate(anew):
                ratio = math.exp(LAWS[t + 1, points[t]] - LAWS[t, points[t]] - log_phi)
                keep = (1 - p) * min(max(ratio, math.exp(-2 * log_phi)), 1.0) if used < budget else 1.0
                same = points[t + 1] == points[t]
                chance *= (1 - keep) * math.exp(LAWS[t + 1, points[t + 1]]) if drawn else keep * same
                used += drawn
            for t in range(horizon):
                expected[t, points[t]] += chance
            draws[used] += chance
    law = joint_laws(LAWS, log_phi, p, budget)
    np.testing.assert_allclose(law.sum(axis=1), expected, atol=1e-14)
    np.testing.assert_array_equal(budgeted_laws(LAWS, log_phi, p, budget), law.sum(axis=1))
    np.testing.assert_allclose(law[-1].sum(axis=1), draws[: law.shape[1]], atol=1e-14)


def test_without_a_budget_counting_does_not_matter():
    law, anew = marginals(LAWS, 0.2, 0.1)
    counted = joint_laws(LAWS, 0.2, 0.1)
    np.testing.assert_allclose(law, counted.sum(axis=1), atol=1e-15)
    assert anew.sum() == pytest.approx(counted[-1].sum(axis=1) @ np.arange(5))


def test_closeness_is_the_worst_mass_beyond_phi_of_either_neighbour():
    laws = np.log([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]])
    assert closeness(laws, 1.0) == pytest.approx(0.5)
    assert closeness(laws, 1.5) == 0.0
    assert closeness(np.log([[0.9, 0.1], [0.1, 0.9], [0.1, 0.9]]), 2.0) == pytest.approx(1.0)
    assert closeness(np.log([[0.99, 0.01], [0.9, 0.1]]), 2.0) == pytest.approx(0.1)


def test_keep_probabilities_are_clipped_on_both_sides():
    keep = keep_probabilities(np.log([[0.98, 0.01, 0.01], [0.01, 0.01, 0.98]]), 0.5, 0.2)
    np.testing.assert_allclose(keep, [[0.8 * math.exp(-1.0), 0.8 * math.exp(-0.5), 0.8]])


def outside_of_good_points(log_phi, horizon=20):
    """Return the laws of a play, and the points outside E_t: where its or a neighbour's ratio exceeds Phi."""
    family = GridGibbs(Box((-0.5,), (0.5,)).grid(100), **gibbs_parameters(horizon, 1, 1.0)._asdict())
    losses = np.tile(family.points[:, 0], (2, horizon, 1))
    losses[1, horizon // 2] *= -1
    laws = family.laws(losses)
    return laws[0], (np.abs(np.diff(laws, axis=1)) > log_phi).any(axis=0)


def test_a_point_is_seldom_outside_the_good_ones_over_all_histories():
    """Paper 001, Claim D.2: mu_t's mass outside, and the drift. [mathematics/001.md#e001-4]"""
    laws, outside = outside_of_good_points(3.5)
    ideal = (np.exp(laws[:-1]) * outside).sum(axis=1)
    drift = (1 - 0.4) * closeness(laws, 3.5) * np.exp(-3.5) * np.arange(len(ideal))
    found = (marginals(laws, 3.5, 0.4)[0][:-1] * outside).sum(axis=1)
    assert (found <= ideal + drift + 1e-15).all()
    assert (found > ideal + 1e-8).any()  # not without the drift


def test_given_a_history_a_point_may_be_outside_for_sure():
    """Round t - 1 draws nothing with a positive chance, and leaves a point that is outside E_t."""
    laws, outside = outside_of_good_points(3.5)
    still = np.exp(laws[0]) * np.cumprod(keep_probabilities(laws, 3.5, 0.4), axis=0)
    assert ((still[:-1] > 0) & outside[1:]).any()
