"""RW-Meta on the noisy reports of a panel, beside its learners and two other ways to choose.

Its further variants are another player, `rw_meta_variants`.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.fresh_scales import gumbel_scales, scales_for_horizon
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.games.play import play as played
from private_experts.learners.recorded import Recorded
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.plotting.palette import BLUE
from private_experts.replication.study.families import FAMILIES
from private_experts.replication.study.families import learners as of_family
from private_experts.replication.study.hospital_game import (
    FRESH,
    HEDGE,
    LEARNER,
    Game,
    Play,
    at_level,
    record,
)
from private_experts.replication.study.players import Contender
from private_experts.replication.study.players.rw_ftpl import follower

# How each variant chooses between m learners. The first is the paper's algorithm, with its floor [FOUND]. The
# others are ours: without the floor, centred (E000-2), with fresh noise, and exponential weights without
# extra noise (E000-6).
Make = Callable[[Recorded, int, GaussianDP, Array, np.random.Generator], CreditedLeader]


def _fresh(
    learners: Recorded, m: int, guarantee: GaussianDP, scales: Array, rng: np.random.Generator
) -> FreshMeta:
    return FreshMeta([learners], guarantee, scale=scales_for_horizon(scales), rng=rng)


def _gumbel(
    learners: Recorded, m: int, guarantee: GaussianDP, scales: Array, rng: np.random.Generator
) -> FreshMeta:
    gumbel, normal, _ = gumbel_scales(scales, m)
    return FreshMeta([learners], guarantee, scale=normal, rng=rng, gumbel=gumbel)


def _hedge(
    learners: Recorded, m: int, guarantee: GaussianDP, scales: Array, rng: np.random.Generator
) -> HedgeMeta:
    return HedgeMeta([learners], guarantee, rng=rng)


VARIANTS: dict[str, Decorrelation | Make] = {
    "rw-meta": Decorrelation(),
    "rw-meta-no-floor": Decorrelation(floor=0),
    "rw-meta-centred": Decorrelation(projection="centred"),
    "rw-meta-centred-no-floor": Decorrelation(floor=0, projection="centred"),
    FRESH: _fresh,
    "rw-meta-gumbel": _gumbel,
    HEDGE: _hedge,
}
LABELS = {
    "rw-meta": "RW-Meta",
    "rw-meta-no-floor": "RW-Meta, no floor",
    "rw-meta-centred": "RW-Meta, centred",
}
LABELS |= {"rw-meta-centred-no-floor": "RW-Meta, centred, no floor"}
LABELS |= {FRESH: "RW-Meta, fresh noise", "rw-meta-gumbel": "RW-Meta, fresh Gumbel noise"}
LABELS |= {HEDGE: "Exponential weights of learners"}
IN_TABLE_2 = ("rw-meta", FRESH, HEDGE)  # which are played in all states and scenarios


def contenders_of(names: Collection[str]) -> dict[str, Contender]:
    """Return how variants appear."""
    return {
        name: Contender(
            LABELS[name],
            "000" if name == "rw-meta" else "",
            "nobody",
            "mu-GDP",
            BLUE,
            "o",
            "-",
            place=0,
            tabled=name == "rw-meta",
        )
        for name in names
    }


# In one statement: what a module does when it is imported counts for its players, and looks must not.
SHOWN = contenders_of(IN_TABLE_2) | {
    name: replace(shown, marker="D", dashes="-.", tabled=True)
    for name, shown in contenders_of([FRESH]).items()
}


def settings_of(learners: Mapping[str, Any]) -> dict[str, tuple[int, float]]:
    """Return the settings (window, strength) of the learners by name, from the config's section."""
    if missing := {"family", "windows", "strengths"} - learners.keys():
        raise InputError(f"learners: {sorted(missing)[0]} is missing; config/schema.yaml explains it")
    if learners["family"] not in FAMILIES:
        raise InputError(
            f"learners.family: {learners['family']!r} is unknown; write one of {', '.join(FAMILIES)}"
        )
    windows, strengths = learners["windows"], list(learners["strengths"].items())
    for window in windows:
        if window < 1:
            raise InputError(f"window {window}: write 1 week or more")
    for name, strength in strengths:
        if not 0 < strength < math.inf:
            raise InputError(f"strength {name}={strength}: write a positive number")
    return {
        f"{LEARNER}w{window}-{name}": (window, strength) for window in windows for name, strength in strengths
    }


