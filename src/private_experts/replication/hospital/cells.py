"""Cells of Table 2, each one state at one privacy level: means over repetitions, ratios, and their intervals.

Some estimates are about the best of several algorithms. The largest of several means is too large on average, and so
there are two ways here. *The least lead over several rivals* (`least`) takes an interval for each rival, which hold
jointly, and so covers the rival that is truly the strongest, whichever looks so. *The best learner* (`picked`) is
chosen for each half of the repetitions on the other half, so that luck is not rewarded.
[mathematics/000.md#best-of-several]
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from private_experts.replication.hospital.game import FRESH, LEARNER
from private_experts.replication.intervals import all_equal

Array = NDArray[np.float64]
Estimate = tuple[float, float]  # a value and the half-width of its interval

OTHERS = ("rw-ftpl", "min-noise", "min-regret")  # RW-Meta outperforms these, the paper says
# Columns with an interval; the column `<name>_pm` is its half-width.
ESTIMATES = (
    "rw_meta", "rw_ftpl", "min_noise", "min_regret", "best_linear", "static_regret",
    "ratio_to_min_noise", "ratio_to_min_regret", "ratio_to_rw_ftpl", "ratio_to_best_linear",
    "lead", "second", "second_local", "central", "ratio_to_central", "lead_over_central", "second_central",
)  # fmt: skip


def critical_value(confidence: float, intervals: int, repetitions: int | None = None) -> float:
    """Return the critical value z of two-sided intervals that hold jointly at `confidence` (Bonferroni).

    It is the normal one, as in the paper (CLT); with a number of repetitions it is Student's t, which is larger.
    """
    right = 1 - (1 - confidence) / (2 * intervals)
    return float(ndtri(right) if repetitions is None else stdtrit(repetitions - 1, right))


def mean(sample: Array, z: float, exact: bool = False) -> Estimate:
    """Return the mean of independent repetitions and the half-width of its interval.

    Equal repetitions have a half-width of 0 where nothing is random (`exact`), as without privacy. Elsewhere they say
    nothing of the error, and it is infinite.
    """
    if all_equal(sample):
        return float(sample.mean()), 0.0 if exact else math.inf
    return float(sample.mean()), float(z * sample.std(ddof=1) / np.sqrt(sample.size))


def ratio(above: Array, below: Array, z: float, exact: bool = False) -> Estimate:
    """Return a ratio of means and the half-width of its interval (delta method, paired repetitions); see `mean`."""
    value = float(above.mean() / below.mean())
    return value, mean(value + (above - value * below) / below.mean(), z, exact)[1]


def least(estimates: Iterable[Estimate]) -> Estimate:
    """Return the least of several values, with an interval for the least of the true ones.

    It contains the range from the least lower end to the least upper end, and so holds where all single ones do.
    """
    values, half_widths = np.array(list(estimates)).T
    value = values.min()
    low, high = (values - half_widths).min(), (values + half_widths).min()
    return float(value), float(max(value - low, high - value))


def largest(estimates: Iterable[Estimate]) -> Estimate:
    """Return the largest of several values, with an interval for the largest of the true ones; see `least`."""
    value, half_width = least((-value, half_width) for value, half_width in estimates)
    return -value, half_width


def picked(samples: Sequence[Array]) -> Array:
    """Return the best of several samples, chosen for each half of the repetitions by the means of the other half."""
    table, result = np.array(samples), np.empty(len(samples[0]))
    odd = np.arange(result.size) % 2 == 1
    for half in (odd, ~odd):
        result[half] = table[table[:, ~half].mean(axis=1).argmax(), half]
    return result


class Asked(NamedTuple):
    """An estimate that can be asked for: how many intervals it rests on, and what it is, given the critical value."""

    intervals: int
    of: Callable[[float], Estimate]


def estimates(
    totals: Mapping[str, Array],
    best_hospital: float,
    central: Sequence[str],
    meta: str = "rw-meta",
    exact: bool = False,
) -> dict[str, Asked]:
    """Return the `ESTIMATES` of one cell by name. Each needs only the algorithms that it is about.

    Parameters
    ----------
    totals : mapping of arrays, shape (repetitions,)
        Total gain by algorithm. The names of learners begin with `LEARNER`.
    best_hospital : float
        Total density of the best single hospital.
    central : sequence of str
        The central algorithms among those that played. With none the estimates about them are left out.
    meta : str
        The variant of RW-Meta that is taken as RW-Meta.
    exact : bool
        Whether equal repetitions are exact; see `mean`.

    Returns
    -------
    dict
        - `lead`: RW-Meta less the strongest of `OTHERS`; `second`: Min Noise less Min Regret; `second_local`: Min Noise
          less RW-FTPL.
        - `central`: the strongest central algorithm; `ratio_to_central` and `lead_over_central`: RW-Meta over it and
          less it; `second_central`: it less RW-FTPL.
        - `best_linear`: the best learner, chosen as in `picked`.
        - `fresh` and `cost_of_fresh`, where FRESH played: its gain, and what it gains less than RW-Meta.
    """

    def of(name: str) -> Array:
        return totals[name]

    def linear() -> Array:
        return picked([sample for name, sample in totals.items() if name.startswith(LEARNER)])

    mean_of, ratio_of, several = partial(mean, exact=exact), partial(ratio, exact=exact), len(central)
    asked = {
        "rw_meta": Asked(1, lambda z: mean_of(of(meta), z)),
        "rw_ftpl": Asked(1, lambda z: mean_of(of("rw-ftpl"), z)),
        "min_noise": Asked(1, lambda z: mean_of(of("min-noise"), z)),
        "min_regret": Asked(1, lambda z: mean_of(of("min-regret"), z)),
        "best_linear": Asked(1, lambda z: mean_of(linear(), z)),
        "static_regret": Asked(1, lambda z: mean_of(best_hospital - of(meta), z)),
        "ratio_to_min_noise": Asked(1, lambda z: ratio_of(of(meta), of("min-noise"), z)),
        "ratio_to_min_regret": Asked(1, lambda z: ratio_of(of(meta), of("min-regret"), z)),
        "ratio_to_rw_ftpl": Asked(1, lambda z: ratio_of(of(meta), of("rw-ftpl"), z)),
        "ratio_to_best_linear": Asked(1, lambda z: ratio_of(of(meta), linear(), z)),
        "lead": Asked(len(OTHERS), lambda z: least(mean_of(of(meta) - of(name), z) for name in OTHERS)),
        "second": Asked(1, lambda z: mean_of(of("min-noise") - of("min-regret"), z)),
        "second_local": Asked(1, lambda z: mean_of(of("min-noise") - of("rw-ftpl"), z)),
    }
    if central:
        asked |= {
            "central": Asked(several, lambda z: largest(mean_of(of(name), z) for name in central)),
            "ratio_to_central": Asked(several, lambda z: least(ratio_of(of(meta), of(name), z) for name in central)),
            "lead_over_central": Asked(several, lambda z: least(mean_of(of(meta) - of(name), z) for name in central)),
            "second_central": Asked(
                several, lambda z: largest(mean_of(of(name) - of("rw-ftpl"), z) for name in central)
            ),
        }
    if FRESH in totals:
        asked["fresh"] = Asked(1, lambda z: mean_of(of(FRESH), z))
        asked["cost_of_fresh"] = Asked(1, lambda z: mean_of(of("rw-meta") - of(FRESH), z))
    return asked


def cells(
    totals: pd.DataFrame,
    best_hospital: dict[str, float],
    confidence: float,
    central: Sequence[str],
    meta: str = "rw-meta",
) -> pd.DataFrame:
    """Summarise every state and level. The intervals hold jointly over the whole table.

    Parameters
    ----------
    totals : DataFrame
        Columns state, algorithm, mu, repetition, total.
    best_hospital : dict
        Total density of the best single hospital, by state. The rows have the order of these states; records of other
        states are left out.
    confidence : float
        Joint confidence.
    central : sequence of str
        The central algorithms that are known, from `players.central`. Those that played are compared. With none the
        estimates about the strongest of them are left out.
    meta : str
        The variant of RW-Meta that is taken as RW-Meta.

    Returns
    -------
    DataFrame
        One row for each state and level: the `ESTIMATES` with their half-widths (``_pm``), the `best_hospital`, the
        yardsticks that played, and the names of the learner and of the central algorithm with the largest means.
    """
    groups = [
        (state, mu, {str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)})
        for state in best_hospital
        for mu, group in totals[totals["state"] == state].groupby("mu", sort=False)
    ]
    played = [name for name in central if all(name in samples for _, _, samples in groups)]
    asked = [estimates(samples, best_hospital[state], played, meta, mu == math.inf) for state, mu, samples in groups]
    z = critical_value(confidence, sum(each.intervals for cell in asked for each in cell.values()))
    rows = []
    for (state, mu, samples), cell in zip(groups, asked, strict=True):
        means = {name: float(sample.mean()) for name, sample in samples.items()}
        best = max((name for name in means if name.startswith(LEARNER)), key=means.__getitem__)
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[state]}
        row["best_linear_name"] = best.removeprefix(LEARNER)
        if played:
            row["central_name"] = max(played, key=means.__getitem__)
        row |= {name.replace("-", "_"): means[name] for name in ("uniform", "follow-the-leader") if name in means}
        for name, each in cell.items():
            row[name], row[f"{name}_pm"] = each.of(z)
        rows.append(row)
    return pd.DataFrame(rows)
