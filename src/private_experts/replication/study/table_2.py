"""Table 2: the total gain of each algorithm in each state at each privacy level. [000, Table 2]

Three columns are ours: RW-Meta with fresh noise, exponential weights of its learners, and the strongest
central algorithm of those that played.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.study import published
from private_experts.replication.study.estimates import critical_value
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders
from private_experts.replication.study.table_2_columns import COLUMNS, Column, estimates
from private_experts.replication.study.tied import best

CAPTION = (
    "Table 2. Ratios of total gains over {weeks}, beside those of the printed averages, and gains a "
    "week, beside the printed totals over 148 weeks; mean of {repetitions} repetitions. The gain of a "
    "week is the share of beds with COVID patients (the last line says which are counted) at the hospital "
    "that was named; the paper seems to count confirmed and suspected ones. RW-Meta with fresh "
    "noise, exponential weights of its learners and the strongest central algorithm are not in the paper. "
    "The best linear model is chosen for each half of the repetitions on the other half. ± are CLT "
    "intervals that hold jointly over the table at {confidence:g} % (Bonferroni, over {intervals} intervals)."
)


def cells(
    totals: pd.DataFrame,
    best_hospital: dict[str, float],
    confidence: float,
    central: Sequence[str],
    meta: str = "rw-meta",
) -> pd.DataFrame:
    """Return the `cells_of` records of total gains."""
    groups: list[tuple[str, Any, dict[str, Array]]] = [
        (
            state,
            mu,
            {str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)},
        )
        for state in best_hospital
        for mu, group in totals[totals["state"] == state].groupby("mu", sort=False)
    ]
    return cells_of(groups, best_hospital, confidence, central, meta)


def cells_of(
    groups: Sequence[tuple[str, float, Mapping[str, Array]]],
    best_hospital: Mapping[str, float],
    confidence: float,
    central: Sequence[str],
    meta: str = "rw-meta",
) -> pd.DataFrame:
    """Return a row by state and level: estimates with half-widths (``_pm``), yardsticks, the best's names.

    `groups` have the state, the level, and the total gains of every repetition by algorithm. The intervals
    hold jointly over the table. With no `central` algorithm the estimates about the strongest are left out.
    """
    played = [name for name in central if all(name in samples for _, _, samples in groups)]
    estimates_of = [
        estimates(samples, best_hospital[state], played, meta, mu == math.inf)
        for state, mu, samples in groups
    ]
    # All intervals of all cells: the table is read as one.
    intervals = sum(estimate.intervals for cell in estimates_of for estimate in cell.values())
    z = critical_value(confidence, intervals)
    rows = []
    for (state, mu, samples), cell in zip(groups, estimates_of, strict=True):
        means = {name: float(sample.mean()) for name, sample in samples.items()}
        linear = best({name: gain for name, gain in means.items() if name.startswith(LEARNER)})
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[state]}
        row["best_linear_name"] = linear.removeprefix(LEARNER)
        if played:
            row["central_name"] = best({name: means[name] for name in played})
        row |= {
            name.replace("-", "_"): means[name] for name in ("uniform", "follow-the-leader") if name in means
        }
        for name, estimate in cell.items():
            row[name], row[f"{name}_pm"] = estimate.of(z)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs["intervals"] = intervals
    return table


def table_numbers(cells: pd.DataFrame, shapes: dict[str, tuple[int, int]]) -> pd.DataFrame:
    """Return `cells` with panels' shapes, published ratios, and if all weeks are there published totals."""
    table = cells.copy()
    table.insert(1, "weeks", [shapes[state][0] for state in table["state"]])
    table.insert(2, "hospitals", [shapes[state][1] for state in table["state"]])
    printed = [published.printed(*cell) for cell in zip(table["state"], table["mu"], strict=True)]
    # Totals over another number of weeks cannot be compared with the printed ones; ratios can.
    totals = published.COLUMNS if (table["weeks"] == published.WEEKS).all() else ()
    for name in (*totals, *published.RATIOS):
        table[f"published_{name}"] = [values.get(name, math.nan) for values in printed]
    return table


def readers_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    columns = sorted((column for column in COLUMNS if column.place), key=lambda column: column.place)
    names = {name: contender.label for name, contender in contenders().items()}
    return pd.DataFrame(
        {"state": f"{row['state']} ({row['hospitals']})", "μ": level(row["mu"])}
        | {_heading(column): _text(column, row, names) for column in columns if column.name in row}
        for row in table.to_dict("records")
    )


def _heading(column: Column) -> str:
    return column.title if column.ratio else f"{column.title}, a week"


def _text(column: Column, row: Mapping[Any, Any], names: Mapping[str, str]) -> str:
    """Return a ratio or the gain of a week with its interval, the printed value, and its algorithm."""
    weeks, printed_weeks, digits = (1, 1, 2) if column.ratio else (row["weeks"], published.WEEKS, 3)
    value, half_width = row[column.name] / weeks, row.get(f"{column.name}_pm", 0.0) / weeks
    text, paper = (
        with_interval(value, half_width, digits),
        published.printed(row["state"], row["mu"]).get(column.name),
    )
    if paper is not None:
        text += f" [paper {paper / printed_weeks:.{digits}f}]"
    of = row.get(f"{column.name}_name")
    return f"{text} ({names.get(of, of)})" if of else text
