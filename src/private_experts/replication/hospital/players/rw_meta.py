"""RW-Meta and its variants on the noisy reports of a panel, and the learners that it chooses from."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_meta import Decorrelation, RWMeta
from private_experts.errors import InputError
from private_experts.games.play import play as played
from private_experts.learners.linear_filter import LinearFilters, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.learners.recorded import Recorded
from private_experts.randomness import rng_for
from private_experts.replication.drawing.palette import BLUE
from private_experts.replication.hospital.game import LEARNER, Game, Play, record
from private_experts.replication.hospital.players import Contender
from private_experts.replication.hospital.players.rw_ftpl import follower

Array = NDArray[np.float64]

# The first is the one that the paper ran. Theorem 3 is about the floor, and erratum E000-2 about centring.
VARIANTS = {
    "rw-meta": Decorrelation(floor=False),
    "rw-meta-floor": Decorrelation(floor=True),
    "rw-meta-centred": Decorrelation(floor=False, projection="centred"),
    "rw-meta-centred-floor": Decorrelation(floor=True, projection="centred"),
}
FILTERS = {"trend": trend_weights, "gaussian-process": gaussian_process_weights}
LABELS = {"rw-meta": "RW-Meta", "rw-meta-floor": "RW-Meta with the floor", "rw-meta-centred": "RW-Meta, centred"}
LABELS |= {"rw-meta-centred-floor": "RW-Meta, centred, with the floor"}
SHOWN = {
    name: Contender(LABELS[name], "000", "nobody", "mu-GDP", BLUE, "o", "-", place=0, compared=name == "rw-meta")
    for name in VARIANTS
}


def learner_bank(
    family: str, settings: Sequence[tuple[int, float]], first_report: Array
) -> LinearFilters | PooledAutoregressions:
    """Return the learners of a family, one for each pair (window, strength)."""
    if family == "autoregression":
        return PooledAutoregressions(settings, first_report)
    return LinearFilters(FILTERS[family], settings, first_report)


def play(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play RW-Meta and its variants at every privacy level, and record the learners that they choose from.

    Parameters
    ----------
    game : Game
    learners : mapping
        The config's section: the `family` of the rolling regressions, their `windows` in weeks, and the `strengths` of
        their priors by name. RW-FTPL is one more learner.
    """
    if missing := {"family", "windows", "strengths"} - learners.keys():
        raise InputError(f"learners: {sorted(missing)[0]} is missing; config/schema.yaml explains it")
    if learners["family"] not in (*FILTERS, "autoregression"):
        raise InputError(f"learners.family: {learners['family']} is none of {', '.join(FILTERS)}, autoregression")
    windows, strengths = learners["windows"], list(learners["strengths"].items())
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
        leader, reports, scales = follower(game, mu)
        kept, advice = [], []
        bank = learner_bank(learners["family"], settings, leader.total.copy())
        for report in reports:
            advice.append(np.vstack([bank.predict(), leader.predict()]))
            bank.update(report)
            leader.update(report)
            kept.append(report)
        actions = np.array(advice)  # (T, learners, repetitions)
        for row, name in enumerate(names):
            plays.append(record(game, name, mu, actions[:, row]))
        for name, decorrelation in VARIANTS.items():
            rng = rng_for(game.seed, name, game.state, mu)
            meta = RWMeta([Recorded(actions)], leader.guarantee, scales, rng, decorrelation)
            plays.append(record(game, name, mu, played(meta, kept)))
    return plays
