"""RW-FTPL on the noisy reports of a panel."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.games.play import play as played
from private_experts.games.play import private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.drawing.palette import VERMILION
from private_experts.replication.hospital.game import Game, Play, record
from private_experts.replication.hospital.players import Contender

Array = NDArray[np.float64]

SHOWN = {"rw-ftpl": Contender("RW-FTPL", "000", "nobody", "mu-GDP", VERMILION, "s", "--", place=1)}


def follower(game: Game, mu: float) -> tuple[RWFTPL, Iterable[Array], Array]:
    """Return RW-FTPL, the noisy reports that it gets, and their noise scales. Each call gives the same noise."""
    guarantee = GaussianDP(mu, "local")
    scales = np.array([guarantee.noise_scale(bound) for bound in game.sensitivity])
    noise = SimulatedNoise(rng_for(game.seed, "local noise", game.state, mu))
    algorithm = RWFTPL(game.gains.shape[1], guarantee, scales[0], noise, game.repetitions)
    return algorithm, private_reports(game.gains, scales, noise, game.repetitions), scales


def play(game: Game) -> list[Play]:
    """Play RW-FTPL at every privacy level."""
    plays = []
    for mu in game.levels:
        algorithm, reports, _ = follower(game, mu)
        plays.append(record(game, "rw-ftpl", mu, played(algorithm, reports)))
    return plays
