"""Beds follow patients: by how much, and what it costs to divide by a number that was public beforehand.

Staffed beds move with a person, and with them the denominator of a density and the scale of the noise, which
no stated level counts. Here each hospital divides by, and scales its noise to, its median beds of the first
year, and the weeks after that year are played. The gain is what it is elsewhere: the share of the beds of the
week. [threat-model.md#beds]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.privacy.own_counts import fixed_rates
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.study.data.cleaning import BED_FAULT
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import caption_facts, critical_value, mean
from private_experts.replication.study.hospital_game import Game, Play, record
from private_experts.replication.study.own_counts.own_games import (
    MECHANISMS,
    META,
    local_actions,
    name_of,
)

YEAR, WEEK = np.timedelta64(364, "D"), np.timedelta64(7, "D")
# Both noises play on both kinds of beds, which takes twice as many games as elsewhere.
STRONGEST, COPIES = 0.25, 50  # the strongest level that is played, and repetitions at most
CAPTION = (
    "Fixed beds: RW-Meta where each hospital divides by, and scales its noise to, the median of its beds of "
    "the first year of the data, and where it takes the beds of the week, as elsewhere. A hospital that "
    "opened later has the beds of its first report. The level is the same, but with the beds of the week it "
    "does not count that beds follow patients. Noise is the mean ratio of the scales on own counts. The gain "
    "is always the share of the beds of the week, over {weeks} after that year; mean of {repetitions} "
    "repetitions. In numbers the table also has by how many beds a hospital's beds move with one patient "
    "more, and the standard error of that. ± are CLT intervals that hold jointly over the table at "
    "{confidence:g} % (Bonferroni)."
)
WEEKLY, FIXED = "beds of the week", "fixed beds"
_NOISE = {"same": "paper's noise", "own": "own counts"}
# Column: the contender, and whom it is compared with in each repetition.
_PLAYED = {
    f"{where}_{mechanism}": f"{title}/{name_of(mechanism, META)}"
    for where, title in (("weekly", WEEKLY), ("fixed", FIXED))
    for mechanism in MECHANISMS
}
_COMPARED = {"cost": ("weekly_own", "fixed_own"), "lead": ("fixed_own", "fixed_same")}


def split(panel: Panel) -> tuple[Panel, Array]:
    """Return the panel of the weeks after the first year, and each hospital's median beds of that year."""
    weeks = np.array(panel.weeks, dtype="datetime64[D]")
    later = weeks >= weeks[:1] + YEAR if len(weeks) else np.zeros(0, dtype=bool)
    assert panel.beds is not None
    parts = {name: getattr(panel, name)[later] for name in ("density", "smallest_beds", "beds")}
    covering = None if panel.covering is None else panel.covering[later]
    kept = tuple(week for week, is_later in zip(panel.weeks, later, strict=True) if is_later)
    number = np.median(panel.beds[~later], axis=0) if len(weeks) else np.ones(0)
    return replace(panel, weeks=kept, covering=covering, **parts), number


def on_fixed(panel: Panel, number: Array) -> Panel:
    """Return what hospitals report where each divides by its number, in all weeks."""
    assert panel.beds is not None
    rates, reach = fixed_rates(panel.density * panel.beds, number)
    beds = np.broadcast_to(number, panel.beds.shape)
    covering = None if panel.covering is None else np.minimum(panel.covering * panel.beds / number, 1)
    smallest = np.full(len(panel.weeks), 1 / reach.max())
    return replace(panel, density=rates, smallest_beds=smallest, beds=beds, covering=covering)


def play_fixed(panel: Panel, match: Callable[[Panel], Game], learners: Mapping[str, Any]) -> list[Play]:
    """Play RW-Meta in the weeks after the first year, on the beds of the week and on fixed ones."""
    later, number = split(panel)
    if not later.weeks:
        return []
    game, fixed = match(later), match(on_fixed(later, number))
    copies = min(game.repetitions, COPIES)
    game, fixed = replace(game, repetitions=copies), replace(fixed, repetitions=copies)
    return [
        record(
            game,
            f"{title}/{name_of(mechanism, META)}",
            mu,
            local_actions(reported, mu, mechanism, learners, {META})[0][META],
        )
        for title, reported in ((WEEKLY, game), (FIXED, fixed))
        for mechanism in MECHANISMS
        for mu in game.levels
        if mu >= STRONGEST
    ]


