"""The games of all states, in few signs: mean cumulative gain by week, and how far repetitions differ."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.batching.frames import groups
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value

CELL = ["state", "algorithm", "mu"]
# The smallest steps that the file can tell apart. A drawing shows no less than ten times as much.
GAIN = 0.01
SPREAD = 0.001
_ROUNDING = 1e-9  # a spread below it is one of rounding errors


def steps(values: ArrayLike, unit: float) -> list[int]:
    """Return the first value and each later one's step from the one before, as whole multiples of a unit.

    Values are rounded before they are subtracted, so that errors do not add up.
    """
    multiples = np.rint(np.asarray(values, dtype=np.float64) / unit).astype(np.int64)
    differences: list[int] = np.diff(multiples, prepend=0).tolist()
    return differences


def spreads(curves: pd.DataFrame) -> Array:
    """Return the standard deviations over the repetitions, 0 where repetitions differ by rounding alone."""
    # Algorithms without chance have spreads of rounding errors, and would count as intervals.
    spread = curves["spread"].to_numpy(dtype=np.float64)
    return np.where(spread > _ROUNDING, spread, 0.0)


def half_width(curves: pd.DataFrame, repetitions: int, confidence: float) -> tuple[float, int]:
    """Return the half-width of a mean's interval a unit of its standard deviation, and their number.

    They hold jointly for all states, levels, algorithms and weeks, because a reader looks for what strikes in
    any.
    """
    intervals = int(np.count_nonzero(spreads(curves)))
    if not intervals:
        return 0.0, 0
    return critical_value(confidence, intervals, repetitions) / math.sqrt(repetitions), intervals


def states(curves: pd.DataFrame, panels: Mapping[str, Panel]) -> list[dict[str, Any]]:
    """Return a played state's hospitals, and, as `steps`, the best total by week, and gains and spreads."""
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
