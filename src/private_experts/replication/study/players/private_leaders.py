"""Algorithms of papers 002 and 004, and Hedge, on a state's panel, as alternatives to RW-FTPL and RW-Meta.

The private ones give the same guarantee as RW-FTPL and RW-Meta: mu-GDP for one person in one week. One person
changes a density of week t by at most ``reach[t] = 1 / smallest bed count``. How each is calibrated to that,
why it is mu-GDP, and which may have more noise than they need, is derived in
[mathematics/000.md#private-leaders].
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dartboard_privacy import dartboard_mu
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.fixed_share import FixedShare, tuned_step
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.arrays import Array
from private_experts.games.play import play as played
from private_experts.privacy.conversions import bounded_range_within, pure_within
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import BLACK, GREY, ORANGE, PURPLE, SKY
from private_experts.replication.study.hospital_game import Game, Play, record
from private_experts.replication.study.laplace import laplace_within
from private_experts.replication.study.players import Contender

# Fixed share is tuned for a best hospital that changes once a quarter. ASSUMED, chosen without looking at the
# data.
WEEKS_PER_SWITCH = 12
NO_PRIVACY = 1e6  # stands for an infinite epsilon, as the leaders need a finite one
LARGEST_P = 0.4  # the dartboard needs p below 1/2, and T^(-1/2) is above it for fewer than five weeks

SHOWN = {
    "noisy-fixed-share": Contender(
        "fixed share, Gaussian noise", "004", "nobody", "mu-GDP", SKY, "^", "-", place=2
    ),
    "laplace-fixed-share": Contender(
        "fixed share, Laplace noise", "004", "nobody", "epsilon-DP", SKY, "v", ":", place=3
    ),
    "dyadic-leader": Contender(
        "dyadic leader", "002, 004", "the curator", "epsilon-DP", ORANGE, "o", "--", place=6
    ),
    "dyadic-softmax": Contender(
        "dyadic softmax", "002", "the curator", "epsilon-DP", ORANGE, "s", ":", place=7
    ),
    "randomized-prefix": Contender(
        "randomised prefix", "002", "the curator", "epsilon-DP", PURPLE, "^", "--", place=8
    ),
    "restarting-leader": Contender(
        "restarting leader", "004", "the curator", "epsilon-DP", PURPLE, "v", ":", place=9
    ),
    "shrinking-dartboard": Contender(
        "shrinking dartboard", "001, 004", "the curator", "epsilon-DP", GREY, "D", "--", place=10
    ),
    "hedge": Contender("Hedge", "", "everybody", "nothing", BLACK, "x", ":", place=11),
    "fixed-share": Contender("fixed share", "", "everybody", "nothing", BLACK, "+", ":", place=12),
}


def play(game: Game) -> list[Play]:
    """Play all of them at every privacy level. Hedge and fixed share are not private and ignore it."""
    plays = []
    for mu in game.levels:
        for name, (make, unit) in _makers(game, mu).items():
            rng = rng_for(game.seed, name, game.state, mu)
            plays.append(record(game, name, mu, played(make(rng), game.gains / unit)))
    return plays


def largest_of_block(values: Array) -> Array:
    """Return by round t = 1, ..., T the largest value of the dyadic block 2^m..2^(m+1)-1, shape (T,)."""
    blocks = np.log2(np.arange(1, values.size + 1)).astype(np.intp)
    return np.array([values[blocks == block].max() for block in blocks])


def dartboard(horizon: int, mu: float, reach: float) -> DartboardParameters:
    """Return the parameters of Corollary 4, with the largest step that is known to be mu-GDP for one person.

    A person moves a loss by at most `reach`, where the papers let it move by 1. In a batch of b losses the
    mean moves by 1 / b, so the accounting is that of batches of ``1 / reach``. The regret bound asks for
    steps of at most p.
    """
    from scipy.optimize import brentq  # tables name all players and play none

    # Corollary 4's p where it is allowed.
    p = min(horizon**-0.5, LARGEST_P)
    budget = int(4 * horizon * p)

    def spent(eta: float) -> float:
        return dartboard_mu(eta, p, budget, batch=1 / reach)

    # The level grows with the step, so a root finder has a bracket; the regret bound allows no more than p.
    eta = p if spent(p) <= mu else brentq(lambda eta: spent(eta) - mu, 0.0, p, xtol=1e-15)
    return DartboardParameters(eta, p, budget)


def _makers(
    game: Game, mu: float
) -> dict[str, tuple[Callable[[np.random.Generator], Algorithm], float | Array]]:
    """Return by name how to make each algorithm, and the unit of the gains that it gets."""
    (horizon, n), copies = game.gains.shape, game.repetitions
    reach = game.sensitivity / math.sqrt(game.moved)
    # Scores matter up to a common shift. One that moves up and one that moves down by 1 are the case of the
    # papers.
    unit = reach * game.moved / 2
    of_block, largest = largest_of_block(unit)[:, None], float(unit.max())
    level = GaussianDP(mu, "central")
    # At mu = inf the level is infinite, for which the leaders have no noise scale.
    pure = min(pure_within(level).epsilon, NO_PRIVACY)
    laplace = min(laplace_within(level, game.moved), NO_PRIVACY)
    softmax = min(bounded_range_within(level), NO_PRIVACY)
    changes = max(1, horizon // WEEKS_PER_SWITCH)
    step = tuned_step(n, horizon, changes)

    def noisy(scales: Array, guarantee: GaussianDP | PureDP) -> Callable[[np.random.Generator], Algorithm]:
        variance = scales**2 if isinstance(guarantee, GaussianDP) else 2 * scales**2
        eta = step / math.sqrt(2 * (1 + variance.mean()))  # minimises `noisy_fixed_share.sharper_bound`
        return lambda rng: NoisyFixedShare(
            n,
            guarantee,
            horizon=horizon,
            switches=changes,
            eta=eta,
            noise_scale=scales,
            rng=rng,
            repetitions=copies,
        )

    # Noise and steps are for one person, who moves a gain by less than 1: the guarantee for a whole vector is
    # weaker.
    any_gaussian, any_pure = GaussianDP(math.inf, "central"), PureDP(math.inf, "central")
    # Gains are told in units in which one person moves each by at most 1, so they are not limited to 1.
    counted: dict[str, Any] = {"repetitions": copies, "moves_at_most_1": True}
    board = dartboard(horizon, mu, float(reach.max()))
    return {
        "noisy-fixed-share": (
            noisy(np.array([level.noise_scale(bound) for bound in game.sensitivity]), any_gaussian),
            1.0,
        ),
        "laplace-fixed-share": (noisy(game.moved * reach / laplace, any_pure), 1.0),
        "dyadic-leader": (
            lambda rng: DyadicLeader(n, PureDP(laplace, "central"), rng=rng, **counted),
            of_block,
        ),
        "dyadic-softmax": (
            lambda rng: DyadicLeader(n, PureDP(softmax, "central"), rng=rng, selection="gumbel", **counted),
            of_block,
        ),
        "randomized-prefix": (
            lambda rng: RandomizedPrefix(n, PureDP(softmax, "central"), rng=rng, **counted),
            of_block,
        ),
        "restarting-leader": (
            lambda rng: RestartingLeader(
                n, PureDP(pure, "central"), horizon=max(horizon, 2), rng=rng, **counted
            ),
            largest,
        ),
        "shrinking-dartboard": (
            lambda rng: ShrinkingDartboard(n, any_pure, parameters=board, rng=rng, repetitions=copies),
            1.0,
        ),
        "hedge": (lambda rng: Hedge(n, rng=rng, repetitions=copies), 1.0),
        "fixed-share": (
            lambda rng: FixedShare(
                n, horizon=horizon, switches=changes, eta=step, rng=rng, repetitions=copies
            ),
            1.0,
        ),
    }
