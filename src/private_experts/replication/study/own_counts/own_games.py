"""The games of both mechanisms at equal privacy: the same noise for all hospitals, and noise on each one's own count.

The paper gives every hospital the noise that the smallest one of the week needs (*same*). On *own* counts hospital i
adds what its own beds ask for. Either way one person of one week has mu-GDP. Local contenders and a curator's play with
both. [mathematics/000.md#own-counts]
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.prefix_ftpl import PrefixFTPL, PrefixSums
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.arrays import Array, Indices, Scale
from private_experts.games.play import play as played
from private_experts.games.play import private_reports
from private_experts.learners.posterior_means import Deviations, PosteriorMeans
from private_experts.learners.recorded import Recorded
from private_experts.learners.totals_leader import TotalsLeader
from private_experts.privacy.correlated import CorrelatedReports, CorrelatedSums
from private_experts.privacy.factorization import optimal, prefix_sums, square_root
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.own_counts import own_scales
from private_experts.privacy.reports import Reports
from private_experts.privacy.side_by_side import SideBySideReports, SideBySideSums, own_share
from private_experts.privacy.tight_tree import TightTree
from private_experts.randomness import rng_for
from private_experts.replication.study.hospital_game import Game, Play, record
from private_experts.replication.study.players.central_learners import wanted
from private_experts.replication.study.players.prefix_sums import mechanisms
from private_experts.replication.study.players.rw_ftpl import follower
from private_experts.replication.study.players.rw_meta import heard, settings_of, variants
from private_experts.replication.study.replay import Advice

MECHANISMS = ("same", "own")
LEADER, META, LEARNERS, POSTERIOR = "rw-ftpl", "rw-meta", "learners", "posterior-means"
LOCAL = (LEADER, META, LEARNERS, POSTERIOR)
SUMS = ("tree-tight", "tree-honaker", "square-root", "optimised-sums")
CENTRAL = (*SUMS, "central-learners", "central-posterior-means")

# Coarse: a factor of 10 in each variance, and a memory of about 4, 9 and 30 weeks. The reports' own likelihood weighs
# them; no gain is looked at. That priors are of this form was settled on these data. [mathematics/000.md#posterior]
PRIORS = [
    Deviations(base, of_reach, memory) for base in (0.01, 0.1) for of_reach in (0.3, 3.0) for memory in (0.8, 0.9, 0.97)
]


def name_of(mechanism: str, contender: str) -> str:
    """Return the name in the records of a contender with one of the `MECHANISMS`."""
    return f"{mechanism}/{contender}"


def play(game: Game, learners: Mapping[str, Any], contenders: Iterable[str] = (*LOCAL, *CENTRAL)) -> list[Play]:
    """Play contenders with both mechanisms at every privacy level.

    - `learners`: The config's section, as for RW-Meta.
    - `contenders`: Some of `LOCAL` and `CENTRAL`.
    """
    asked = set(contenders)
    central = _Curator(game, learners, asked)
    plays = []
    for mu in game.levels:
        for mechanism in MECHANISMS:
            actions = _local(game, mu, mechanism, learners, asked) | central.actions(mu, mechanism)
            plays += [record(game, name_of(mechanism, name), mu, each) for name, each in actions.items()]
    return plays


def own_follower(game: Game, mu: float) -> tuple[RWFTPL, Iterable[Reports]]:
    """Return RW-FTPL and the noisy reports on own counts that it gets. Each call gives the same noise."""
    guarantee = GaussianDP(mu, "local")
    noise = SimulatedNoise(rng_for(game.seed, "noise on own counts", game.state, mu))
    reach = game.own_reach
    leader = RWFTPL(
        game.gains.shape[1], guarantee, noise_scale=_first_scale(game, guarantee), noise=noise,
        repetitions=game.repetitions,
    )  # fmt: skip
    return leader, private_reports(game.gains, guarantee, reach, noise, game.repetitions, moved=game.moved)


def _first_scale(game: Game, guarantee: GaussianDP) -> Scale:
    return own_scales(game.own_reach[0], guarantee, game.moved)


def _local(game: Game, mu: float, mechanism: str, learners: Mapping[str, Any], asked: set[str]) -> dict[str, Indices]:
    """Return the actions of the local contenders asked for, (T, repetitions) each. All hear the same reports."""
    if not asked & set(LOCAL):
        return {}
    leader, reports = (follower if mechanism == "same" else own_follower)(game, mu)
    guarantee = leader.guarantee
    scale: Scale = guarantee.noise_scale(float(game.sensitivity[0]))
    first = Reports(leader.total, guarantee, scale if mechanism == "same" else _first_scale(game, guarantee))
    settings = settings_of(learners)
    found: dict[str, Indices] = {}
    kept = list(reports)
    if POSTERIOR in asked:
        found[POSTERIOR] = played(PosteriorMeans(PRIORS, first, game.own_reach), kept)
    if asked & {META, LEARNERS}:
        advice = Advice(*heard(leader, first, kept, learners["family"], list(settings.values())), guarantee)
        found[LEADER] = advice.actions[:, -1]
        everyone = Recorded(advice.everyone(game.repetitions))
        if LEARNERS in asked:
            found[LEARNERS] = played(CreditedLeader([everyone], guarantee), kept)
        if META in asked:
            found |= variants(game, mu, advice, [META])
    else:
        found[LEADER] = played(leader, kept)
    return {name: actions for name, actions in found.items() if name in asked}


class _Curator:
    """A curator's contenders in one game. Strategies are the best for the weeks, and shared by all levels."""

    def __init__(self, game: Game, learners: Mapping[str, Any], asked: set[str]) -> None:
        self.game, self.family, self.asked = game, learners["family"], asked
        self.settings = list(settings_of(learners).values())
        self.weeks, self.n = game.gains.shape
        if not asked & set(CENTRAL):
            return
        # On own counts one strategy serves all hospitals. It is the best for how a hospital's reach varies over weeks.
        relative = game.own_reach / game.own_reach.mean(axis=0)
        profiles = {"same": game.sensitivity, "own": np.sqrt(np.square(relative).mean(axis=1))}
        rows = wanted(self.family, self.settings, self.weeks) if asked & set(CENTRAL[len(SUMS) :]) else None
        self.forecasting = (
            {} if rows is None else {name: optimal(rows, each).strategy for name, each in profiles.items()}
        )
        self.same_sums = mechanisms(game) if asked & set(SUMS) else {}
        sums = prefix_sums(self.weeks)
        summing = optimal(sums, profiles["own"]).strategy if "optimised-sums" in asked else np.eye(self.weeks)
        self.own_sums: dict[str, Callable[..., PrefixSums]] = {
            "tree-tight": TightTree,
            "tree-honaker": partial(TightTree, refined=True),
            "square-root": partial(CorrelatedSums, strategy=square_root(self.weeks)),
            "optimised-sums": partial(CorrelatedSums, strategy=summing),
        }

    def actions(self, mu: float, mechanism: str) -> dict[str, Indices]:
        """Return the actions of the central contenders asked for, (T, repetitions) each."""
        found = {
            name: played(self._leader(name, mu, mechanism), self.game.gains) for name in SUMS if name in self.asked
        }
        if self.asked & set(CENTRAL[len(SUMS) :]):
            found |= self._learning(mu, mechanism)
        return {name: actions for name, actions in found.items() if name in self.asked}

    def _noise(self, name: str, mu: float, mechanism: str) -> dict[str, Any]:
        rng = rng_for(self.game.seed, name, *(() if mechanism == "same" else ("own counts",)), self.game.state, mu)
        return {"noise": SimulatedNoise(rng), "repetitions": self.game.repetitions}

    def _leader(self, name: str, mu: float, mechanism: str) -> PrefixFTPL:
        guarantee, common = GaussianDP(mu, "central"), self._noise(name, mu, mechanism)
        if mechanism == "same":
            return PrefixFTPL(self.same_sums[name](guarantee, **common))
        share, make = own_share(guarantee, self.game.moved), self.own_sums[name]
        parts = [make(1, share, sensitivity=reach, **common) for reach in self._reaches()]
        return PrefixFTPL(SideBySideSums(parts, self.game.moved))

    def _reaches(self) -> list[Array]:
        """Return the weekly reaches of each hospital."""
        return [np.ascontiguousarray(reach) for reach in self.game.own_reach.T]

    def _learning(self, mu: float, mechanism: str) -> dict[str, Indices]:
        game, guarantee = self.game, GaussianDP(mu, "central")
        common = self._noise("central-learners", mu, mechanism)
        correlated = common | {"strategy": self.forecasting[mechanism]}
        curator: CorrelatedReports | SideBySideReports
        if mechanism == "same":
            curator = CorrelatedReports(self.n, guarantee, sensitivity=game.sensitivity, **correlated)
            scale: Scale = guarantee.noise_scale(float(game.sensitivity[0]))
        else:
            share = own_share(guarantee, game.moved)
            parts = [CorrelatedReports(1, share, sensitivity=reach, **correlated) for reach in self._reaches()]
            curator, scale = SideBySideReports(parts, game.moved), _first_scale(game, guarantee)
        start = common["noise"].perturb(np.zeros(self.n), scale, game.repetitions)
        first = Reports(start, curator.guarantee, scale)
        advice, reports = heard(TotalsLeader(first), first, map(curator.report, game.gains), self.family, self.settings)
        span = 1 if np.isinf(mu) else min(window for window, _ in self.settings)  # as central_learners has it
        leader = SmoothedLeader([Recorded(advice)], curator.guarantee, span=span)
        return {
            "central-learners": played(leader, reports),
            "central-posterior-means": played(PosteriorMeans(PRIORS, first, game.own_reach), reports),
        }
