"""The tables of the study of readings: scores of kinds, trees and readings, and what each does to Table 2."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import percent
from private_experts.replication.study import published
from private_experts.replication.study.families import FAMILIES, KINDS
from private_experts.replication.study.readings import choice, scores
from private_experts.replication.study.readings.choice import LeftOut, Reading
from private_experts.replication.study.readings.reading_games import PERIODS, TREES, floor_name
from private_experts.replication.study.readings.scores import OF_LEARNERS, OF_TREES, Statistic, Totals
from private_experts.replication.study.statements import STATEMENTS
from private_experts.replication.study.tied import difference, rounded

ADMISSIBLE = "2t"  # the floor that is printed
PLAYED_TREE = "padded, largest"  # the one that the player `tree_ftpl` plays
PRINTED = 42  # statistics of the paper's Table 2
CAPTION = (
    "How far the statistics of each reading of paper 000 are from the printed ones: root mean square of "
    "log(ours / printed), {repetitions} repetitions. Settings within a kind are chosen for each state "
    "on the other states. In brackets are intervals by resampling blocks of {block} weeks, at "
    "{confidence:g} %. All kinds share the draws: so there are intervals of differences to the kind "
    "that scores least, and shares of the draws in which each kind does. The floor is 2t as printed; "
    "another one, or none, is for comparison. {sentence}"
)
ALL_CAPTION = (
    "Every reading of paper 000, scored as in the table of readings, without anything left out; the score "
    "of the widths of intervals over those of Min Noise (California); and the best model at μ = 0.25, "
    "which in the paper is w8-strong in Pennsylvania and has window 64 in New Mexico."
)
STATEMENTS_CAPTION = (
    "What becomes of the statements about Table 2 under each kind of learner and floor, with the "
    "strengths that score least: cells in which a statement holds, fails and is undecided."
)


@dataclass(frozen=True)
class Scored:
    """All readings of one period against the printed statistics."""

    statistics: list[Statistic]  # printed for the states and levels that played
    tree_statistics: list[Statistic]
    # log(ours / printed) by floor and reading, or by tree: (statistics, 1 + resamples).
    logs: dict[str, dict[Reading, Array]] = field(default_factory=dict)
    trees: dict[str, Array] = field(default_factory=dict)
    models: dict[Reading, dict[str, str]] = field(default_factory=dict)  # the best at mu = 0.25, by state

    @property
    def states(self) -> list[str]:
        """The states that have printed statistics."""
        return list(dict.fromkeys(statistic.state for statistic in self.statistics))

    def squares(self, floor: str) -> dict[Reading, dict[str, Array]]:
        """Return the mean square over the statistics of each state, by reading."""
        return {
            # Squares by state, since states are left out in turn, and squares can be averaged over those that
            # stay.
            reading: {
                state: scores.score(logs, self.statistics, OF_LEARNERS, [state]) ** 2 for state in self.states
            }
            for reading, logs in self.logs[floor].items()
        }

    def readings_of(self, kind: str, floor: str) -> list[Reading]:
        """Return the readings of a kind that were played, simplest first."""
        return [reading for family in KINDS[kind] for reading in self.logs[floor] if reading[0] == family]

    def left_out(self, floor: str) -> dict[str, LeftOut]:
        """Return the left-out score of each kind that played, simplest first; none if nothing is printed."""
        if not self.statistics:
            return {}
        squares = self.squares(floor)
        kinds = {kind: self.readings_of(kind, floor) for kind in KINDS}
        return {kind: choice.left_out(squares, readings) for kind, readings in kinds.items() if readings}

    def best(self, kind: str, floor: str) -> Reading:
        """Return the settings of a kind that score least on all states."""
        return choice.best_settings(self.squares(floor), self.readings_of(kind, floor))

    def best_tree(self) -> str:
        """Return the tree that scores least."""
        found = {
            tree: scores.score(logs, self.tree_statistics, OF_TREES, self.states)[0]
            for tree, logs in self.trees.items()
        }
        return list(found)[int(rounded(list(found.values()), choice.DIGITS).argmin())]


def scored(
    weekly: Mapping[str, pd.DataFrame],
    windows: Sequence[int],
    strengths: Mapping[str, Sequence[float]],
    floors: Sequence[float],
    levels: Sequence[float],
    resampling: tuple[int, int, int],
) -> Scored:
    """Score a period's readings, by family and ``trees``; `resampling`: block length, resamples, seed."""
    states = list(dict.fromkeys(weekly["trees"]["state"]))
    found = Scored(
        scores.statistics(OF_LEARNERS, states, levels), scores.statistics(OF_TREES, states, levels)
    )
    trees = Totals(weekly["trees"], *resampling)
    for tree in TREES:
        ours = scores.of_trees(trees, found.tree_statistics, tree)
        found.trees[tree] = scores.to_printed(ours, found.tree_statistics)
    for family in (family for family in FAMILIES if family in weekly):
        totals = Totals(weekly[family], *resampling)
        for name, triple in strengths.items():
            found.models[family, name] = scores.leading_models(totals, windows, strengths, name)
            for floor in map(floor_name, floors):
                ours = scores.of_learners(totals, found.statistics, windows, triple, name, floor)
                found.logs.setdefault(floor, {})[family, name] = scores.to_printed(ours, found.statistics)
    return found


