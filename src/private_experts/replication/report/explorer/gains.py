"""The games of all states, in few signs: cumulative gain by week, and how far repetitions differ from its mean."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import level
from private_experts.replication.report.explorer.compact import GAIN, SPREAD, steps
from private_experts.replication.study.batching.frames import groups
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value

CELL = ["state", "algorithm", "mu"]
_ROUNDING = 1e-9  # a spread below it is one of rounding errors


def spreads(curves: pd.DataFrame) -> Array:
    """Return the standard deviations over the repetitions, 0 where repetitions differ by rounding alone."""
    spread = curves["spread"].to_numpy(dtype=np.float64)
    return np.where(spread > _ROUNDING, spread, 0.0)


def half_width(curves: pd.DataFrame, repetitions: int, confidence: float) -> tuple[float, int]:
    """Return the half-width of a mean's interval for each unit of its standard deviation, and the number of intervals.

    They hold jointly for all states, levels, algorithms and weeks, because a reader looks for what strikes in any.
    """
    intervals = int(np.count_nonzero(spreads(curves)))
    if not intervals:
        return 0.0, 0
    return critical_value(confidence, intervals, repetitions) / math.sqrt(repetitions), intervals


def states(curves: pd.DataFrame, panels: Mapping[str, Panel]) -> list[dict[str, Any]]:
    """Return each played state's hospitals, and, as `compact.steps`, the best total by week, and gains and spreads."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    noted = curves.assign(spread=spreads(curves))
    for (state, algorithm, mu), part in groups(noted, CELL):
        pair = [steps(part["gain"], GAIN), steps(part["spread"], SPREAD)]
        found.setdefault(state, {}).setdefault(algorithm, {})[level(mu)] = pair
    return [
        {
            "state": state,
            "hospitals": len(panel.hospitals),
            "weeks": list(panel.weeks),
            "best": steps(panel.density.cumsum(axis=0).max(axis=1), GAIN),
            "curves": found[state],
        }
        for state, panel in sorted(panels.items())
        if state in found
    ]


def totals(curves: pd.DataFrame, per_spread: float) -> list[dict[str, Any]]:
    """Return for each state and level the last week's gain of each algorithm, with its half-width, in words."""
    noted = curves.assign(spread=spreads(curves))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for (state, algorithm, mu), part in groups(noted, CELL):
        gain, spread = (float(part[name].iloc[-1]) for name in ("gain", "spread"))
        said = f"{gain:.2f}" + (f" ± {per_spread * spread:.2f}" if spread else "")
        rows.setdefault((state, level(mu)), {})[algorithm] = said
    ordered = sorted(rows.items(), key=lambda row: row[0][0])  # levels keep their order
    return [{"state": state, "level": mu, "gains": gains} for (state, mu), gains in ordered]