def follow(panel: Panel) -> tuple[float, float]:
    """Return by how many beds a hospital's beds move with one patient more, and its standard error.

    It is the slope of weekly changes, of hospitals with patients in both weeks. The changes of one hospital
    may depend on each other, and so may those of one week. Both are NaN where nothing changes.
    """
    assert panel.beds is not None
    beds, patients = panel.beds, panel.density * panel.beds
    there = (panel.density[1:] > 0) & (panel.density[:-1] > 0)
    consecutive = np.diff(np.array(panel.weeks, dtype="datetime64[D]")) == WEEK
    steady = np.maximum(beds[1:] / beds[:-1], beds[:-1] / beds[1:]) < BED_FAULT
    used = there & steady & consecutive[:, None]

    def changes(values: Array) -> Array:
        found = np.diff(values, axis=0)
        return np.where(used, found - found[used].mean(), 0.0) if used.any() else np.zeros_like(found)

    more, moved = changes(patients), changes(beds)
    squares = np.square(more).sum()
    if not squares:
        return math.nan, math.nan
    slope = (more * moved).sum() / squares
    scores = more * (moved - slope * more)
    # Clustered by hospital and by week, in which what is in both is counted twice.
    by_hospital, by_week, alone = (
        np.square(part).sum() for part in (scores.sum(axis=0), scores.sum(axis=1), scores)
    )
    # The difference can be small by chance: never less than by either alone.
    return float(slope), float(np.sqrt(max(by_hospital + by_week - alone, by_hospital, by_week)) / squares)


def facts(games: pd.DataFrame, panels: Mapping[str, Panel], confidence: float) -> dict[str, Any]:
    """Return what the caption says of the games on fixed beds."""
    mine = games[games["algorithm"].isin([*_PLAYED.values()])]
    found = caption_facts(mine, {state: split(panel)[0] for state, panel in panels.items()}, confidence)
    return found if len(mine) else found | {"repetitions": 0}  # of a year or less


def fixed_numbers(totals: pd.DataFrame, panels: Mapping[str, Panel], confidence: float) -> pd.DataFrame:
    """Return one row for each state and level: how beds follow, noise, and gains with half-widths.

    A state whose reports end within a year plays no game, and has one row without a level.
    """
    mine = totals[totals["algorithm"].isin([*_PLAYED.values()])]
    groups = list(mine.groupby(["state", "mu"], sort=False))
    z = critical_value(confidence, max(1, len(groups)) * (len(_PLAYED) + len(_COMPARED)))
    follows = {state: follow(panel) for state, panel in panels.items()}
    rows: list[dict[str, object]] = []
    for (state, mu), group in groups:
        later, number = split(panels[str(state)])
        assert later.beds is not None
        slope, error = follows[str(state)]
        noise = float((later.beds / number)[later.density > 0].mean())
        row: dict[str, object] = {"state": state, "mu": mu, "follows": slope, "follows_error": error}
        row |= {"noise": noise}
        samples = {name: part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)}
        for name, algorithm in _PLAYED.items():
            row[name], row[f"{name}_pm"] = mean(samples[algorithm], z)
        for name, (more, less) in _COMPARED.items():
            row[name], row[f"{name}_pm"] = mean(samples[_PLAYED[more]] - samples[_PLAYED[less]], z)
        rows.append(row)
    rows += [
        {"state": state, "mu": math.nan, "follows": slope, "follows_error": error}
        for state, (slope, error) in follows.items()
        if state not in {*mine["state"]}
    ]
    return pd.DataFrame(rows, columns=None if rows else ["state", "mu", "follows", "follows_error", "noise"])


def fixed_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    rows = []
    for row in table[table["mu"].notna()].to_dict("records"):
        text = {name: with_interval(row[name], row[f"{name}_pm"], 1) for name in (*_PLAYED, *_COMPARED)}
        rows.append(
            {
                "state": row["state"],
                "μ": level(row["mu"]),
                "noise, fixed / of the week": f"{row['noise']:.2f}",
                **{
                    f"{title}, {_NOISE[mechanism]}": text[f"{where}_{mechanism}"]
                    for where, title in (("weekly", WEEKLY), ("fixed", FIXED))
                    for mechanism in MECHANISMS
                },
                "what fixed beds cost own counts": text["cost"],
                "fixed beds: own counts - paper's noise": text["lead"],
            }
        )
    return pd.DataFrame(rows)


def follow_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return by state how beds follow patients, and the noise, from the rows of the table in numbers."""
    return pd.DataFrame(
        {
            "state": row["state"],
            "beds for one patient more": f"{float(row['follows']):.2f}",
            "standard errors from 0": f"{float(row['follows']) / float(row['follows_error']):.1f}",
            "noise on fixed beds / on those of the week": f"{float(row['noise']):.2f}",
        }
        for row in {row["state"]: row for row in rows}.values()
    )
