"""Figures from the evidence on paper 000. This paper's other figures have stages of their own."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import style
from private_experts.replication.plotting.palette import BLACK, BLUE, VERMILION

SMALLEST = 1e-3  # smaller ratios are drawn at the edge


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
