"""The dyadic-tree baseline with its two noise scales, Min Noise and Min Regret."""

from collections.abc import Callable
from functools import partial

from private_experts.algorithms.tree_ftpl import TreeFTPL, min_noise, min_regret
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.drawing.palette import GREEN, PURPLE
from private_experts.replication.hospital.game import Game, Play, central_plays
from private_experts.replication.hospital.players import Contender

SHOWN = {
    "min-noise": Contender("Min Noise", "000", "the curator", "mu-GDP", GREEN, "D", "-.", place=4),
    "min-regret": Contender(
        "Min Regret", "000", "the curator", "mu-GDP", PURPLE, "x", (0, (1, 1)), compared=False, place=5
    ),
}


def play(game: Game) -> list[Play]:
    """Play the baseline at every privacy level. Its noise is for the largest sensitivity of all weeks."""
    (horizon, n), bound = game.gains.shape, float(game.sensitivity.max(initial=0.0))

    def make(name: str, scale: Callable[[float, int, float], float], mu: float) -> TreeFTPL:
        noise = SimulatedNoise(rng_for(game.seed, name, game.state, mu))
        return TreeFTPL(
            n,
            GaussianDP(mu, "central"),
            horizon=horizon,
            sensitivity=bound,
            noise=noise,
            scale=scale(bound, horizon, mu),
            repetitions=game.repetitions,
        )

    scales = {"min-noise": min_noise, "min-regret": min_regret}
    return central_plays(game, {name: partial(make, name, scale) for name, scale in scales.items()})
