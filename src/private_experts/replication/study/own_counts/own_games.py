"""Games of both mechanisms at equal privacy: the paper's noise for all hospitals, and own counts.

The paper gives every hospital the noise that the smallest one of the week needs (*same*). On *own* counts
hospital i adds what its own beds ask for. Either way one person of one week has mu-GDP. Local contenders and
a curator's play with both. [mathematics/000.md#own-counts]
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.algorithms.prefix_ftpl import PrefixFTPL, PrefixSums
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.arrays import Array, Indices, Scale
from private_experts.games.play import play as played
from private_experts.games.play import private_reports
from private_experts.learners.posterior_means import Deviations, PosteriorMeans
from private_experts.learners.recorded import Recorded
from private_experts.learners.totals_leader import TotalsLeader
from private_experts.privacy.correlated import CorrelatedReports, MatrixSums
from private_experts.privacy.factorization import geometric, prefix_sums, square_root
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.own_counts import own_scales
from private_experts.privacy.reports import Reports
from private_experts.privacy.side_by_side import SideBySideReports, SideBySideSums, own_share
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.randomness import rng_for
from private_experts.replication.study.best_strategies import best_strategy
from private_experts.replication.study.hospital_game import Game, Play, at_level, record
from private_experts.replication.study.players.central_learners import curator_of, workload
from private_experts.replication.study.players.prefix_sums import mechanisms
from private_experts.replication.study.players.rw_ftpl import follower
from private_experts.replication.study.players.rw_meta import advice_of_learners, settings_of, variants

MECHANISMS = ("same", "own")
LEADER, META, LEARNERS, POSTERIOR = "rw-ftpl", "rw-meta", "learners", "posterior-means"
LOCAL = (LEADER, META, LEARNERS, POSTERIOR)
SUMS = ("tree-tight", "tree-honaker", "square-root", "optimised-sums")
# What a curator's posterior means hear: the noise that is best for the paper's learners, taken as
# independent; independent noise, as hospitals have it; and noise that is taken back by half, which the
# filters know.
LEARNERS_NOISE, INDEPENDENT, HALF = (
    "central-posterior-means",
    "central-means-independent",
    "central-means-half",
)
POSTERIORS = (LEARNERS_NOISE, INDEPENDENT, HALF)
CENTRAL = (*SUMS, "central-learners", *POSTERIORS)

# What a report of HALF takes back of the noise before: the middle between independent noise (0) and reports
# whose sums keep only the last draw (1, which no level allows). One number for all cells. It was not tuned; a
# sketch of 0, .3, .5, .7 and .85 on these states was known, in which other parts gain more in some cells.
TAKES_BACK = 0.5

# Repetitions that are played together: so many numbers of each kind stay in the processor's cache, and fewer
# repetitions cost more in calls than they save.
_AT_ONCE, _FEWEST = 2**17, 25

# Coarse: a factor of 10 in each variance, and a memory of about 4, 9 and 30 weeks. The reports' own
# likelihood weighs them; no gain is looked at. That priors are of this form was settled on these data.
# [mathematics/000.md#posterior]
PRIORS = [
    Deviations(base, of_reach, memory)
    for base in (0.01, 0.1)
    for of_reach in (0.3, 3.0)
    for memory in (0.8, 0.9, 0.97)
]


def name_of(mechanism: str, contender: str) -> str:
    """Return the name in the records of a contender with one of the `MECHANISMS`."""
    return f"{mechanism}/{contender}"


EVERYBODY = tuple(name_of(mechanism, name) for mechanism in MECHANISMS for name in (*LOCAL, *CENTRAL))


def play(
    game: Game,
    learners: Mapping[str, Any],
    names: Collection[str] = EVERYBODY,
    per_bed: Array | None = None,
    known: Collection[tuple[str, float]] = (),
) -> list[Play]:
    """Play contenders at every privacy level; `learners` is the config's section, as for RW-Meta.

    `names` are of `EVERYBODY`; who is `known` at a level does not play there. The reach `per_bed`, in the
    priors of posterior means, is that of the game if not given.
    """
    plays = []
    for mechanism in MECHANISMS:
        contenders = {name for name in (*LOCAL, *CENTRAL) if name_of(mechanism, name) in names}
        curator = _Curator(game, mechanism, learners, contenders & set(CENTRAL))
        for mu in game.levels:
            there = {name for name in contenders if (name_of(mechanism, name), mu) not in known}
            local, kept = local_actions(game, mu, mechanism, learners, there & set(LOCAL), per_bed)
            for name, actions in (local | curator.actions(mu, there & set(CENTRAL))).items():
                # All local contenders hear the same reports, whose noise is recorded once: who is known has
                # recorded it.
                recorded = bool(contenders & set(LOCAL) - there)
                report_noise = kept if name == next(iter(local), None) and not recorded else None
                plays.append(record(game, name_of(mechanism, name), mu, actions, report_noise))
    return plays


COVERED = tuple(
    name_of(*pair) for pair in (("same", META), ("own", META), ("same", POSTERIOR), ("own", POSTERIOR))
)


def covered(name: str) -> str:
    """Return the name in the records of a contender whose noise covers suppressed and carried figures."""
    return f"covered/{name}"


def play_covered(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play local contenders with noise that keeps the promise in a public file with suppressed figures.

    [mathematics/000.md#own-counts-suppression]
    """
    wider = replace(game, reach=game.own_covering, sensitivity=_covering_sensitivity(game))
    # what is known of hospitals follows from their beds
    plays = play(wider, learners, COVERED, per_bed=game.own_reach)
    return [replace(record, algorithm=covered(record.algorithm)) for record in plays]


