"""Totals of games for tests, and cells of Table 2, all alike."""

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
import pandas as pd

from private_experts.replication.study.table_2_columns import COLUMNS

ESTIMATES = [
    column.name
    for column in COLUMNS
    if column.estimate and column.name not in ("fresh", "cost_of_fresh", "hedge")
]


def cells_of(**estimates):
    row = dict.fromkeys(ESTIMATES, 2.0) | {f"{name}_pm": 0.1 for name in ESTIMATES}
    row |= {"lead": 1.0, "static_regret": -1.0, "best_linear_name": "w8-weak", "best_hospital": 3.0}
    row |= {"central_name": "square-root"}
    row |= {"uniform": 0.5, "follow_the_leader": 2.5}
    return pd.DataFrame([{"state": "NM", "mu": mu, **row, **estimates} for mu in (np.inf, 0.5)])


def totals_of(
    states: Iterable[str],
    levels: Iterable[float],
    names: Iterable[str],
    repetitions: int,
    total: Callable[[str, float, str, int], float],
) -> pd.DataFrame:
    """Return a row for each state, level, algorithm and repetition, with the total that these have."""
    cells = [*product(states, levels, names, range(repetitions))]
    table = pd.DataFrame(cells, columns=["state", "mu", "algorithm", "repetition"])
    return table.assign(total=[total(*cell) for cell in cells])
