"""Yardsticks: follow-the-leader on the true gains, without privacy, and uniform choice, without data."""

from private_experts.algorithms.baselines import FollowTheLeader, Uniform
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import GREY, SKY
from private_experts.replication.study.hospital_game import Game, Play, central_plays
from private_experts.replication.study.players import Contender

SHOWN = {
    "follow-the-leader": Contender(
        "leader of true gains", "", "everybody", "nothing", SKY, "+", (0, (5, 1, 1, 1, 1, 1)), tabled=False
    ),
    "uniform": Contender("uniform", "", "nobody", "everything", GREY, "x", (0, (3, 3)), tabled=False),
}


def play(game: Game) -> list[Play]:
    """Play both yardsticks. Neither depends on the privacy level."""
    n = game.gains.shape[1]

    def uniform(_: Game, mu: float) -> Uniform:  # random at every level
        return Uniform(n, rng=rng_for(game.seed, "uniform", game.state, mu), repetitions=game.repetitions)

    return central_plays(game, {"follow-the-leader": lambda *_: FollowTheLeader(n), "uniform": uniform})
