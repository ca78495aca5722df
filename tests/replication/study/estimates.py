"""Cells of Table 2 for tests, all alike."""

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
