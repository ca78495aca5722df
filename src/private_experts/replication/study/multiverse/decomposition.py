"""Which choice matters most: the variance of an estimate over the universes, by choice; and apart from it, ours.

A choice's part is the variance of its main effect: of what an option adds to the estimate on average over all other
choices. What no main effect explains is interaction. Chance is kept out: each variance is the covariance of what the
even and the odd repetitions say, whose noise is independent. [mathematics/000.md#multiverse-variance]
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.study.multiverse.effects import HALVES
from private_experts.replication.study.multiverse.universe_verdicts import PAPER, QUESTIONS, papers

INTERACTIONS = "interactions"
CAPTION = (
    "Which choice matters most: share of the variance over universes, in per cent, of what each statement is about. A "
    "row is the main effect of a choice, and what main effects do not explain is interaction; chance is kept out. Ours "
    "stands apart: the variance that a choice between the paper's and ours would add, in the same per cent. Means over "
    "states and levels, from {universes} of {all} universes of each state, {repetitions} repetitions."
)
# How choices are called in tables and figures.
CALLED = {
    "suppressed_value": "suppressed value",
    "family": "learner family",
    "adjacency": "adjacency",
    "smallest_beds": "smallest beds",
    "participation_minimum": "participation",
    "weeks": "weeks",
    "tree_padding": "tree padding",
    "tree_sensitivity": "tree sensitivity",
    "patients": "patients' column",
}


def contrasts(options: Sequence[Any]) -> Array:
    """Return the columns of a choice, shape (universes, options - 1), which sum to 0 over its options."""
    numbers, found = pd.factorize(np.array(options, dtype=object), use_na_sentinel=False)
    k = len(found)
    code = np.vstack([np.eye(k - 1), -np.ones((1, k - 1))]) if k > 1 else np.empty((k, 0))
    columns: Array = code[numbers]
    return columns


def parts(choices: pd.DataFrame, values: Array, covered: float) -> dict[str, float]:
    """Return the variance of each choice's main effect by half of the repetitions, (universes, 2), by least squares.

    In a sample a main effect also picks up some interaction by chance; what this adds on average is taken off. All are
    missing where main effects cannot be told apart.
    """
    codes = {str(name): contrasts(choices[name].tolist()) for name in choices}
    columns = np.hstack([np.ones((len(values), 1)), *codes.values()])
    fit, _, rank, _ = np.linalg.lstsq(columns, values, rcond=None)
    left_over = len(values) - columns.shape[1]
    if rank < columns.shape[1] or left_over < 1:
        return dict.fromkeys(codes, math.nan)
    rest, spread = values - columns @ fit, np.linalg.inv(columns.T @ columns)
    aliased = (1 - covered) * float((rest[:, 0] * rest[:, 1]).sum()) / left_over
    found, start = {}, 1
    for name, code in codes.items():
        these, centred = slice(start, start + code.shape[1]), code - code.mean(axis=0)
        effect = centred @ fit[these]
        by_chance = aliased * float(np.einsum("ij,jk,ik->i", centred, spread[these, these], centred).mean())
        found[name] = float((effect[:, 0] * effect[:, 1]).mean()) - by_chance
        start = these.stop
    return found


def crossed(values: Array, covered: float) -> float:
    """Return the main effect's variance of a choice that is played both ways everywhere, (universes, options, 2)."""
    apart = values - values.mean(axis=1, keepdims=True)
    effect = apart.mean(axis=0)
    rest = apart - effect
    by_chance = (1 - covered) * float((rest[..., 0] * rest[..., 1]).sum()) / rest.shape[1] / len(values)
    return float((effect[:, 0] * effect[:, 1]).mean()) - by_chance / max(len(values) - 1, 1)


def of_cell(cell: pd.DataFrame, choices: Sequence[str], covered: float) -> dict[str, float]:
    """Return the share of each choice, and of `INTERACTIONS`, in the variance over the universes of one cell.

    They sum to 1. Each change of ours stands apart, as a choice between the paper's and ours.
    """
    by = {whose: part[list(HALVES)].to_numpy(dtype=np.float64) for whose, part in cell.groupby("whose", sort=False)}
    own, values = papers(cell), by.pop(PAPER)
    whole = float(np.prod(values - values.mean(axis=0), axis=1).mean())
    varied = [name for name in choices if own[name].nunique(dropna=False) > 1]
    found = parts(own[varied], values, covered)
    found[INTERACTIONS] = whole - sum(found.values())
    found |= {str(whose): crossed(np.stack([values, ours], axis=1), covered) for whose, ours in by.items()}
    return {name: part / whole if whole > 0 else math.nan for name, part in found.items()}


def decomposition(answered: pd.DataFrame, choices: Sequence[str], covered: float) -> pd.DataFrame:
    """Return the parts of each choice, and of ours, by question, state and level."""
    rows = []
    for (question, state, mu), part in answered.groupby(["question", "state", "mu"], sort=False, dropna=False):
        told = {"question": question, "state": state, "mu": mu}
        found = of_cell(part, choices, covered)
        rows += [{**told, "choice": name, "share": share} for name, share in found.items()]
    return pd.DataFrame(rows)


def mean_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean shares over states and levels, by choice and question; ours, where it is asked, comes last."""
    wide = table.pivot_table(index=["question", "state", "mu"], columns="choice", values="share", dropna=False)
    own = [name for name in (*CALLED, INTERACTIONS) if name in wide]
    known = wide.loc[wide[own].notna().any(axis=1)]
    means = known.fillna(dict.fromkeys(own, 0.0)).groupby("question").mean().T
    order = [*own, *(name for name in table["choice"].unique() if name not in own)]
    return means.reindex(order)[[each.name for each in QUESTIONS if each.name in means]]


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the shares for readers, in per cent."""
    means = mean_shares(table)
    words = means.map(lambda share: f"{100 * max(share, 0.0):.0f}" if share == share else "")
    words.insert(0, "choice", [CALLED.get(str(name), str(name)) for name in means.index])
    return words.reset_index(drop=True).rename_axis(columns=None)
