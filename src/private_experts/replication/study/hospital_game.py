"""One state's panel as a game, and the record of an algorithm that played it.

Hospitals are the experts, and a round is a week. The algorithm names a hospital, knowing the reports of the
weeks before. It then receives this week's densities, noisy ones if it is local, and gains the true density of
the hospital that it named. Bed counts are taken to be public, and so are the noise scales, which follow from
them.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.games.play import play, private_reports
from private_experts.games.regret import earned, switches
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.study import players
from private_experts.replication.study.choices import Adjacency, Reach
from private_experts.replication.study.data.panel import Panel, read
from private_experts.replication.study.report_noise import ReportNoise, noise_of_reports, pooled

Player = TypeVar("Player", bound=Algorithm)

LEARNER = "learner/"  # how the names of RW-Meta's learners begin, among those who play
FRESH = "rw-meta-fresh"  # RW-Meta with fresh noise
HEDGE = "rw-meta-hedge"  # exponential weights of its learners, without added noise
BLOCK = 100  # repetitions that are played together


@dataclass(frozen=True)
class Game:
    """One state's gains, and the privacy levels at which algorithms play on them."""

    state: str  # it seeds the noise, so that all scenarios share it
    gains: Array  # (T, n)
    sensitivity: Array  # (T,): L2 distance by which one person can change the densities of a week
    levels: tuple[float, ...]  # mu; inf is no privacy
    repetitions: int
    seed: int
    moved: int = 2  # densities of a week that one person can change
    # Kept apart from the sensitivity: own counts need each hospital's, and the paper's noise the week's
    # largest.
    reach: Array | None = None  # (T, n): how far one person moves each density; None where beds are not known
    covering: Array | None = None  # the same in a file with suppressed and carried figures

    @property
    def own_reach(self) -> Array:
        """How far one person moves the density of each hospital; refused where beds are not known."""
        if self.reach is None:
            raise InputError(
                f"{self.state}: the beds of each hospital are not there; the stage panels writes them"
            )
        return self.reach

    @property
    def own_covering(self) -> Array:
        """How far one person moves each density in a file with suppressed and carried figures; or refused."""
        if self.covering is None:
            raise InputError(
                f"{self.state}: how far one person moves a cleaned figure is not there; write panels anew"
            )
        return self.covering


@dataclass(frozen=True)
class Play:
    """The record of an algorithm at one privacy level: gains (T, repetitions) and switches (repetitions,)."""

    algorithm: str
    mu: float
    earned: Array
    switches: Indices
    report_noise: ReportNoise | None = (
        None  # of one of those who play on the same reports, and who have noise
    )

    def total_rows(self, state: str) -> list[str]:
        """Return a row of `formats.TOTALS` for each repetition."""
        sums = zip(self.earned.sum(axis=0).tolist(), self.switches.tolist(), strict=True)
        return [f"{state},{self.algorithm},{self.mu!r},{r},{s!r},{n}" for r, (s, n) in enumerate(sums)]


def game(
    panel: Panel,
    state: str,
    levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
) -> Game:
    """Turn a panel into a game.

    Another hospital (`move`) changes two densities by 1/beds each, so a week's sensitivity is sqrt(2) /
    smallest bed count (DERIVED); one patient more (`removal`) changes one. One person counts for `reach`
    patients. [000, Section 4] Densities are at most 1, so below `reach` beds the sensitivity grows no
    further. Where that is "derived", the noise of a week is for the hospital whose cleaned figure one person
    moves furthest, by the suppressed value and the weeks that carry it.
    [mathematics/000.md#own-counts-suppression]
    """
    for mu in levels:
        if not mu > 0:
            raise InputError(f"privacy level mu = {mu}: write a positive number, or inf for no privacy")
    if repetitions < 1:
        raise InputError(f"repetitions: {repetitions} is not allowed; write 1 or more")
    if seed < 0:
        raise InputError(f"seed: {seed} is not allowed; write 0 or more")
    moved = 2 if adjacency == "move" else 1
    match = Game(
        state,
        panel.density,
        panel.smallest_beds,
        tuple(levels),
        repetitions,
        seed,
        moved,
        None,
        panel.covering,
    )
    if reach == "derived":  # as in `own_games.play_covered`
        own = match.own_covering
        return replace(match, sensitivity=math.sqrt(moved) * own.max(axis=1, initial=0.0), reach=own)
    if isinstance(reach, str) or not reach >= 1:
        raise InputError(
            f"hospital.reach: {reach} is not allowed; write 1, more where figures are suppressed, or derived"
        )
    # A density is at most 1, so one person cannot move two of them by more than sqrt(2).
    sensitivity = np.minimum(reach * math.sqrt(moved) / panel.smallest_beds, math.sqrt(moved))
    own_reach = None if panel.beds is None else np.minimum(reach / panel.beds, 1.0)
    return replace(match, sensitivity=sensitivity, reach=own_reach)


