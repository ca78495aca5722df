"""RW-Meta's learners with a curator, and without: the same learners and choice, on two kinds of reports.

The curator's noise is correlated over the weeks, as the forecasts need it, and so credits are averaged over
eight weeks. That was settled after gains had been looked at, and it raises the price of locality in most
cells. RW-FTPL is a learner of both. [mathematics/000.md#central-learners]
[mathematics/000.md#smoothed-credits]
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.arrays import Array, Indices
from private_experts.games.play import play as played
from private_experts.learners.filter_rows import forecast_rows
from private_experts.learners.linear_filter import trend_weights
from private_experts.learners.recorded import Recorded
from private_experts.learners.totals_leader import TotalsLeader
from private_experts.privacy.correlated import CorrelatedReports
from private_experts.privacy.factorization import prefix_sums
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import BLACK, BLUE
from private_experts.replication.study.best_strategies import best_strategy
from private_experts.replication.study.families import FILTERS
from private_experts.replication.study.hospital_game import Game, Play, at_level, record
from private_experts.replication.study.players import Contender
from private_experts.replication.study.players.rw_meta import advice_of_learners, advised, followed

SHOWN = {
    "central-learners": Contender(
        "learners by credit, central", "", "the curator", "mu-GDP", BLACK, "o", "-", place=24
    ),
    "local-learners": Contender(
        "learners by credit, local", "", "nobody", "mu-GDP", BLUE, "s", ":", place=25
    ),
}


def workload(family: str, settings: list[tuple[int, float]], weeks: int) -> Array:
    """Return the workload of learners, and RW-FTPL, the mean of all reports: ((learners + 1) * weeks, weeks).

    An autoregression is no fixed filter. Its curator uses the noise for trends of the same windows and
    strengths.
    """
    rows = forecast_rows(FILTERS.get(family, trend_weights), settings, weeks)
    # RW-FTPL's totals as means, so that its rows do not outweigh the forecasts in the workload.
    means = prefix_sums(weeks) / np.arange(1, weeks + 1)[:, None]
    return np.vstack([*rows, means])


def curator_of(
    game: Game, mu: float, strategy: Array, name: str = "central-learners"
) -> tuple[CorrelatedReports, Reports]:
    """Return a contender's curator, and the reports on nothing before the first week.

    The `strategy` correlates the noise of a curator's reports. All noise comes from one source.
    """
    n = game.gains.shape[1]
    noise = SimulatedNoise(rng_for(game.seed, name, game.state, mu))
    curator = CorrelatedReports(
        n,
        GaussianDP(mu, "central"),
        strategy=strategy,
        sensitivity=game.sensitivity,
        noise=noise,
        repetitions=game.repetitions,
    )
    scale = curator.guarantee.noise_scale(float(game.sensitivity[0]))
    return curator, Reports(noise.perturb(np.zeros(n), scale, game.repetitions), curator.guarantee, scale)


def curated(
    game: Game, mu: float, family: str, settings: list[tuple[int, float]], strategy: Array
) -> Indices:
    """Return what learners play on a curator's reports at one level; `strategy` correlates their noise."""
    curator, first = curator_of(game, mu, strategy)
    actions, reports = advice_of_learners(
        TotalsLeader(first), first, map(curator.report, game.gains), family, settings
    )
    # No learner takes densities as steady for less than the shortest window; without noise all credits are
    # true.
    span = 1 if math.isinf(mu) else min(window for window, _ in settings)
    return played(SmoothedLeader([Recorded(actions)], curator.guarantee, span=span), reports)


def play(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play the learners on both kinds of reports, at every privacy level."""
    family = learners["family"]
    settings = [
        (window, strength) for window in learners["windows"] for strength in learners["strengths"].values()
    ]
    strategy = best_strategy(workload(family, settings, len(game.gains)), game.sensitivity)
    plays = []
    for mu in game.levels:
        central = curated(at_level(game, mu), mu, family, settings, strategy)
        advice = advised(followed(game, mu), family, settings)
        local = played(CreditedLeader([Recorded(advice.actions)], advice.guarantee), advice.reports)
        plays.append(record(game, "central-learners", mu, central))
        plays.append(record(game, "local-learners", mu, local, advice.reports))
    return plays
