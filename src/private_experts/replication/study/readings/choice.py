"""The rule that chooses the study's reading of paper 000. [docs/readings.md]"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.study.tied import first_least, rounded

Reading = tuple[str, str]  # a family, and the name of a triple of strengths
DIGITS = 3  # scores that agree to so many decimals tie, and the first is taken


class LeftOut(NamedTuple):
    """The left-out score of a kind: its value, resampled values, and the settings chosen for each state."""

    score: Array
    chosen: dict[str, Reading]


def left_out(squares: Mapping[Reading, Mapping[str, Array]], readings: Sequence[Reading]) -> LeftOut:
    """Return a kind's score with settings chosen, for each state, on the other states' mean squares."""
    states = list(squares[readings[0]])
    table = np.array(
        [[squares[reading][state] for state in states] for reading in readings]
    )  # reading, state, resample
    found, chosen = np.empty(table.shape[1:]), {}
    for at, state in enumerate(states):
        # Settings for a state are chosen without it, or a kind with more settings would win by fitting.
        others = np.delete(table, at, axis=1) if len(states) > 1 else table
        # To the digits that settle: of readings as good as each other the simplest is taken, on every
        # processor.
        first = rounded(np.sqrt(others.mean(axis=1)), DIGITS).argmin(axis=0)
        found[at] = table[first, at, np.arange(table.shape[2])]
        chosen[state] = readings[int(first[0])]
    return LeftOut(np.sqrt(found.mean(axis=0)), chosen)


def best_settings(squares: Mapping[Reading, Mapping[str, Array]], readings: Sequence[Reading]) -> Reading:
    """Return the reading with the least score on all states."""
    scores = [np.sqrt(np.mean([square[0] for square in squares[reading].values()])) for reading in readings]
    return readings[int(rounded(scores, DIGITS).argmin())]


def best_kind(scores: Mapping[str, LeftOut]) -> str:
    """Return the kind with the least left-out score; kinds are given simplest first."""
    kinds = list(scores)
    return kinds[int(rounded([scores[kind].score[0] for kind in kinds], DIGITS).argmin())]


def share_least(scores: Mapping[str, LeftOut], kind: str) -> float:
    """Return the share of the resamples in which a kind scores least; NaN where none was drawn."""
    table = np.array([score.score[1:] for score in scores.values()])
    return float((first_least(table, 0) == list(scores).index(kind)).mean()) if table.shape[1] else math.nan
