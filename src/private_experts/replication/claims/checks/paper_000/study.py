"""Table 2 in words and in numbers, on the data at hand. The intervals are the table's own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_experts.replication.claims.evidence import NotRunError, Point
from private_experts.replication.hospital.published import TABLE_2

Grid = Mapping[str, Any]


def _points(table: pd.DataFrame, estimate: str, bound: float, sense: Any) -> list[Point]:
    """Return a point a cell for one estimate of Table 2."""
    return [
        Point(
            {"state": row["state"], "mu": row["mu"]},
            row[estimate],
            bound,
            row[estimate] - row[f"{estimate}_pm"],
            row[estimate] + row[f"{estimate}_pm"],
            sense,
            {"weeks": row["weeks"]},
        )
        for row in table.to_dict("records")
    ]


def table_2_best(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """RW-Meta gains more than RW-FTPL, Min Noise and Min Regret, in every cell."""
    return _points(table, "lead", 0.0, ">=")


def table_2_ratio(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """RW-Meta gains 1.5 to 3 times, which are rounded figures, what Min Noise does, in every cell."""
    return _points(table, "ratio_to_min_noise", 1.45, ">=") + _points(table, "ratio_to_min_noise", 3.05, "<=")


def table_2_printed_ratio(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same of the paper's own figures, with their rounding and that of "1.5" and "3"."""
    points, half = [], 0.005
    for (state, mu), (meta, noise, _, _) in TABLE_2.items():
        low, high = (meta - half) / (noise + half), (meta + half) / (noise - half)
        where = {"state": state, "mu": mu}
        points.append(Point(where, meta / noise, 1.45, low, high, ">="))
        points.append(Point(where, meta / noise, 3.05, low, high, "<="))
    return points


def table_2_best_linear(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """On average over the cells, RW-Meta gains about 90 % (85 to 95) of what the best linear model does."""
    value = table["ratio_to_best_linear"].mean()
    half_width = np.sqrt((table["ratio_to_best_linear_pm"] ** 2).sum()) / len(table)
    where = {"cells": len(table)}
    low, high = value - half_width, value + half_width
    return [Point(where, value, 0.85, low, high, ">="), Point(where, value, 0.95, low, high, "<=")]


def table_2_negative_regret(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """Static regret is negative at no, low and medium privacy."""
    return _points(table[table["mu"] >= grid["smallest_mu"]], "static_regret", 0.0, "<=")


def table_2_runner_up(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """RW-Meta is followed by Min Noise: it gains more than RW-FTPL and Min Regret do, in every cell."""
    points = []
    for other in ("rw_ftpl", "min_regret"):
        for row in table.to_dict("records"):
            value = row["min_noise"] - row[other]
            # Independent noise on both sides; the sum of half-widths is on the safe side.
            half_width = row["min_noise_pm"] + row[f"{other}_pm"]
            where = {"state": row["state"], "mu": row["mu"], "other": other}
            points.append(Point(where, value, 0.0, value - half_width, value + half_width, ">="))
    return points


def table_2_learner_varies(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """Which linear model is best changes with the state and the privacy level."""
    names = sorted(table["best_linear_name"].unique())
    return [Point({"cells": len(table)}, float(len(names)), 2.0, sense=">=", notes={"names": ", ".join(names)})]


def table_2_values(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """The published averages lie in this table's intervals, widened by the published ones' own (half of 0.01)."""
    if "published_rw_meta" not in table:
        raise NotRunError(f"the data has {table['weeks'].iloc[0]} of the paper's 148 weeks")
    points = []
    for row in table.to_dict("records"):
        for name in ("rw_meta", "min_noise", "min_regret", "best_linear"):
            difference = abs(row[name] - row[f"published_{name}"])
            where = {"state": row["state"], "mu": row["mu"], "algorithm": name}
            points.append(Point(where, difference, np.sqrt(2) * row[f"{name}_pm"] + 0.005))
    return points
