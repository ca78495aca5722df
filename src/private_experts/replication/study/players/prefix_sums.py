"""Leaders of private prefix sums, with the least noise of four mechanisms for each week's own bound."""

from collections.abc import Callable
from functools import partial

from private_experts.algorithms.prefix_ftpl import PrefixFTPL, PrefixSums
from private_experts.privacy.correlated import MatrixSums
from private_experts.privacy.factorization import prefix_sums, square_root
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import GREEN, ORANGE, PURPLE
from private_experts.replication.study.best_strategies import best_strategy
from private_experts.replication.study.hospital_game import Game, Play, central_plays
from private_experts.replication.study.players import Contender

SHOWN = {
    "tree-tight": Contender("tree, tight noise", "", "the curator", "mu-GDP", GREEN, "s", ":", place=20),
    "tree-honaker": Contender(
        "tree, averaged noise", "", "the curator", "mu-GDP", GREEN, "^", "--", place=21
    ),
    "square-root": Contender("square-root sums", "", "the curator", "mu-GDP", PURPLE, "P", "-", place=22),
    "optimised-sums": Contender("optimised sums", "", "the curator", "mu-GDP", ORANGE, "*", "-", place=23),
}


def mechanisms(game: Game) -> dict[str, Callable[..., PrefixSums]]:
    """Return by name how to make the sums of each, from a guarantee, with noise source and repetitions."""
    (weeks, n), bounds = game.gains.shape, game.sensitivity
    best = best_strategy(prefix_sums(weeks), bounds)
    return {
        "tree-tight": partial(TightTreeSums, n, sensitivity=bounds),
        "tree-honaker": partial(TightTreeSums, n, sensitivity=bounds, refined=True),
        "square-root": partial(MatrixSums, n, strategy=square_root(weeks), sensitivity=bounds),
        "optimised-sums": partial(MatrixSums, n, strategy=best, sensitivity=bounds),
    }


def play(game: Game) -> list[Play]:
    """Play the four leaders at every privacy level."""

    def make(name: str, sums: Callable[..., PrefixSums], game: Game, mu: float) -> PrefixFTPL:
        noise = SimulatedNoise(rng_for(game.seed, name, game.state, mu))
        return PrefixFTPL(sums(GaussianDP(mu, "central"), noise=noise, repetitions=game.repetitions))

    return central_plays(game, {name: partial(make, name, sums) for name, sums in mechanisms(game).items()})