class Followed(NamedTuple):
    """RW-FTPL's reports of a game, what it plays on them, and reports on nothing: alike for all families."""

    first: Reports
    reports: list[Reports]
    actions: Indices


def followed(game: Game, mu: float) -> Followed:
    """Play RW-FTPL. Without noise one copy is played for all."""
    leader, reports = follower(at_level(game, mu), mu)
    first = Reports(leader.total, leader.guarantee, leader.guarantee.noise_scale(float(game.sensitivity[0])))
    kept = list(reports)
    return Followed(first, kept, played(leader, kept))


def advised(beside: Followed, family: str, settings: Sequence[tuple[int, float]]) -> KnownAdvice:
    """Return what the learners advise on RW-FTPL's reports, and RW-FTPL as the last of them."""
    first, reports, actions = beside
    return KnownAdvice(_with_leader(actions, first, reports, family, settings), reports, first.guarantee)


def advice_of_learners(
    leader: Learner,
    first: Reports,
    reports: Iterable[Reports],
    family: str,
    settings: Sequence[tuple[int, float]],
) -> tuple[Indices, list[Reports]]:
    """Return what learners and a leader of the totals do on reports (T, m, repetitions), and the reports."""
    kept = list(reports)
    return _with_leader(played(leader, kept), first, kept, family, settings), kept


def _with_leader(
    actions: Indices,
    first: Reports,
    reports: list[Reports],
    family: str,
    settings: Sequence[tuple[int, float]],
) -> Indices:
    return np.concatenate([played(of_family(family, settings, first), reports), actions[:, None]], axis=1)


def play(game: Game, learners: Mapping[str, Any]) -> list[Play]:
    """Play those of Table 2 at every privacy level, and record the learners that they choose from."""
    return play_variants(game, learners, IN_TABLE_2)


def play_variants(game: Game, learners: Mapping[str, Any], wanted: Collection[str]) -> list[Play]:
    """Play the learners and the wanted variants, which are named as in `VARIANTS`. Otherwise as `play`."""
    settings = settings_of(learners)
    plays = []
    for mu in game.levels:
        advice = advised(followed(game, mu), learners["family"], list(settings.values()))
        plays += [record(game, name, mu, advice.actions[:, row]) for row, name in enumerate(settings)]
        # All hear the same reports, whose noise is recorded once.
        for number, (name, actions) in enumerate(variants(game, mu, advice, wanted).items()):
            plays.append(record(game, name, mu, actions, None if number else advice.reports))
    return plays


def variants(game: Game, mu: float, advice: KnownAdvice, wanted: Collection[str]) -> dict[str, Indices]:
    """Return the actions of each wanted variant, of shape (T, repetitions)."""
    everyone, m = advice.everyone(game.repetitions), advice.actions.shape[1]
    choices, found = {}, {}
    for name, variant in VARIANTS.items():
        if name not in wanted:
            continue
        # By the variant's name: another variant beside it changes no draw.
        rng = rng_for(game.seed, name, game.state, mu)
        if isinstance(variant, Decorrelation):
            choices[name] = variant, rng
        else:
            # The learners have played already: variants differ in the choice alone.
            found[name] = played(
                variant(Recorded(everyone), m, advice.guarantee, advice.scales, rng), advice.reports
            )
    return RWMeta.play_many(advice, choices, game.repetitions) | found
