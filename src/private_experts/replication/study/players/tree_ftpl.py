"""The dyadic-tree baseline with its two noise scales, Min Noise and Min Regret."""

from functools import partial
from typing import Literal

import numpy as np

from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import GREEN, PURPLE
from private_experts.replication.study.hospital_game import Game, Play, central_plays
from private_experts.replication.study.players import Contender

SHOWN = {
    "min-noise": Contender("Min Noise", "000", "the curator", "mu-GDP", GREEN, "D", "-.", place=4),
    "min-regret": Contender(
        "Min Regret", "000", "the curator", "mu-GDP", PURPLE, "x", (0, (1, 1)), tabled=False, place=5
    ),
}


def play(game: Game) -> list[Play]:
    """Play the baseline at every privacy level: padded, with noise for the largest weekly sensitivity."""
    return play_readings(game, padded=True, weekly=False)


def play_readings(game: Game, padded: bool, weekly: bool) -> list[Play]:
    """Play the baseline as one of four trees the paper's words allow. [mathematics/000.md#tree-readings]

    `padded`: every prefix has the noise of as many nodes as the tree is high, not only of those that tile it.
    `weekly`: a node's noise is for the largest sensitivity of its own weeks.
    """
    horizon, n = game.gains.shape
    # One bound for all weeks is how the study reads the paper; by week a node's noise follows its own
    # hospitals.
    bounds = game.sensitivity if weekly else np.float64(game.sensitivity.max(initial=0.0))

    def make(name: str, scale: Literal["min_noise", "min_regret"], alone: Game, mu: float) -> TreeFTPL:
        noise = SimulatedNoise(rng_for(game.seed, name, game.state, mu))
        return TreeFTPL(
            n,
            GaussianDP(mu, "central"),
            horizon=horizon,
            sensitivity=bounds,
            noise=noise,
            scale=scale,
            padded=padded,
            # The noise of Min Regret is never 0.
            repetitions=(game if scale == "min_regret" else alone).repetitions,
        )

    scales: dict[str, Literal["min_noise", "min_regret"]] = {
        "min-noise": "min_noise",
        "min-regret": "min_regret",
    }
    return central_plays(game, {name: partial(make, name, scale) for name, scale in scales.items()})
