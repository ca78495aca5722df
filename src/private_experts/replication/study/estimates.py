"""Means and ratios over repetitions, the best of several algorithms, and their intervals.

The largest of several means is too large on average, and so there are two ways here. *The least lead over
several rivals* (`least`) takes an interval for each rival, which hold jointly, and so covers the rival that
is truly the strongest, whichever looks so. *The best learner* (`picked`) is chosen for each half of the
repetitions on the other half, so that luck is not rewarded. [mathematics/000.md#best-of-several]
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri, stdtrit

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import in_weeks
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.tied import all_equal
from private_experts.ties import first_largest

if TYPE_CHECKING:
    import pandas as pd

Estimate = tuple[float, float]  # a value and the half-width of its interval


def critical_value(confidence: float, intervals: int, repetitions: int | None = None) -> float:
    """Return z of two-sided intervals that hold jointly (Bonferroni): normal, or Student's of repetitions."""
    # Two sides, and a union over all intervals of the table.
    right = 1 - (1 - confidence) / (2 * intervals)
    return float(ndtri(right) if repetitions is None else stdtrit(repetitions - 1, right))


def mean(sample: Array, z: float, exact: bool = False) -> Estimate:
    """Return the mean of independent repetitions and the half-width of its interval.

    Equal repetitions have a half-width of 0 where nothing is random (`exact`). Elsewhere they say nothing: it
    is infinite.
    """
    if all_equal(sample):
        return float(sample.mean()), 0.0 if exact else math.inf
    return float(sample.mean()), float(z * sample.std(ddof=1) / np.sqrt(sample.size))


def ratio(above: Array, below: Array, z: float, exact: bool = False) -> Estimate:
    """Return a ratio of means and its half-width (delta method, paired repetitions); see `mean`."""
    value = float(above.mean() / below.mean())
    # Linearised: a ratio of means has the variance of above - value below, over the mean of below.
    return value, mean(value + (above - value * below) / below.mean(), z, exact)[1]


def least(estimates: Iterable[Estimate]) -> Estimate:
    """Return the least of several values; its interval goes from the least lower to the least upper end."""
    values, half_widths = np.array(list(estimates)).T
    value = values.min()
    # The true least is no less than the least lower end, and no more than any upper end.
    low, high = (values - half_widths).min(), (values + half_widths).min()
    return float(value), float(max(value - low, high - value))


def largest(estimates: Iterable[Estimate]) -> Estimate:
    """Return the largest of several values, with an interval for the largest true one; see `least`."""
    value, half_width = least((-value, half_width) for value, half_width in estimates)
    return -value, half_width


def picked(samples: Sequence[Array]) -> Array:
    """Return the best of several samples, chosen for each half of repetitions by means of the other half."""
    table, result = np.array(samples), np.empty(len(samples[0]))
    # Alternating halves: blocks of repetitions are in both alike.
    odd = np.arange(result.size) % 2 == 1
    for half in (odd, ~odd):
        result[half] = table[first_largest(table[:, ~half].mean(axis=1)), half]
    return result


def caption_facts(games: "pd.DataFrame", panels: Mapping[str, Panel], confidence: float) -> dict[str, Any]:
    """Return what captions say of the intervals of some games."""
    weeks = in_weeks(len(panel.weeks) for panel in panels.values())
    return {"weeks": weeks, "repetitions": games["repetition"].max() + 1, "confidence": 100 * confidence}
