"""Fresh draws in every round: their law, their guarantee, and their parameters."""

import math

import numpy as np
from scipy import stats

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(8), beta=2.0, lam=12.0)
FALSE_ALARM = 1e-6


def test_each_round_has_the_gibbs_law_and_rounds_are_independent():
    losses, size = LOSSES["linear"](FAMILY, 6, 1.0, rng_for(0, "every round losses")), 20_000
    learner, actions = GibbsEveryRound(FAMILY, horizon=6, rng=rng_for(0, "every round"), repetitions=size), []
    for loss in losses:
        actions.append(learner.predict())
        learner.update(loss)
    laws = np.exp(FAMILY.laws(losses))
    for t in (0, 3, 5):
        counts = np.bincount(actions[t], minlength=8)
        assert stats.chisquare(counts, size * laws[t]).pvalue > FALSE_ALARM / 4
    table = np.histogram2d(actions[4], actions[5], bins=(8, 8))[0]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM / 4


def test_it_is_p_comw_with_p_1_up_to_random_numbers():
    family, slope, size = LinearGibbs(Ball(2, 0.5), beta=1.0, lam=30.0), np.array([1.0, 0.0]), 4000
    fresh = GibbsEveryRound(family, horizon=2, rng=rng_for(0, "fresh"), repetitions=size)
    lazy = PCOMW(family, log_phi=0.1, p=1.0, budget=math.inf, rng=rng_for(0, "lazy"), repetitions=size)
    fresh.update(slope)
    lazy.update(slope)
    assert (lazy.draws == 1).all()
    assert stats.ks_2samp(fresh.predict()[:, 0], lazy.predict()[:, 0]).pvalue > FALSE_ALARM


def test_a_round_does_not_look_ahead():
    one, two = (
        GibbsEveryRound(FAMILY, horizon=5, rng=rng_for(0, "ahead"), repetitions=50, lipschitz=10.0)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.predict(), two.predict())
    one.update(10 * FAMILY.points[:, 0])
    two.update(-10 * FAMILY.points[:, 0])
    assert (one.predict() < two.predict()).any()


def test_after_the_last_loss_nothing_is_drawn():
    rng, states = rng_for(0, "last"), []
    learner = GibbsEveryRound(FAMILY, horizon=3, rng=rng, repetitions=50)
    for loss in LOSSES["linear"](FAMILY, 3, 1.0, rng_for(0, "last losses")):
        states.append(rng.bit_generator.state)
        learner.update(loss)
    assert states[0] != states[1] != states[2]
    assert states[2] == rng.bit_generator.state


def test_each_round_has_points_of_its_own_to_the_digit():
    rounds, copies, total = 200, 50, FAMILY.nothing
    rng, again = (rng_for(0, "digits of points") for _ in range(2))
    player = GibbsEveryRound(FAMILY, horizon=rounds, rng=rng, repetitions=copies)
    for loss in LOSSES["linear"](FAMILY, rounds, 1.0, rng_for(0, "test digits")):
        np.testing.assert_array_equal(player.predict(), FAMILY.law(total).sample(again, copies))
        player.update(loss)
        total = total + loss