def averaged(name: str) -> str:
    """Return the name in the records of a contender with the average level of the paper's noise."""
    return f"average/{name}"


def average_levels(game: Game, in_public_file: bool = False) -> dict[str, float]:
    """Return by mechanism the level over mu of one who stays away, on average over beds and weeks.

    It is that with noise for a count, or with noise that keeps its promise in the public file, for what one
    person moves there.
    """
    reach = game.own_covering if in_public_file else game.own_reach
    sensitivity = _covering_sensitivity(game) if in_public_file else game.sensitivity
    average = np.average(reach / sensitivity[:, None], axis=1, weights=1 / game.own_reach).mean()
    return {"same": float(average), "own": 1 / math.sqrt(game.moved)}


def _covering_sensitivity(game: Game) -> Array:
    """Return for each week what noise for all has to cover in the public file."""
    found: Array = math.sqrt(game.moved) * game.own_covering.max(axis=1)
    return found


def play_averaged(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play RW-Meta on own counts with the average level of the paper's noise at the weakest finite privacy.

    It is recorded under the level that the paper's noise promises; what own counts promise there is less.
    """
    promised, levels = max((mu for mu in game.levels if mu < math.inf), default=0.0), average_levels(game)
    if not promised:
        return []
    matched = replace(game, levels=(promised * levels["same"] / levels["own"],))
    plays = play(matched, learners, {name_of("own", META)})
    return [
        replace(record, algorithm=averaged(record.algorithm), mu=promised, report_noise=None)
        for record in plays
    ]


def own_follower(game: Game, mu: float) -> tuple[RWFTPL, Iterable[Reports]]:
    """Return RW-FTPL and the noisy reports on own counts that it gets. Each call gives the same noise."""
    guarantee = GaussianDP(mu, "local")
    noise = SimulatedNoise(rng_for(game.seed, "noise on own counts", game.state, mu))
    reach = game.own_reach
    leader = RWFTPL(
        game.gains.shape[1],
        guarantee,
        noise_scale=_first_scale(game, guarantee),
        noise=noise,
        repetitions=game.repetitions,
    )
    # One person may move a figure, over the weeks that carry it, by more than a week's density can move. The
    # same noise is that of a part of this at the same part of the level.
    part = 2.0 ** -math.ceil(math.log2(max(1.0, reach.max())))
    at = GaussianDP(part * mu, "local")
    return leader, private_reports(game.gains, at, part * reach, noise, game.repetitions, moved=game.moved)


def _first_scale(game: Game, guarantee: GaussianDP) -> Scale:
    """Return the noise of the first week on own counts."""
    return own_scales(game.own_reach[0], guarantee, game.moved)


def local_actions(
    game: Game,
    mu: float,
    mechanism: str,
    learners: Mapping[str, Any],
    contenders: set[str],
    per_bed: Array | None = None,
) -> tuple[dict[str, Indices], list[Reports]]:
    """Return the actions of the local contenders asked for, (T, repetitions), and the reports that all hear.

    The shape is (T, 1) where nothing is random.
    """
    if not contenders:
        return {}, []
    leader, reports = (follower if mechanism == "same" else own_follower)(at_level(game, mu), mu)
    guarantee = leader.guarantee
    scale: Scale = guarantee.noise_scale(float(game.sensitivity[0]))
    first = Reports(leader.total, guarantee, scale if mechanism == "same" else _first_scale(game, guarantee))
    settings = settings_of(learners)
    found: dict[str, Indices] = {}
    kept = list(reports)
    if POSTERIOR in contenders:
        reach = game.own_reach if per_bed is None else per_bed
        found[POSTERIOR] = _posterior_plays(first, kept, reach)
    if contenders & {META, LEARNERS}:
        advice = KnownAdvice(
            *advice_of_learners(leader, first, kept, learners["family"], list(settings.values())), guarantee
        )
        found[LEADER] = advice.actions[:, -1]
        if LEARNERS in contenders:
            found[LEARNERS] = played(CreditedLeader([Recorded(advice.actions)], guarantee), kept)
        if META in contenders and mechanism == "same":
            found |= variants(game, mu, advice, [META])
        elif META in contenders:
            rng = rng_for(game.seed, "own-counts-rw-meta", game.state, mu)
            found |= RWMeta.play_many(advice, {META: (Decorrelation(), rng)}, game.repetitions)
    else:
        found[LEADER] = played(leader, kept)
    return {name: actions for name, actions in found.items() if name in contenders}, kept


def _posterior_plays(
    first: Reports, reports: Sequence[Reports], reach: Array, takes_back: float = 0.0
) -> Indices:
    """Return the actions of posterior means, (T, repetitions), by parts of the repetitions in turn."""
    copies, n = first.values.shape
    together = max(_FEWEST, _AT_ONCE // (n * len(PRIORS)))
    plays = []
    for start in range(0, copies, together):
        some = slice(start, start + together)
        received = (replace(report, values=report.values[some]) for report in (first, *reports))
        plays.append(played(PosteriorMeans(PRIORS, next(received), reach, takes_back), received))
    return np.concatenate(plays, axis=1)


def reporting(
    game: Game, mu: float, strategy: Array, name: str, *, own: bool
) -> tuple[CorrelatedReports | SideBySideReports, Reports]:
    """Return what makes a curator's reports by a strategy, and the reports on nothing before them."""
    if not own:
        return curator_of(at_level(game, mu), mu, strategy, name)
    guarantee, common = GaussianDP(mu, "central"), _noise(game, mu, name, own=True)
    n, share = game.gains.shape[1], own_share(guarantee, game.moved)
    part = CorrelatedReports(n, share, sensitivity=game.own_reach, strategy=strategy, **common)
    curator, scale = SideBySideReports([part], game.moved), _first_scale(game, guarantee)
    start = common["noise"].perturb(np.zeros(n), scale, common["repetitions"])
    return curator, Reports(start, curator.guarantee, scale)


def _noise(game: Game, mu: float, name: str, *, own: bool) -> dict[str, Any]:
    """Return the source of noise of a curator's contender, and the number of copies."""
    key = (name, "own counts") if own else (name,)
    return {
        "noise": SimulatedNoise(rng_for(game.seed, *key, game.state, mu)),
        "repetitions": at_level(game, mu).repetitions,
    }


class _Curator:
    """A curator's contenders with one mechanism. Strategies are best for the weeks and serve all levels."""

    def __init__(self, game: Game, mechanism: str, learners: Mapping[str, Any], contenders: set[str]) -> None:
        self.game, self.own, self.family, self.contenders = (
            game,
            mechanism == "own",
            learners["family"],
            contenders,
        )
        self.settings = list(settings_of(learners).values())
        self.weeks, self.n = game.gains.shape
        self.profile = game.sensitivity
        if self.own and contenders:
            # One strategy serves all hospitals. It is the best for how a hospital's reach varies over the
            # weeks.
            relative = game.own_reach / game.own_reach.mean(axis=0)
            self.profile = np.sqrt(np.square(relative).mean(axis=1))
        self.sums: dict[str, Callable[..., PrefixSums]] = {}
        if contenders & set(SUMS):
            self.sums = self._own_sums() if self.own else mechanisms(game)

    def _own_sums(self) -> dict[str, Callable[..., PrefixSums]]:
        """Return makers of one hospital's sums by name, from a guarantee and settings by keyword."""
        best = (
            best_strategy(prefix_sums(self.weeks), self.profile)
            if "optimised-sums" in self.contenders
            else None
        )
        return {
            "tree-tight": partial(TightTreeSums, self.n),
            "tree-honaker": partial(TightTreeSums, self.n, refined=True),
            "square-root": partial(MatrixSums, self.n, strategy=square_root(self.weeks)),
            "optimised-sums": partial(MatrixSums, self.n, strategy=best),  # type: ignore[arg-type]
        }

    @cached_property
    def _forecasting(self) -> Array:
        """The best strategy for the forecasts of the paper's learners."""
        return best_strategy(workload(self.family, self.settings, self.weeks), self.profile)

    def actions(self, mu: float, contenders: set[str]) -> dict[str, Indices]:
        """Return the actions of some of its contenders, (T, repetitions) each."""
        sums = {name: played(self.leader(name, mu), self.game.gains) for name in SUMS if name in contenders}
        return sums | self._learning(mu, contenders)

    def leader(self, name: str, mu: float) -> PrefixFTPL:
        """Return a leader of sums."""
        guarantee, common, make = (
            GaussianDP(mu, "central"),
            _noise(self.game, mu, name, own=self.own),
            self.sums[name],
        )
        if not self.own:
            return PrefixFTPL(make(guarantee, **common))
        share = own_share(guarantee, self.game.moved)
        return PrefixFTPL(
            SideBySideSums([make(share, sensitivity=self.game.own_reach, **common)], self.game.moved)
        )

    def _learning(self, mu: float, contenders: set[str]) -> dict[str, Indices]:
        """Return what those do who learn from a curator's reports."""
        found: dict[str, Indices] = {}
        if contenders & {"central-learners", LEARNERS_NOISE}:
            curator, first = reporting(self.game, mu, self._forecasting, "central-learners", own=self.own)
            reports = list(map(curator.report, self.game.gains))
            if "central-learners" in contenders:
                advice, _ = advice_of_learners(
                    TotalsLeader(first), first, reports, self.family, self.settings
                )
                # as central_learners has it
                span = 1 if np.isinf(mu) else min(window for window, _ in self.settings)
                smoothed = SmoothedLeader([Recorded(advice)], curator.guarantee, span=span)
                found["central-learners"] = played(smoothed, reports)
            if LEARNERS_NOISE in contenders:
                found[LEARNERS_NOISE] = _posterior_plays(first, reports, self.game.own_reach)
        for name, takes_back in ((INDEPENDENT, 0.0), (HALF, TAKES_BACK)):
            if name in contenders:
                strategy = geometric(self.weeks, takes_back)
                curator, first = reporting(self.game, mu, strategy, name, own=self.own)
                reports = list(map(curator.report, self.game.gains))
                found[name] = _posterior_plays(first, reports, self.game.own_reach, takes_back)
        return found
