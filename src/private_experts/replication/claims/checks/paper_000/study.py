"""What the paper says about Table 2, in words and in numbers, asked of the data at hand.

The intervals are those of the table. The statements are defined in `private_experts.replication.hospital.statements`,
where generality and sensitivity find them as well. [mathematics/000.md#table-2]
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from private_experts.replication.claims.evidence import NotRunError, Point
from private_experts.replication.hospital.published import TABLE_2
from private_experts.replication.hospital.statements import BEST, BEST_LINEAR, NEGATIVE_REGRET, RATIO, Statement

Grid = Mapping[str, Any]


def _points(statement: Statement, table: pd.DataFrame) -> list[Point]:
    """Return one point for each end of a statement's band and each cell, or one for the mean over all cells."""
    points = []
    for bound, sense in _ends(statement):
        for cells, value, low, high in statement.measured(table):
            cell = cells.iloc[0].to_dict()
            where = {"cells": len(cells)} if statement.of_mean else {"state": cell["state"], "mu": cell["mu"]}
            notes = {} if statement.of_mean else {"weeks": cell["weeks"]}
            points.append(Point(where, value, bound, low, high, sense, notes))
    return points


def _ends(statement: Statement) -> list[tuple[float, Any]]:
    """Return the finite ends of a statement's band, each with the side of it that is right."""
    return [(end, sense) for end, sense in ((statement.low, ">="), (statement.high, "<=")) if math.isfinite(end)]


def table_2_best(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """RW-Meta gains more than RW-FTPL, Min Noise and Min Regret, in every cell."""
    return _points(BEST, table)


def table_2_ratio(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """In every cell RW-Meta gains 1.5 to 3 times as much as Min Noise; 1.5 and 3 are rounded figures."""
    return _points(RATIO, table)


def table_2_printed_ratio(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for the paper's own figures, with their rounding and that of "1.5" and "3"."""
    points, half = [], 0.005
    for (state, mu), (meta, noise, _, _) in TABLE_2.items():
        low, high = (meta - half) / (noise + half), (meta + half) / (noise - half)
        where = {"state": state, "mu": mu}
        points += [Point(where, meta / noise, bound, low, high, sense) for bound, sense in _ends(RATIO)]
    return points


def table_2_best_linear(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """On average over the cells, RW-Meta gains about 90 % (85 to 95) of what the best linear model gains."""
    return _points(BEST_LINEAR, table)


def table_2_negative_regret(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """Static regret is negative at no, low and medium privacy."""
    return _points(NEGATIVE_REGRET, table)


def table_2_runner_up(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """Min Noise comes second after RW-Meta: it gains more than RW-FTPL and Min Regret in every cell."""
    points = []
    for other in ("rw_ftpl", "min_regret"):
        for row in table.to_dict("records"):
            value = row["min_noise"] - row[other]
            # The noise of the two is independent, so the sum of half-widths is cautious.
            half_width = row["min_noise_pm"] + row[f"{other}_pm"]
            where = {"state": row["state"], "mu": row["mu"], "other": other}
            points.append(Point(where, value, 0.0, value - half_width, value + half_width, ">="))
    return points


def table_2_learner_varies(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """Which linear model is best changes with the state and the privacy level."""
    names = sorted(table["best_linear_name"].unique())
    return [Point({"cells": len(table)}, float(len(names)), 2.0, sense=">=", notes={"names": ", ".join(names)})]


def table_2_values(grid: Grid, repetitions: int, seed: int, table: pd.DataFrame) -> list[Point]:
    """The published averages lie in this table's intervals, widened by the spread and rounding of both."""
    if "published_rw_meta" not in table:
        raise NotRunError(f"the data has {table['weeks'].iloc[0]} of the paper's 148 weeks")
    points = []
    for row in table.to_dict("records"):
        for name in ("rw_meta", "min_noise", "min_regret", "best_linear"):
            difference = abs(row[name] - row[f"published_{name}"])
            where = {"state": row["state"], "mu": row["mu"], "algorithm": name}
            points.append(Point(where, difference, np.sqrt(2) * row[f"{name}_pm"] + 0.005))
    return points
