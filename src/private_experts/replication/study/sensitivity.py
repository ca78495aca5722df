"""Sensitivity: how the conclusions depend on choices that the paper leaves open, a table for each choice."""

import pandas as pd

from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.study.statements import STATEMENTS, answers

CAPTION = (
    "Sensitivity to {choice}: each scenario beside the study itself, {repetitions} repetitions. A "
    "statement changes if its answer is not that of the study; (?) marks a change to or from undecided. "
    "The statement about 90 % is about the mean over a state's levels, so it has the same answer in all "
    "its rows."
)

MEASURES = {
    "rw_meta": "RW-Meta",
    "min_noise": "Min Noise",
    "ratio_to_min_noise": "RW-Meta / Min Noise",
    "ratio_to_best_linear": "RW-Meta / best linear",
    "static_regret": "static regret",
}


def compare(scenarios: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the cells of all scenarios, the study first, with the statements whose answers change."""
    base = answers(next(iter(scenarios.values()))).set_index(["state", "mu"])
    parts = []
    for name, cells in scenarios.items():
        answered = answers(cells)
        changes = []
        for row in answered.to_dict("records"):
            turned = []
            for statement in (statement for statement in STATEMENTS if statement.name in row):
                before, after = base.loc[(row["state"], row["mu"]), statement.name], row[statement.name]
                if before != after:
                    # A change to or from undecided may be of the interval alone.
                    turned.append(statement.name + (" (?)" if "undecided" in (before, after) else ""))
            changes.append("; ".join(turned))
        parts.append(
            cells.assign(scenario=name).join(answered.drop(columns=["state", "mu"])).assign(changes=changes)
        )
    table = pd.concat(parts, ignore_index=True)
    return table[["scenario", *[name for name in table if name != "scenario"]]]


def changes_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison for readers."""
    return pd.DataFrame(
        {
            "scenario": row["scenario"],
            "state": row["state"],
            "μ": level(row["mu"]),
            **{title: with_interval(row[name], row[f"{name}_pm"]) for name, title in MEASURES.items()},
            "statements that change": row["changes"] or "none",
        }
        for row in table.to_dict("records")
    )
