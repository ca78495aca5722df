"""A copy that plays alone plays as one of many: copies that draw the same play the same points."""

from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.domains import Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gibbs import Family, GridGibbs
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from tests.algorithms.cases import COPIES, EqualDraws
from tests.each import each

ROUNDS = 40
FAMILIES: dict[str, Family] = {
    "box": LinearGibbs(Box((-0.5,) * 3, (0.5,) * 3), beta=2.0, lam=4.0),
    "points": GridGibbs(np.linspace(-0.5, 0.5, 7)[:, None], beta=2.0, lam=4.0),
}
PLAYERS: dict[str, Callable[[Family, int], GibbsEveryRound | PCOMW]] = {
    "every round": lambda family, copies: GibbsEveryRound(
        family, horizon=ROUNDS, rng=EqualDraws(0, "alone"), repetitions=copies, lipschitz=9.0
    ),
    "P-COMW": lambda family, copies: PCOMW(
        family, log_phi=0.5, p=0.3, budget=20, rng=EqualDraws(0, "alone"), repetitions=copies
    ),
}


@each("player", PLAYERS)
@each("family", FAMILIES)
def test_a_copy_that_plays_alone_plays_as_one_of_many(player: str, family: str) -> None:
    losses = rng_for(0, "alone", family).uniform(-0.3, 0.3, (ROUNDS, FAMILIES[family].nothing.size))

    def played(copies: int) -> Array:
        learner, points = PLAYERS[player](FAMILIES[family], copies), []
        for loss in losses:
            points.append(learner.predict())
            learner.update(loss)
        return np.array(points)

    alone, many = played(1), played(COPIES)
    assert len(np.unique(alone)) > 3
    np.testing.assert_array_equal(many, np.broadcast_to(alone, many.shape))
