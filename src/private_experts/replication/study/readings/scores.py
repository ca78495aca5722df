"""How far a reading's statistics are from the printed ones: log(ours / printed) of unitless ratios."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.study.published import TABLE_2
from private_experts.replication.study.readings.reading_games import learner, meta
from private_experts.replication.study.tied import best
from private_experts.ties import first_largest

RW_META, BEST_LINEAR = "RW-Meta / best linear", "best linear / at ∞"
MIN_NOISE, MIN_REGRET = "Min Noise / at ∞", "Min Regret / Min Noise"
OF_LEARNERS, OF_TREES = (RW_META, BEST_LINEAR), (MIN_NOISE, MIN_REGRET)


class Statistic(NamedTuple):
    """A printed statistic: which, in which cell."""

    group: str
    state: str
    mu: float

    @property
    def printed(self) -> float:
        """Its printed value."""
        rw_meta, min_noise, min_regret, linear = TABLE_2[self.state, self.mu]
        _, noise_alone, _, linear_alone = TABLE_2[self.state, math.inf]
        return {
            RW_META: rw_meta / linear,
            BEST_LINEAR: linear / linear_alone,
            MIN_NOISE: min_noise / noise_alone,
            MIN_REGRET: min_regret / min_noise,
        }[self.group]


def statistics(groups: Sequence[str], states: Sequence[str], levels: Sequence[float]) -> list[Statistic]:
    """Return the statistics that are printed for these states and levels, state by state."""
    return [
        Statistic(group, state, mu)
        for state in states
        for group in groups
        for mu in levels
        # Without privacy a ratio to the value without privacy is 1, and would count as a perfect hit.
        if (state, mu) in TABLE_2
        and (group in (RW_META, MIN_REGRET) or (mu < math.inf and math.inf in levels))
    ]


def resampled(weeks: int, block: int, resamples: int, seed: int) -> Array:
    """Return how often each week counts, (1 + resamples, weeks): once in row 0, then as blocks are drawn.

    Blocks start anywhere and go on from the last week with the first. Games of as many weeks share the draws.
    """
    counts = np.ones((1 + resamples, weeks))
    rng = rng_for(seed, "blocks of weeks", weeks)
    for row in counts[1:]:
        # Blocks and not weeks: gains of neighbouring weeks are alike, and single weeks would look
        # independent.
        starts = rng.integers(0, weeks, -(-weeks // block))
        drawn = (starts[:, None] + np.arange(block)).ravel()[:weeks] % weeks
        row[:] = np.bincount(drawn, minlength=weeks)
    return counts


class Totals:
    """Total gains on the weeks as they are and as they are resampled, shape (1 + resamples,) each."""

    def __init__(self, weekly: pd.DataFrame, block: int, resamples: int, seed: int) -> None:
        self._found: dict[tuple[str, float, str], tuple[Array, Array]] = {}
        counts: dict[int, Array] = {}
        # State by state, whose games have the same weeks: a group for each game takes twice the time.
        for state, games in weekly.groupby("state", sort=False):
            halves = games.pivot(index=["mu", "algorithm"], columns="week", values=["even", "odd"])
            weeks = halves.shape[1] // 2
            if weeks not in counts:
                counts[weeks] = resampled(weeks, block, resamples, seed)
            even, odd = (halves[half].to_numpy() @ counts[weeks].T for half in ("even", "odd"))
            for row, (mu, algorithm) in enumerate(halves.index):
                self._found[str(state), mu, algorithm] = even[row], odd[row]

    def mean(self, state: str, mu: float, algorithm: str) -> Array:
        """Return the mean over all repetitions."""
        even, odd = self._found[state, mu, algorithm]
        return (even + odd) / 2

    def best(self, state: str, mu: float, names: Sequence[str]) -> Array:
        """Return the mean of the best, chosen by each half of the repetitions for the other half."""
        even, odd = np.array([self._found[state, mu, name] for name in names]).swapaxes(0, 1)
        at = np.arange(even.shape[1])
        # Chosen on one half and measured on the other, so that luck is not rewarded.
        return (odd[first_largest(even, 0), at] + even[first_largest(odd, 0), at]) / 2

    def leading(self, state: str, mu: float, names: Sequence[str]) -> str:
        """Return the name with the largest mean on the weeks as they are."""
        return best({name: float(self.mean(state, mu, name)[0]) for name in names})


def of_learners(
    totals: Totals,
    listed: Sequence[Statistic],
    windows: Sequence[int],
    triple: Sequence[float],
    strengths: str,
    floor: str,
) -> Array:
    """Return our value of each statistic of a learner triple, shape (statistics, 1 + resamples)."""
    names = [learner(window, strength) for window in windows for strength in triple]

    def ours(statistic: Statistic) -> Array:
        _, state, mu = statistic
        linear = totals.best(state, mu, names)
        if statistic.group == RW_META:
            return totals.mean(state, mu, meta(strengths, floor)) / linear
        return linear / totals.best(state, math.inf, names)

    return np.array([ours(statistic) for statistic in listed])


def of_trees(totals: Totals, listed: Sequence[Statistic], tree: str) -> Array:
    """Return our value of each statistic of a tree, shape (statistics, 1 + resamples)."""

    def ours(statistic: Statistic) -> Array:
        _, state, mu = statistic
        noise = totals.mean(state, mu, f"min-noise/{tree}")
        if statistic.group == MIN_NOISE:
            return noise / totals.mean(state, math.inf, f"min-noise/{tree}")
        return totals.mean(state, mu, f"min-regret/{tree}") / noise

    return np.array([ours(statistic) for statistic in listed])


def to_printed(ours: Array, listed: Sequence[Statistic]) -> Array:
    """Return log(ours / printed) of each statistic."""
    # Logarithms of ratios: twice and half as much are equally wrong, and units of gains cancel.
    return np.array([np.log(mine / statistic.printed) for mine, statistic in zip(ours, listed, strict=True)])


def score(logs: Array, listed: Sequence[Statistic], groups: Sequence[str], states: Sequence[str]) -> Array:
    """Return root mean squares of these groups' and states' statistics, (1 + resamples,); NaN of none."""
    rows = [
        row for row, statistic in enumerate(listed) if statistic.group in groups and statistic.state in states
    ]
    result: Array = np.sqrt((logs[rows] ** 2).mean(axis=0)) if rows else np.array([np.nan])
    return result


def interval(score: Array, confidence: float) -> tuple[float, float]:
    """Return the interval (percentiles) of a score whose first entry is its value, the others resampled."""
    if len(score) < 3:
        return math.nan, math.nan
    # Percentiles, as a root mean square is far from normal where it is near 0.
    low, high = np.quantile(score[1:], [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def leading_models(
    totals: Totals, windows: Sequence[int], strengths: Mapping[str, Sequence[float]], triple: str
) -> dict[str, str]:
    """Return the best model at mu = 0.25, by state: its window, and weak, medium or strong."""
    words = dict(zip(strengths[triple], ("weak", "medium", "strong"), strict=False))
    names = {
        learner(window, strength): f"w{window}-{words[strength]}"
        for window in windows
        for strength in strengths[triple]
    }
    states = dict.fromkeys(state for state, mu, _ in totals._found if mu == 0.25)
    return {state: names[totals.leading(state, 0.25, list(names))] for state in states}
