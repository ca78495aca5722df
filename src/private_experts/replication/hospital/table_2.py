"""Table 2: the total gain of each algorithm in each state at each privacy level. [000, Table 2]

Two columns are ours: RW-Meta with fresh noise, and the strongest central algorithm of those that played.
"""

import math
from typing import Any

import pandas as pd

from private_experts.replication.drawing.numbers import level, with_interval
from private_experts.replication.hospital import published
from private_experts.replication.hospital.players import contenders

CAPTION = (
    "Table 2. Total gain over {weeks}, mean of {repetitions} repetitions. The gain of a week is the share of "
    "beds with COVID patients at the hospital that was named. RW-Meta with fresh noise and the strongest central "
    "algorithm are not in the paper. The best linear model is chosen for each half of the repetitions on the other "
    "half. ± are CLT intervals that hold jointly over the table at {confidence:g} % (Bonferroni)."
)
_PAPER = ("rw_meta", "min_noise", "min_regret", "best_linear")


def numbers(cells: pd.DataFrame, shapes: dict[str, tuple[int, int]]) -> pd.DataFrame:
    """Return the table at full precision.

    Parameters
    ----------
    cells : DataFrame
        From `private_experts.replication.hospital.cells`.
    shapes : dict
        Weeks and hospitals of each state's panel.

    Returns
    -------
    DataFrame
        `cells` with the panels' shapes and the ratios of published values; with these values themselves if every panel
        has as many weeks as the paper's.
    """
    table = cells.copy()
    table.insert(1, "weeks", [shapes[state][0] for state in table["state"]])
    table.insert(2, "hospitals", [shapes[state][1] for state in table["state"]])
    nothing = (math.nan,) * len(_PAPER)
    values = [published.TABLE_2.get(cell, nothing) for cell in zip(table["state"], table["mu"], strict=True)]
    theirs = dict(zip(_PAPER, map(list, zip(*values, strict=True)), strict=True))
    if (table["weeks"] == published.WEEKS).all():
        table = table.assign(**{f"published_{name}": column for name, column in theirs.items()})
    for name in _PAPER[1:]:
        ratios = [above / below for above, below in zip(theirs["rw_meta"], theirs[name], strict=True)]
        table[f"published_ratio_to_{name}"] = ratios
    return table


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    rows, names = [], {name: each.label for name, each in contenders().items()}
    for row in table.to_dict("records"):

        def gain(name: str, row: dict[Any, Any] = row) -> str:
            text = with_interval(row[name], row[f"{name}_pm"])
            paper = row.get(f"published_{name}")
            return text if paper is None or paper != paper else f"{text} [paper {paper:.2f}]"

        fresh = {"RW-Meta, fresh noise": gain("fresh")} if "fresh" in row else {}
        rows.append(
            {
                "state": f"{row['state']} ({row['hospitals']})",
                "μ": level(row["mu"]),
                "RW-Meta": gain("rw_meta"),
                **fresh,
                "strongest central": f"{gain('central')} ({names[row['central_name']]})",
                "Min Noise": gain("min_noise"),
                "Min Regret": gain("min_regret"),
                "best linear model": f"{gain('best_linear')} ({row['best_linear_name']})",
                "RW-FTPL": gain("rw_ftpl"),
                "best hospital": f"{row['best_hospital']:.2f}",
                "RW-Meta's static regret": gain("static_regret"),
                "RW-Meta / RW-FTPL": gain("ratio_to_rw_ftpl"),
                "RW-Meta / Min Noise": gain("ratio_to_min_noise"),
                "RW-Meta / Min Regret": gain("ratio_to_min_regret"),
                "RW-Meta / strongest central": gain("ratio_to_central"),
                "RW-Meta / best linear": gain("ratio_to_best_linear"),
                "leader, true gains": f"{row['follow_the_leader']:.2f}",
                "uniform": f"{row['uniform']:.2f}",
            }
        )
    return pd.DataFrame(rows)