def sentence(found: Scored, plays: Mapping[str, Any], strengths: Mapping[str, Sequence[float]]) -> str:
    """Say what the rule chooses, and whether the study plays it."""
    if not found.statistics:
        return "None of the states has printed statistics."
    # On fewer statistics the rule would choose something else, and nobody should read that as its answer.
    if len(found.statistics) + len(found.tree_statistics) < PRINTED:
        return "The rule needs the three states of the paper, and its four privacy levels."
    family, name = found.best(choice.best_kind(found.left_out(ADMISSIBLE)), ADMISSIBLE)
    learners = f"{family} with the strengths {', '.join(f'{strength:g}' for strength in strengths[name])}"
    text = f"The rule chooses {learners}, and the tree that is {found.best_tree()}. "
    theirs = (
        f"{plays['family']} with the strengths "
        f"{', '.join(f'{strength:g}' for strength in plays['strengths'].values())}"
    )
    same = "these learners" if theirs == learners else f"other learners, {theirs}"
    return f"{text}The study plays {same}, and the tree that is {PLAYED_TREE}."


def by_kind(periods: Mapping[str, Scored], confidence: float) -> pd.DataFrame:
    """Return the left-out score of each kind and floor, and the score of each tree, in each period."""
    whole, rows = periods[PERIODS[0]], []
    for floor in whole.logs:
        of_period = {name: found.left_out(floor) for name, found in periods.items()}
        kinds = of_period[PERIODS[0]]
        for kind, left in kinds.items():
            family, name = whole.best(kind, floor)
            row = {
                "what": kind,
                "floor": floor,
                "admissible": floor == ADMISSIBLE,
                "family": family,
                "strengths": name,
            }
            row |= _with_interval("score", left.score, confidence)
            # A difference on the same draws: two scores' own intervals overlap long before their difference
            # is uncertain.
            row |= _with_interval(
                "less_best", difference(left.score, kinds[choice.best_kind(kinds)].score), confidence
            )
            # How certain the choice is: a share of draws and no p-value.
            row["least_in"] = choice.share_least(kinds, kind)
            row |= {f"chosen for {state}": ", ".join(reading) for state, reading in left.chosen.items()}
            row |= {
                period: float(of_period[period][kind].score[0]) if kind in of_period[period] else math.nan
                for period in PERIODS[1:]
            }
            logs = whole.logs[floor][family, name]
            for group in OF_LEARNERS:
                row |= _with_interval(
                    group, scores.score(logs, whole.statistics, [group], whole.states), confidence
                )
            rows.append(row)
    for tree, logs in whole.trees.items():
        row = {"what": f"tree: {tree}", "floor": "", "admissible": True, "family": "", "strengths": ""}
        row |= _with_interval(
            "score", scores.score(logs, whole.tree_statistics, OF_TREES, whole.states), confidence
        )
        for period in PERIODS[1:]:
            halved = periods[period]
            row[period] = float(
                scores.score(halved.trees[tree], halved.tree_statistics, OF_TREES, halved.states)[0]
            )
        for group in OF_TREES:
            row |= _with_interval(
                group, scores.score(logs, whole.tree_statistics, [group], whole.states), confidence
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _with_interval(name: str, score: Array, confidence: float) -> dict[str, float]:
    low, high = scores.interval(score, confidence)
    return {name: float(score[0]), f"{name}_low": low, f"{name}_high": high}


def shown_by_kind(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of kinds and trees for readers."""
    groups = [name for name in (*OF_LEARNERS, *OF_TREES) if name in table]

    def cell(row: Mapping[Any, Any], name: str) -> str:
        if math.isnan(row[name]):
            return ""
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        return f"{row[name]:.3f}" + ("" if math.isnan(low) else f" [{low:.3f}, {high:.3f}]")

    rows = []
    for row in table.to_dict("records"):
        settings = f"{row['family']}, {row['strengths']}" if row["family"] else ""
        rows.append(
            {
                "reading": row["what"],
                "floor": row["floor"],
                "left-out score": cell(row, "score"),
                "less the best": cell(row, "less_best") if row["family"] else "",
                "least in": percent(row["least_in"]) if row["family"] else "",
                **{name: f"{row[name]:.3f}" for name in PERIODS[1:]},
                "settings that score least": settings,
                **{name: cell(row, name) for name in groups},
            }
        )
    return pd.DataFrame(rows)


def every(periods: Mapping[str, Scored], answers: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the scores of every reading: by group, in both halves, of widths; and the best models."""
    whole, rows = periods[PERIODS[0]], []
    for floor, of_floor in whole.logs.items():
        for (family, name), logs in of_floor.items():
            row: dict[str, Any] = {"family": family, "strengths": name, "floor": floor}
            for period, found in periods.items():
                of_period = found.logs[floor][family, name]
                row[period] = float(scores.score(of_period, found.statistics, OF_LEARNERS, found.states)[0])
            for group in OF_LEARNERS:
                row[group] = float(scores.score(logs, whole.statistics, [group], whole.states)[0])
            row["widths"] = _of_widths(answers[family], name, floor)
            rows.append(
                row | {f"best model, {state}": model for state, model in whole.models[family, name].items()}
            )
    return pd.DataFrame(rows)


def _of_widths(answers: pd.DataFrame, strengths: str, floor: str) -> float:
    """Return the score of the widths of intervals over Min Noise's, however many hold jointly."""
    of_reading = answers[(answers["strengths"] == strengths) & (answers["floor"] == floor)]
    logs = []
    for row in of_reading.to_dict("records"):
        if (row["state"], row["mu"]) in published.WIDTHS:
            meta, noise, regret = published.WIDTHS[row["state"], row["mu"]]
            # Ratios of widths: the paper does not say how many intervals its own hold jointly for.
            logs.append(math.log(row["rw_meta_pm"] / row["min_noise_pm"] * noise / meta))
            logs.append(math.log(row["min_regret_pm"] / row["min_noise_pm"] * noise / regret))
    return float(np.sqrt(np.mean(np.square(logs)))) if logs else math.nan


def every_reading_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of every reading for readers."""
    return table.map(lambda value: f"{value:.3f}" if isinstance(value, float) else value)


def of_statements(answers: Mapping[str, pd.DataFrame], found: Scored) -> pd.DataFrame:
    """Count the answers to each statement under each kind and floor, with the strengths that score least."""
    rows = []
    for floor in found.logs:
        for kind in found.left_out(floor):
            family, name = found.best(kind, floor)
            table = answers[family]
            of_reading = table[(table["strengths"] == name) & (table["floor"] == floor)]
            for statement in (statement for statement in STATEMENTS if statement.name in of_reading):
                # A statement about a mean has one answer, which stands in the row of every level.
                of_states = of_reading.drop_duplicates("state") if statement.of_mean else of_reading
                counts = {
                    word: int((of_states[statement.name] == word).sum())
                    for word in ("agrees", "differs", "undecided")
                }
                rows.append({"kind": kind, "floor": floor, "statement": statement.name, **counts})
    return pd.DataFrame(rows, columns=["kind", "floor", "statement", "agrees", "differs", "undecided"])


def shown_statements(table: pd.DataFrame) -> pd.DataFrame:
    """Return the counts for readers: a row for each kind and floor, a column for each statement."""
    rows = []
    for (kind, floor), part in table.groupby(["kind", "floor"], sort=False):
        by_answer = {
            row["statement"]: f"{row['agrees']} / {row['differs']} / {row['undecided']}"
            for row in part.to_dict("records")
        }
        rows.append({"learners": kind, "floor": floor, **by_answer})
    return pd.DataFrame(rows)
