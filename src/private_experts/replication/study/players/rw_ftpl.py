"""RW-FTPL on the noisy reports of a panel."""

from collections.abc import Iterable

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.games.play import play as played
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.replication.plotting.palette import VERMILION
from private_experts.replication.study.hospital_game import Game, Play, at_level, local_game, record
from private_experts.replication.study.players import Contender

SHOWN = {"rw-ftpl": Contender("RW-FTPL", "000", "nobody", "mu-GDP", VERMILION, "s", "--", place=1)}


def follower(game: Game, mu: float) -> tuple[RWFTPL, Iterable[Reports]]:
    """Return RW-FTPL and the noisy reports that it gets. Each call gives the same noise."""

    def make(guarantee: GaussianDP, noise: SimulatedNoise) -> RWFTPL:
        # z_0 has the noise of the first report, as the paper's algorithm does.
        first = guarantee.noise_scale(float(game.sensitivity[0]))
        return RWFTPL(
            game.gains.shape[1], guarantee, noise_scale=first, noise=noise, repetitions=game.repetitions
        )

    return local_game(game, mu, make)


def play(game: Game) -> list[Play]:
    """Play RW-FTPL at every privacy level."""
    plays = []
    for mu in game.levels:
        algorithm, reports = follower(at_level(game, mu), mu)
        kept = list(reports)
        plays.append(record(game, "rw-ftpl", mu, played(algorithm, kept), kept))
    return plays
