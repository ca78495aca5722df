"""Cells of Table 2, each one state at one privacy level: means over repetitions, ratios, and their intervals."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from private_experts.replication.hospital.game import LEARNER

Array = NDArray[np.float64]

OTHERS = ("rw-ftpl", "min-noise", "min-regret")  # RW-Meta outperforms these, the paper says
# Columns with an interval; the column `<name>_pm` is its half-width.
ESTIMATES = (
    "rw_meta", "rw_ftpl", "min_noise", "min_regret", "best_linear", "static_regret",
    "ratio_to_min_noise", "ratio_to_best_linear", "lead",
)  # fmt: skip


def critical_value(confidence: float, intervals: int) -> float:
    """Return the critical value z of two-sided intervals that hold jointly at `confidence` (CLT, Bonferroni)."""
    return float(ndtri(1 - (1 - confidence) / (2 * intervals)))


def mean(sample: Array, z: float) -> tuple[float, float]:
    """Return the mean of independent repetitions and the half-width of its interval."""
    return float(sample.mean()), float(z * sample.std(ddof=1) / np.sqrt(sample.size))


def ratio(above: Array, below: Array, z: float) -> tuple[float, float]:
    """Return a ratio of means and the half-width of its interval (delta method, paired repetitions)."""
    value = above.mean() / below.mean()
    residual = (above - value * below) / below.mean()
    return float(value), float(z * residual.std(ddof=1) / np.sqrt(above.size))


def cell(totals: dict[str, Array], best_hospital: float, z: float, meta: str = "rw-meta") -> dict[str, object]:
    """Summarise one cell.

    Parameters
    ----------
    totals : dict of arrays, shape (repetitions,)
        Total gain by algorithm. The names of learners begin with `LEARNER`.
    best_hospital : float
        Total density of the best single hospital.
    z : float
        The critical value, from `critical_value`.
    meta : str
        The variant of RW-Meta that is taken as RW-Meta.

    Returns
    -------
    dict
        The `ESTIMATES` with their half-widths, `best_linear_name` and `best_hospital`. `lead` is the total gain of
        RW-Meta less that of the strongest of `OTHERS`. The best linear model is the learner with the largest mean; its
        interval ignores that it was chosen for that.
    """
    learners = {name: sample for name, sample in totals.items() if name.startswith(LEARNER)}
    best = max(learners, key=lambda name: learners[name].mean())
    strongest = max(OTHERS, key=lambda name: totals[name].mean())
    estimates = {
        "rw_meta": mean(totals[meta], z),
        "rw_ftpl": mean(totals["rw-ftpl"], z),
        "min_noise": mean(totals["min-noise"], z),
        "min_regret": mean(totals["min-regret"], z),
        "best_linear": mean(learners[best], z),
        "static_regret": mean(best_hospital - totals[meta], z),
        "ratio_to_min_noise": ratio(totals[meta], totals["min-noise"], z),
        "ratio_to_best_linear": ratio(totals[meta], learners[best], z),
        "lead": mean(totals[meta] - totals[strongest], z),
    }
    row: dict[str, object] = {"best_linear_name": best.removeprefix(LEARNER), "best_hospital": best_hospital}
    for name in ("uniform", "follow-the-leader"):
        if name in totals:
            row[name.replace("-", "_")] = float(totals[name].mean())
    for name, (value, half_width) in estimates.items():
        row[name], row[f"{name}_pm"] = value, half_width
    return row


def cells(
    totals: pd.DataFrame, best_hospital: dict[str, float], confidence: float, meta: str = "rw-meta"
) -> pd.DataFrame:
    """Summarise every state and level. The intervals hold jointly over the whole table.

    Parameters
    ----------
    totals : DataFrame
        Columns state, algorithm, mu, repetition, total.
    best_hospital : dict
        Total density of the best single hospital, by state.
    confidence : float
        Joint confidence.
    meta : str
        The variant of RW-Meta that is taken as RW-Meta.
    """
    groups = list(totals.groupby(["state", "mu"], sort=False))
    z = critical_value(confidence, len(groups) * len(ESTIMATES))
    rows = []
    for (state, mu), group in groups:
        samples = {str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)}
        rows.append({"state": state, "mu": mu, **cell(samples, best_hospital[str(state)], z, meta)})
    return pd.DataFrame(rows)
