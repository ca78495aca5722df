"""The study's games on one state's panel: who plays, on what, and what is recorded.

A round is a week. The algorithm names a hospital from the reports of the weeks before, then receives this week's
densities (noisy ones, if it is local), and gains the true density of the hospital it named. Bed counts, and with
them the noise scales, are taken to be public.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import Decorrelation, RWMeta
from private_experts.algorithms.tree_ftpl import TreeFTPL, min_noise, min_regret
from private_experts.algorithms.yardsticks import FollowTheLeader, Uniform
from private_experts.errors import InputError
from private_experts.games.play import play, private_reports
from private_experts.games.regret import earned, switches
from private_experts.hospital.panel import Panel
from private_experts.learners.linear_filter import LinearFilters, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.learners.recorded import Recorded
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for

Array = NDArray[np.float64]
Family = Literal["trend", "gaussian-process", "autoregression"]
Adjacency = Literal["move", "removal"]

LEARNER = "learner/"  # how the names of the learners begin, among the algorithms

# The paper's runs come first; the others answer Theorem 3 and erratum E000-2.
RW_META_VARIANTS = {
    "rw-meta": Decorrelation(floor=False),
    "rw-meta-floor": Decorrelation(floor=True),
    "rw-meta-centred": Decorrelation(floor=False, projection="centred"),
    "rw-meta-centred-floor": Decorrelation(floor=True, projection="centred"),
}


@dataclass(frozen=True)
class Game:
    """One state's stream under several privacy levels.

    Parameters
    ----------
    state : str
        Names the randomness: the same state, level and seed give the same noise in every scenario.
    gains : ndarray, shape (T, n)
        True densities.
    sensitivity : ndarray, shape (T,)
        L2 distance that one person can make in a week's densities.
    levels : tuple of float
        Privacy levels mu; ``inf`` is none.
    repetitions, seed : int
        Independent copies, and the study's seed.
    moved : int
        How many of a week's densities one person can move, each by the same distance.
    """

    state: str
    gains: Array
    sensitivity: Array
    levels: tuple[float, ...]
    repetitions: int
    seed: int
    moved: int = 2


@dataclass(frozen=True)
class Play:
    """What one algorithm did at one privacy level: gains (T, repetitions) and switches (repetitions,)."""

    algorithm: str
    mu: float
    earned: Array
    switches: NDArray[np.intp]


def game(
    panel: Panel,
    state: str,
    levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency = "move",
) -> Game:
    """Turn a panel into a game.

    Parameters
    ----------
    adjacency : {"move", "removal"}
        Whom the privacy is for. ``move``: a person may have gone to another hospital, which changes two densities
        by 1/beds each, so the sensitivity of a week is sqrt(2) / smallest bed count. ``removal``: a person may not
        have been a patient, which changes one: 1 / smallest bed count. [000, Section 4; formula DERIVED]
    """
    for mu in levels:
        if not mu > 0:
            raise InputError(f"privacy level mu = {mu}: write a positive number, or inf for no privacy")
    if repetitions < 1:
        raise InputError(f"repetitions: {repetitions} is not allowed; write 1 or more")
    if seed < 0:
        raise InputError(f"seed: {seed} is not allowed; write 0 or more")
    moved = 2 if adjacency == "move" else 1
    return Game(state, panel.density, math.sqrt(moved) / panel.smallest_beds, tuple(levels), repetitions, seed, moved)


def _recorded(game: Game, algorithm: str, mu: float, actions: NDArray[np.intp]) -> Play:
    return Play(algorithm, mu, earned(game.gains, actions), switches(actions))


def _follower(game: Game, mu: float) -> tuple[RWFTPL, Iterable[Array], Array]:
    """Return RW-FTPL, the noisy reports it follows and their scales; each call gives the same noise."""
    guarantee = GaussianDP(mu, "local")
    scales = np.array([guarantee.noise_scale(bound) for bound in game.sensitivity])
    noise = SimulatedNoise(rng_for(game.seed, "local noise", game.state, mu))
    follower = RWFTPL(game.gains.shape[1], guarantee, scales[0], noise, game.repetitions)
    return follower, private_reports(game.gains, scales, noise, game.repetitions), scales


def rw_ftpl(game: Game) -> list[Play]:
    """Play RW-FTPL at every privacy level."""
    plays = []
    for mu in game.levels:
        follower, reports, _ = _follower(game, mu)
        plays.append(_recorded(game, "rw-ftpl", mu, play(follower, reports)))
    return plays


def learner_bank(
    family: Family, settings: Sequence[tuple[int, float]], first_report: Array
) -> LinearFilters | PooledAutoregressions:
    """Return the learners of a family, one for each (window, strength)."""
    if family == "autoregression":
        return PooledAutoregressions(settings, first_report)
    weights = trend_weights if family == "trend" else gaussian_process_weights
    return LinearFilters(weights, settings, first_report)


def rw_meta(game: Game, family: Family, windows: Sequence[int], strengths: Sequence[tuple[str, float]]) -> list[Play]:
    """Play RW-Meta in all its variants at every privacy level, and record the learners it chooses between.

    Parameters
    ----------
    family : {"trend", "gaussian-process", "autoregression"}
        Kind of the rolling regressions.
    windows : sequence of int
        Weeks they remember.
    strengths : sequence of (str, float)
        Names and weights of their priors. RW-FTPL joins as one more learner.
    """
    for window in windows:
        if window < 1:
            raise InputError(f"window {window}: write 1 week or more")
    for name, strength in strengths:
        if not 0 < strength < math.inf:
            raise InputError(f"strength {name}={strength}: write a positive number")
    names = [f"{LEARNER}w{window}-{name}" for window in windows for name, _ in strengths]
    settings = [(window, strength) for window in windows for _, strength in strengths]
    plays = []
    for mu in game.levels:
        follower, reports, scales = _follower(game, mu)
        kept, advice = [], []
        bank = learner_bank(family, settings, follower.total.copy())
        for report in reports:
            advice.append(np.vstack([bank.predict(), follower.predict()]))
            bank.update(report)
            follower.update(report)
            kept.append(report)
        actions = np.array(advice)  # (T, learners, repetitions)
        for row, name in enumerate(names):
            plays.append(_recorded(game, name, mu, actions[:, row]))
        for name, decorrelation in RW_META_VARIANTS.items():
            rng = rng_for(game.seed, name, game.state, mu)
            meta = RWMeta([Recorded(actions)], follower.guarantee, scales, rng, decorrelation)
            plays.append(_recorded(game, name, mu, play(meta, kept)))
    return plays


def _central(game: Game, makers: dict[str, Callable[[float], Algorithm]]) -> list[Play]:
    """Play algorithms that see the true gains."""
    return [
        _recorded(game, name, mu, play(make(mu), game.gains)) for name, make in makers.items() for mu in game.levels
    ]


def tree_ftpl(game: Game) -> list[Play]:
    """Play the dyadic-tree baseline with both of its noise scales, for the largest sensitivity of all weeks."""
    (horizon, n), bound = game.gains.shape, float(game.sensitivity.max(initial=0.0))

    def make(name: str, scale: Callable[[float, int, float], float], mu: float) -> TreeFTPL:
        noise = SimulatedNoise(rng_for(game.seed, name, game.state, mu))
        return TreeFTPL(n, horizon, mu, scale(bound, horizon, mu), noise, game.repetitions)

    scales = {"min-noise": min_noise, "min-regret": min_regret}
    return _central(game, {name: partial(make, name, scale) for name, scale in scales.items()})


def yardsticks(game: Game) -> list[Play]:
    """Play follow-the-leader on true gains, and uniform choice; neither depends on the privacy level."""
    n = game.gains.shape[1]

    def uniform(mu: float) -> Uniform:
        return Uniform(n, rng_for(game.seed, "uniform", game.state, mu), game.repetitions)

    return _central(game, {"follow-the-leader": lambda mu: FollowTheLeader(n, game.repetitions), "uniform": uniform})
