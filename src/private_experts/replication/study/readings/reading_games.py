"""The games of a reading: mean gains by week of its learners, of RW-Meta among them, and of a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.arrays import Array
from private_experts.games.play import play as played
from private_experts.games.regret import earned
from private_experts.randomness import rng_for
from private_experts.replication.study.data.panel import BESIDE, Panel
from private_experts.replication.study.hospital_game import LEARNER, Game
from private_experts.replication.study.players import tree_ftpl
from private_experts.replication.study.players.rw_ftpl import follower
from private_experts.replication.study.players.rw_meta import Followed, advised, followed
from private_experts.replication.study.statements import answers
from private_experts.replication.study.table_2 import cells_of

Strengths = Mapping[str, Sequence[float]]  # weak, medium and strong, by the name of the triple

PERIODS = ("all weeks", "first half", "second half")
FIRST = PERIODS[1]
TREE_ROWS = "trees"  # among the families of the records
WIDTHS = ("rw_meta_pm", "min_noise_pm", "min_regret_pm")  # as they are printed for California
# Whether a prefix is padded to as many nodes in each week, and whether a node's noise is for its own weeks.
TREES = {
    "padded, largest": (True, False),
    "unpadded, largest": (False, False),
    "padded, weekly": (True, True),
    "unpadded, weekly": (False, True),
}


def period(panel: Panel, name: str) -> Panel:
    """Return the panel of a period, with the hospitals of all weeks. Of an odd number the first has more."""
    weeks = len(panel.weeks)
    part = {
        "all weeks": slice(None),
        "first half": slice((weeks + 1) // 2),
        "second half": slice((weeks + 1) // 2, None),
    }
    rows = part[name]
    beside: dict[str, Any] = {
        name: None if (values := getattr(panel, name)) is None else values[rows] for name in BESIDE
    }
    return replace(
        panel,
        weeks=panel.weeks[rows],
        density=panel.density[rows],
        smallest_beds=panel.smallest_beds[rows],
        **beside,
    )


def learner(window: int, strength: float) -> str:
    """Return the name of a learner in the records."""
    return f"{LEARNER}w{window}-{strength:g}"


def floor_name(rate: float) -> str:
    """Return a floor for readers, as 2t."""
    return "none" if rate == 0 else "t" if rate == 1 else f"{rate:g}t"


def meta(strengths: str, floor: str) -> str:
    """Return the name of RW-Meta among the learners of a triple, with a floor, in the records."""
    return f"rw-meta/{strengths}/{floor}"


def followed_at_each_level(game: Game) -> dict[float, Followed]:
    """Return RW-FTPL's reports and plays at each level, which are the same beside all families."""
    return {mu: followed(game, mu) for mu in game.levels}


def family_games(
    game: Game,
    beside: Mapping[float, Followed],
    family: str,
    windows: Sequence[int],
    strengths: Strengths,
    floors: Sequence[float],
) -> Iterator[tuple[float, str, Array]]:
    """Yield level, name and gains (T, repetitions) of each learner, and of each RW-Meta among them."""
    pairs = [
        (window, strength)
        for window in windows
        for strength in sorted({s for triple in strengths.values() for s in triple})
    ]
    for mu, reported in beside.items():
        advice = advised(reported, family, pairs)
        # All strengths of all triples at once: RW-Meta on some of them takes its rows from here.
        everyone = advice.everyone(game.repetitions)
        for row, pair in enumerate(pairs):
            yield mu, learner(*pair), earned(game.gains, everyone[:, row])
        for name, triple in strengths.items():
            # Triples share learners, so that each learner is played once for all triples.
            rows = [pairs.index((window, strength)) for window in windows for strength in triple]
            # The last row is RW-FTPL, which is a learner in every triple.
            among = KnownAdvice(advice.actions[:, [*rows, -1]], advice.reports, advice.guarantee)
            choices = {
                floor_name(rate): (
                    Decorrelation(floor=rate),
                    rng_for(game.seed, "readings", family, name, rate, game.state, mu),
                )
                for rate in floors
            }
            for floor, actions in RWMeta.play_many(among, choices, game.repetitions).items():
                yield mu, meta(name, floor), earned(game.gains, actions)


def of_period(weekly: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the gains of a period. Learners' of the first half are those of all weeks, stopped."""
    rows = weekly["period"] == name
    if name == FIRST and not rows.any():
        weeks = weekly.groupby("state")["week"].transform("max") + 1
        rows = (weekly["period"] == PERIODS[0]) & (weekly["week"] < (weeks + 1) // 2)
    return weekly[rows]


def tree_games(game: Game) -> Iterator[tuple[float, str, Array]]:
    """Yield the level, the name and the gains of Min Noise and Min Regret on each of `TREES`."""
    for tree, (padded, weekly) in TREES.items():
        for play in tree_ftpl.play_readings(game, padded=padded, weekly=weekly):
            yield play.mu, f"{play.algorithm}/{tree}", play.earned


def by_week(plays: Iterable[tuple[float, str, Array]]) -> pd.DataFrame:
    """Return mean gains by week: mu, algorithm, week, and the means over even and over odd repetitions."""
    levels, names, gains = zip(*plays, strict=True)
    weeks = len(gains[0])
    return pd.DataFrame(
        {
            "mu": np.repeat(levels, weeks),
            "algorithm": np.repeat(names, weeks),
            "week": np.tile(np.arange(weeks), len(gains)),
            # In halves, because the best learner is chosen on one half of the repetitions and measured on the
            # other.
            "even": np.concatenate([gain[:, ::2].mean(axis=1) for gain in gains]),
            "odd": np.concatenate([gain[:, 1::2].mean(axis=1) for gain in gains]),
        }
    )


def answers_of_family(
    totals: Mapping[str, Mapping[tuple[float, str], Array]],
    others_of: Mapping[str, Mapping[float, Mapping[str, Array]]],
    game_of: Mapping[str, Game],
    windows: Sequence[int],
    strengths: Strengths,
    floors: Sequence[float],
    confidence: float,
) -> pd.DataFrame:
    """Return what Table 2's statements answer under each reading of a family, and half-widths `WIDTHS`.

    `others_of` has by state what `others` gained.
    """
    best = {state: float(game.gains.sum(axis=0).max()) for state, game in game_of.items()}
    parts = []
    for name, triple in strengths.items():
        learners = [learner(window, strength) for window in windows for strength in triple]
        for floor in map(floor_name, floors):
            groups = []
            for state, found in totals.items():
                for mu in game_of[state].levels:
                    samples = {player: found[mu, player] for player in learners}
                    samples |= {"rw-meta": found[mu, meta(name, floor)]} | dict(others_of[state][mu])
                    groups.append((state, mu, samples))
            table = cells_of(groups, best, confidence, central=())
            parts.append(answers(table).join(table[list(WIDTHS)]).assign(strengths=name, floor=floor))
    return pd.concat(parts, ignore_index=True)


def others(game: Game) -> dict[float, dict[str, Array]]:
    """Return the total gains of the algorithms beside RW-Meta, by level and name."""
    found = {
        mu: {"rw-ftpl": earned(game.gains, played(*follower(game, mu))).sum(axis=0)} for mu in game.levels
    }
    for play in tree_ftpl.play(game):
        found[play.mu][play.algorithm] = play.earned.sum(axis=0)
    return found