def at_level(game: Game, mu: float) -> Game:
    """Return a game as it is played at a level by whom noise alone makes random: else one copy is enough."""
    # Equal copies would only cost time, and their spread of 0 would pass for certainty.
    return game if mu < math.inf else replace(game, repetitions=1)


def record(
    game: Game, algorithm: str, mu: float, actions: Indices, reports: Sequence[Reports] | None = None
) -> Play:
    """Return the record of actions: what they gained and how often they switched.

    Their shape is (T, repetitions), or (T, 1) where all repetitions do the same. Where the `reports` that
    were played on are given, their noise is recorded too.
    """
    gained = np.broadcast_to(earned(game.gains, actions), (len(actions), game.repetitions))
    report_noise = noise_of_reports(game.gains, reports) if reports is not None else None
    return Play(algorithm, mu, gained, np.broadcast_to(switches(actions), game.repetitions), report_noise)


def local_game(
    game: Game, mu: float, make: Callable[[GaussianDP, SimulatedNoise], Player]
) -> tuple[Player, Iterable[Reports]]:
    """Return a local algorithm and the noisy reports that it gets: the same noise at a level in any call."""
    guarantee = GaussianDP(mu, "local")
    # Named without the algorithm: local contenders at a level hear the same reports, so differences are
    # paired.
    noise = SimulatedNoise(rng_for(game.seed, "local noise", game.state, mu))
    player = make(guarantee, noise)
    return player, private_reports(game.gains, guarantee, game.sensitivity, noise, game.repetitions)


def central_plays(game: Game, makers: Mapping[str, Callable[[Game, float], Algorithm]]) -> list[Play]:
    """Play algorithms that see the true gains, at every privacy level.

    A maker takes the level, and the game as at that level. What is random without noise takes all
    repetitions.
    """
    return [
        record(game, name, mu, play(make(at_level(game, mu), mu), game.gains))
        for name, make in makers.items()
        for mu in game.levels
    ]


def seed_of(seed: int, block: int) -> int:
    """Return the seed under which a block of repetitions is played. The first is under the study's own."""
    # The first block is the study of at most 100 repetitions: more of them leave its numbers as they are.
    return int(rng_for(seed, "block of games", block).integers(2**63)) if block else seed


def plays_of(
    algorithm: str,
    panels: Sequence[Path],
    privacy_levels: Sequence[float],
    repetitions: int,
    seed: int,
    adjacency: Adjacency,
    reach: Reach,
    settings: Mapping[str, Any],
) -> Iterator[tuple[str, list[Play]]]:
    """Yield each state, and the plays of a player there; none where there is nothing to choose from."""
    play_all: Callable[..., list[Play]] = players.module(algorithm).play
    sizes = [min(BLOCK, repetitions - played) for played in range(0, repetitions, BLOCK)]
    sizes = sizes or [repetitions]  # which a game refuses
    for panel in panels:
        made = []
        for block, count in enumerate(sizes):
            match = game(
                read(panel), panel.stem, privacy_levels, count, seed_of(seed, block), adjacency, reach
            )
            made.append(play_all(match, **settings) if match.gains.shape[1] > 1 else [])
        yield panel.stem, [_joined(parts) for parts in zip(*made, strict=True)]


def _joined(parts: Sequence[Play]) -> Play:
    """Return the play of all blocks."""
    gained = np.concatenate([part.earned for part in parts], axis=1)
    switched = np.concatenate([part.switches for part in parts])
    return replace(
        parts[0], earned=gained, switches=switched, report_noise=pooled([part.report_noise for part in parts])
    )


def check_settings(algorithm: str, panels: Sequence[Path], settings: Mapping[str, Any]) -> None:
    """Refuse a panel that is given twice, and other sections of the config than a player asks for."""
    names = [panel.stem for panel in panels]
    if twice := next((panel for panel in panels if names.count(panel.stem) > 1), None):
        raise InputError(
            f"games: --panels: {twice.stem} is given twice; give one file for each state, named after it"
        )
    sections = players.sections(algorithm)
    if settings.keys() != set(sections) or not all(
        isinstance(setting, Mapping) for setting in settings.values()
    ):
        raise InputError(
            f"games: --settings has {sorted(settings)}; this player needs the sections {sorted(sections)}"
        )
