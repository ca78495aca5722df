"""The amplification of batching, in few signs: curves by number of experts, privacy level, round and tolerance."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr

from private_experts.arrays import Array
from private_experts.replication.report.explorer.compact import ERROR, LEAST_LOG_DELTA, LOG_DELTA, multiples
from private_experts.replication.report.explorer.looks import dashes
from private_experts.replication.study.batching import amplification
from private_experts.replication.study.batching.figure_1 import CURVES
from private_experts.replication.study.batching.frames import groups

Laws = Mapping[float, tuple[pd.DataFrame, pd.DataFrame]]  # computed and simulated, by tolerance
_POINTS = 41


def curves(laws: Laws, horizon: int, confidence: float) -> dict[str, Any]:
    """Return trade-off curves and privacy profiles of every cell, as `compact.multiples`; all bands hold jointly."""
    errors = np.concatenate([[0], ndtr(np.linspace(-3.5, 3.5, 57)), [1]])
    each = 1 - (1 - confidence) / len(laws)
    cells = []
    for tolerance, (computed, simulated) in laws.items():
        grid = amplification.cells(computed, simulated, horizon, each)
        traded = _by_cell(amplification.tradeoff_curves(grid, errors))
        profiled = _by_cell(amplification.profiles(grid, _POINTS))
        cells += [
            {
                "n": f"{cell.n}",
                "mu": f"{cell.mu:g}",
                "round": f"{cell.t}",
                "tolerance": f"{tolerance:g}",
                "tradeoff": {name: _lines(part, "beta") for name, part in traded[cell.n, cell.mu, cell.t].items()},
                "delta": {name: _lines(part, "delta") for name, part in profiled[cell.n, cell.mu, cell.t].items()},
            }
            for cell in grid
        ]
    return {
        "errors": multiples(errors, ERROR),
        "shares": np.linspace(0, 4, _POINTS).round(6).tolist(),
        "names": [
            {"name": name, "label": label, "colour": colour, "dashes": list(dashes(style))}
            for name, (label, colour, style) in CURVES.items()
        ],
        "cells": cells,
    }


def _by_cell(table: pd.DataFrame) -> dict[Any, dict[str, pd.DataFrame]]:
    found: dict[Any, dict[str, pd.DataFrame]] = {}
    for (n, mu, t, name), part in groups(table, [*amplification.CELL, "curve"]):
        found.setdefault((n, mu, t), {})[name] = part
    return found


def _lines(part: pd.DataFrame, measure: str) -> list[list[int]]:
    """Return the value, and the ends of its band unless they are the value itself."""
    values, low, high = (_written(part[name], measure) for name in (measure, "low", "high"))
    return [values] if values == low == high else [values, low, high]


def _written(values: ArrayLike, measure: str) -> list[int]:
    if measure == "beta":
        return multiples(values, ERROR)
    return multiples(log_delta(np.asarray(values, dtype=np.float64)), LOG_DELTA)


def log_delta(delta: Array) -> Array:
    """Return the decimal logarithm of delta, at least `LEAST_LOG_DELTA`."""
    return np.maximum(np.log10(np.maximum(delta, 1e-300)), LEAST_LOG_DELTA)
