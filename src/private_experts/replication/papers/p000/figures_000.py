"""Figures from the evidence on paper 000. This paper's other figures have stages of their own."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.algorithms.fresh_scales import regret_bound, scales_for_horizon
from private_experts.algorithms.hedge_bounds import textbook_bound
from private_experts.replication.plotting.figures import legend, not_run, style
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, VERMILION

SMALLEST = 1e-3  # smaller ratios are drawn at the edge
WITHOUT = "bound of exponential weights without added noise"


def tightness(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw measured values divided by their bounds, one row a claim; for lower bounds, bound divided by value."""
    names = list(evidence)
    with style():
        figure = Figure(figsize=(5.5, 1.1 + 0.32 * len(names)), layout="constrained")
        axis = figure.subplots()
        for row, name in enumerate(names):
            part = evidence[name]
            if "value" not in part:
                axis.text(SMALLEST, row, " not run", va="center", fontsize=7)
                continue
            if "what" in part:  # no comparison of the program with balls
                part = part[part["what"] != "library"]
            middle, low, high = _ratios(part)
            rows = row + np.linspace(-0.3, 0.3, len(part)) if len(part) > 1 else np.full(1, float(row))
            axis.hlines(rows, low, high, color=BLUE, lw=0.6, alpha=0.5)
            within = high <= 1
            axis.plot(middle[within], rows[within], "o", ms=2, color=BLUE)
            axis.plot(middle[~within], rows[~within], "D", ms=3, color=VERMILION)
        axis.axvline(1, color=BLACK, lw=0.8, ls="--")
        axis.set_xscale("log")
        axis.set_xlim(SMALLEST * 0.9, 2)
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.set_xlabel("measured value / bound")
        return figure


def _ratios(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return value / bound, or bound / value for a lower bound, with its interval."""
    value, low, high, bound = (part[name].to_numpy(dtype=float) for name in ("value", "low", "high", "bound"))
    above = (part["sense"] == "<=").to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        three = [np.where(above, up / bound, bound / down) for up, down in ((value, value), (low, high), (high, low))]
    return tuple(np.clip(np.nan_to_num(each, nan=1.0, posinf=2.0), SMALLEST, 2.0) for each in three)


def theorem_3(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw RW-Meta's regret against the number of rounds, a panel a pair of learners, with bounds for two experts."""
    with style():
        figure = Figure(figsize=(7.2, 2.9), layout="constrained")
        panels = figure.subplots(1, len(evidence), sharey=True)
        for panel, table in zip(np.atleast_1d(panels), evidence.values(), strict=True):
            if "value" not in table:
                not_run(panel)
                continue
            part = table[table["best"] == "expectation"].astype({"T": float, "value": float, "eta": float})
            part = part[part["eta"] == part["eta"].min()].sort_values("T")
            eta = float(part["eta"].iloc[0])
            rounds = np.geomspace(part["T"].min(), part["T"].max(), 9)
            noises = [np.full(int(horizon), eta) for horizon in rounds]
            fresh = [regret_bound(scales_for_horizon(noise), noise, 2) for noise in noises]
            panel.plot(part["T"], part["value"], "o-", ms=4, color=VERMILION, label="RW-Meta's regret")
            panel.plot(part["T"], part["bound"].astype(float), "--", color=BLACK, label="Theorem 3 as printed")
            panel.plot(rounds, fresh, "-.", color=BLUE, label="bound with fresh noise")
            panel.plot(rounds, [textbook_bound(noise, 2) for noise in noises], ":", color=GREEN, label=WITHOUT)
            panel.set_xscale("log", subs=[])
            panel.set_xticks(part["T"], [f"{horizon:g}" for horizon in part["T"]])
            panel.set(yscale="log", xlabel="rounds", title=f"{part['learners'].iloc[0]}, η = {eta:g}")
        np.atleast_1d(panels)[0].set_ylabel("regret")
        legend(figure, np.atleast_1d(panels)[0])
    return figure
