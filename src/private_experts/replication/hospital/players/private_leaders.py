"""The algorithms of papers 002 and 004, and Hedge, on one state's panel, as alternatives to RW-FTPL and RW-Meta.

The private ones give the same guarantee as RW-FTPL and RW-Meta: mu-GDP for one person in one week. One person changes
a density by at most ``reach = 1 / smallest bed count``. The leaders get gains in units of the largest reach. In these
units one person changes a gain by at most 1, as one loss vector does in the papers. Their epsilon is the largest that
implies mu-GDP (`privacy.conversions.pure_within`). Fixed share gets the same noise as RW-FTPL, or Laplace noise for the
same epsilon. The dartboard's guarantee cannot be scaled like this: it protects whole weeks, which is more.
"""

import math
from collections.abc import Callable

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.fixed_share import FixedShare, tuned_step
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard, pure_parameters
from private_experts.games.play import play as played
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.randomness import rng_for
from private_experts.replication.drawing.palette import BLACK, GREY, ORANGE, PURPLE, SKY
from private_experts.replication.hospital.game import Game, Play, record
from private_experts.replication.hospital.players import Contender

# Fixed share is tuned for a best hospital that changes once a quarter. ASSUMED, chosen without looking at the data.
WEEKS_PER_SWITCH = 12
NO_PRIVACY = 1e6  # stands for an infinite epsilon, as the leaders need a finite one

SHOWN = {
    "noisy-fixed-share": Contender("fixed share, Gaussian noise", "004", "nobody", "mu-GDP", SKY, "^", "-", place=2),
    "laplace-fixed-share": Contender(
        "fixed share, Laplace noise", "004", "nobody", "epsilon-DP", SKY, "v", ":", place=3
    ),
    "dyadic-leader": Contender("dyadic leader", "002, 004", "the curator", "epsilon-DP", ORANGE, "o", "--", place=6),
    "dyadic-softmax": Contender("dyadic softmax", "002", "the curator", "epsilon-DP", ORANGE, "s", ":", place=7),
    "randomized-prefix": Contender("randomized prefix", "002", "the curator", "epsilon-DP", PURPLE, "^", "--", place=8),
    "restarting-leader": Contender("restarting leader", "004", "the curator", "epsilon-DP", PURPLE, "v", ":", place=9),
    "shrinking-dartboard": Contender(
        "shrinking dartboard", "001, 004", "the curator", "whole weeks", GREY, "D", "--", place=10
    ),
    "hedge": Contender("Hedge", "", "everybody", "nothing", BLACK, "x", ":", place=11),
    "fixed-share": Contender("fixed share", "", "everybody", "nothing", BLACK, "+", ":", place=12),
}


def play(game: Game) -> list[Play]:
    """Play all of them at every privacy level. Hedge and fixed share are not private, and do not depend on it."""
    plays = []
    for mu in game.levels:
        for name, (make, unit) in _makers(game, mu).items():
            rng = rng_for(game.seed, name, game.state, mu)
            plays.append(record(game, name, mu, played(make(rng), game.gains / unit)))
    return plays


def _makers(game: Game, mu: float) -> dict[str, tuple[Callable[[np.random.Generator], Algorithm], float]]:
    """Return by name how to make each algorithm, and the unit of the gains that it gets."""
    (horizon, n), copies = game.gains.shape, game.repetitions
    reach = float(game.sensitivity.max(initial=0.0)) / math.sqrt(game.moved)
    epsilon = min(pure_within(GaussianDP(mu, "central")).epsilon, NO_PRIVACY)
    changes = max(1, horizon // WEEKS_PER_SWITCH)
    step = tuned_step(n, horizon, changes)

    def noisy(scale: float, law: str) -> Callable[[np.random.Generator], Algorithm]:
        variance = scale**2 if law == "gaussian" else 2 * scale**2
        eta = step / math.sqrt(2 * (1 + variance))  # minimises `noisy_fixed_share.sharper_bound`
        return lambda rng: NoisyFixedShare(n, horizon, changes, eta, scale, rng, copies, law)  # type: ignore[arg-type]

    dartboard = pure_parameters(horizon, min(epsilon, 1.0))
    return {
        "noisy-fixed-share": (noisy(0.0 if math.isinf(mu) else reach * math.sqrt(game.moved) / mu, "gaussian"), 1.0),
        "laplace-fixed-share": (noisy(game.moved * reach / epsilon, "laplace"), 1.0),
        "dyadic-leader": (lambda rng: DyadicLeader(n, epsilon, rng, copies), reach),
        "dyadic-softmax": (lambda rng: DyadicLeader(n, epsilon, rng, copies, selection="gumbel"), reach),
        "randomized-prefix": (lambda rng: RandomizedPrefix(n, epsilon, rng, copies), reach),
        "restarting-leader": (
            lambda rng: RestartingLeader(n, max(horizon, 2), epsilon, rng, copies, windows="all"),
            reach,
        ),
        "shrinking-dartboard": (
            lambda rng: ShrinkingDartboard(n, **dartboard._asdict(), rng=rng, repetitions=copies),
            1.0,
        ),
        "hedge": (lambda rng: Hedge(n, rng, copies), 1.0),
        "fixed-share": (lambda rng: FixedShare(n, horizon, changes, step, rng, copies), 1.0),
    }
