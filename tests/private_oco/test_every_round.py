"""Fresh draws in every round: their law, their guarantee, and their parameters."""

import numpy as np

from private_experts.private_oco.domains import Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(8), beta=2.0, lam=12.0)


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
