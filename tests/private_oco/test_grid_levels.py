"""On a grid the stated Gaussian level covers the exact laws of all paths, however coarse the grid."""

import itertools
import math

import numpy as np
import pytest

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian_levels import grid_steps, lottery_level, play_level
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.paths import path_laws
from tests.each import each
from tests.laws import gaussian_level

NO_LIMIT = math.inf


def worst_level(family, horizon, log_phi, p, budget):
    """The largest level between exact laws of all paths when one of the losses x, -x replaces the other."""
    slope, worst = family.points[:, 0], 0.0
    for signs in itertools.product([-1.0, 1.0], repeat=horizon - 1):
        losses = np.outer([*signs, 0.0], slope)
        for t in range(horizon - 1):
            changed = losses.copy()
            changed[t] *= -1
            one, other = path_laws(family.laws(np.stack([losses, changed])), log_phi, p, budget)[0]
            worst = max(worst, gaussian_level(one, other))
    return worst


def test_two_points_far_apart_for_the_measure():
    """The convex level would be 0.02: a strong regulariser that is the same at both points."""
    family = GridGibbs(np.array([[-0.25], [0.25]]), beta=1.0, lam=1e4)
    fresh = GibbsEveryRound(family, horizon=2, rng=rng_for(0, "fresh"))
    laws = np.exp([family.log_masses(sign * family.points[:, 0]) for sign in (-1.0, 1.0)])
    needed = gaussian_level(laws[1], laws[0])
    assert needed == pytest.approx(0.6239, abs=1e-4)
    assert play_level(0.01, 2, 0.1, 1.0, NO_LIMIT) < 0.03
    assert fresh.guarantee.mu == pytest.approx(needed)  # no smaller level would do
    lazy = PCOMW(family, log_phi=0.1, p=1.0, budget=NO_LIMIT, rng=rng_for(0, "lazy"), horizon=2)
    assert lazy.guarantee == fresh.guarantee


@each("points", [np.array([[-0.25], [0.25]]), np.array([[-0.5], [0.1], [0.4]])])
@each(("beta", "lam"), [(1.0, 30.0), (1.0, 0.1), (5.0, 1.0)])
@each(
    ("log_phi", "p", "budget"),
    [(0.1, 0.2, NO_LIMIT), (0.1, 0.2, 1), (3.0, 0.2, NO_LIMIT), (3.0, 0.9, 2), (0.0, 1.0, NO_LIMIT)],
)
def test_the_stated_level_covers_the_exact_laws_of_all_paths(points, beta, lam, log_phi, p, budget):
    family = GridGibbs(points, beta=beta, lam=lam)
    player = PCOMW(family, log_phi=log_phi, p=p, budget=budget, rng=rng_for(0, "paths"), horizon=4)
    needed = worst_level(family, 4, log_phi, p, budget)
    assert 0.1 * player.guarantee.mu < needed <= player.guarantee.mu


@each("reach", [0.1, 1.0, 4.0])
def test_a_later_lottery_moves_no_further_than_stated(reach):
    points = np.array([[-0.5], [0.5]])
    family, far = GridGibbs(points, beta=reach, lam=1.0), 0.0
    slope = points[:, 0]
    for before in np.linspace(-20, 20, 201):  # a shift of the losses' sum, by many earlier rounds
        logs = [
            np.log(keep_probabilities(family.log_masses(np.outer([total, total + 1], slope)), 50.0, 0.1))
            for total in (before - 1, before + 1)
        ]
        far = max(far, float(np.abs(logs[0] - logs[1]).max()))
    assert 0.5 * grid_steps(reach).later < far <= grid_steps(reach).later


def test_the_level_is_the_sum_of_the_steps_squares():
    steps = grid_steps(0.5)
    first, later = lottery_level(0.3, 0.4), lottery_level(0.3, steps.later)
    assert steps.level(12, 0.2, 0.3, 5) ** 2 == pytest.approx(first**2 + 10 * later**2 + 5 * steps.draw**2)
    assert steps.level(12, 9.0, 0.3, 0) ** 2 == pytest.approx(lottery_level(0.3, 1.0) ** 2 + 10 * later**2)


@each(
    ("points", "diameter"),
    [(Box((-1.0, 0.0), (0.5, 2.0)).grid(6), 2.5 * 5 / 6), (Ball(3, 0.5).grid(5), None)],
)
def test_the_reach_is_that_of_the_diameter(points, diameter):
    if diameter is None:
        diameter = np.linalg.norm(points[:, None] - points, axis=-1).max()
    family = GridGibbs(points, beta=2.0, lam=1.0)
    assert tuple(family.steps(3.0)) == pytest.approx(tuple(grid_steps(6.0 * diameter)))


def test_a_single_point_tells_nothing_and_a_play_without_lottery_or_end_has_no_guarantee():
    single = GridGibbs(np.zeros((1, 1)), beta=1.0, lam=1.0)
    assert GibbsEveryRound(single, horizon=9, rng=rng_for(0, "single")).guarantee.mu == 0.0
    always = PCOMW(single, log_phi=0.1, p=1.0, budget=NO_LIMIT, rng=rng_for(0, "single"))
    assert always.guarantee.mu == 0.0
    two = GridGibbs(np.array([[0.0], [1.0]]), beta=1.0, lam=1.0)
    for p, horizon in ((0.0, 9), (0.5, NO_LIMIT), (1.0, NO_LIMIT)):
        player = PCOMW(two, log_phi=0.1, p=p, budget=NO_LIMIT, rng=rng_for(0, "two"), horizon=horizon)
        assert player.guarantee.mu == NO_LIMIT
