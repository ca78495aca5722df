"""All variants of RW-Meta on the same advice.

What a learner is credited with does not depend on which learner is followed. So the paper's variants differ in their
extra noise alone: credits, and the covariance of their noise, are computed once for all of them. The choices are those
of the library's algorithms with the same generators, which a test holds.
"""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_meta import RWMeta
from private_experts.games.play import play as played
from private_experts.learners.recorded import Recorded
from private_experts.randomness import rng_for
from private_experts.replication.hospital.game import Game
from private_experts.replication.hospital.players.rw_meta import VARIANTS, Advice

Array = NDArray[np.float64]


def credited(advice: Advice) -> Array:
    """Return the credit of each learner before each round, shape (T, repetitions, m)."""
    rounds = zip(advice.reports, advice.actions.swapaxes(1, 2), strict=True)
    credits = [np.take_along_axis(report.values, actions, axis=-1) for report, actions in rounds]
    result: Array = np.array([np.zeros_like(credits[0]), *credits[:-1]]).cumsum(axis=0)
    return result


def covariances(advice: Advice) -> Array:
    """Return the covariance of the noise in the credits before each round, shape (T, repetitions, m, m)."""
    actions = advice.actions.swapaxes(1, 2)
    result = np.zeros((*actions.shape, actions.shape[-1]))
    same = actions[:-1, ..., None] == actions[:-1, ..., None, :]
    np.cumsum(np.square(advice.scales[:-1])[:, None, None, None] * same, axis=0, out=result[1:])
    return result


def variants(game: Game, mu: float, advice: Advice) -> dict[str, NDArray[np.intp]]:
    """Return the actions of every variant at one privacy level, each of shape (T, repetitions).

    Parameters
    ----------
    game : Game
    mu : float
        Privacy level.
    advice : Advice
        Of all repetitions of the game, or of a single one that stands for all, as without privacy.
    """
    rounds, m, _ = advice.actions.shape
    everyone = np.broadcast_to(advice.actions, (rounds, m, game.repetitions))
    credits, sigma = credited(advice), covariances(advice)
    chosen = {}
    for name, make in VARIANTS.items():
        rng = rng_for(game.seed, name, game.state, mu)
        meta = make(Recorded(everyone), m, advice.guarantee, advice.scales, rng)
        if isinstance(meta, RWMeta):
            wide = np.broadcast_to(sigma, (rounds, game.repetitions, m, m))
            extra = (meta.decorrelation.draw(wide[t], t + 1, rng) for t in range(rounds))
            leaders = np.array([(credits[t] + noise).argmax(axis=-1) for t, noise in enumerate(extra)])
            chosen[name] = np.take_along_axis(everyone, leaders[:, None], axis=1)[:, 0]
        else:
            chosen[name] = played(meta, advice.reports)
    return chosen
