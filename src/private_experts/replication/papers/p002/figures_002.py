"""The figure of paper 002: regret against rounds, gaps, levels and actions."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, few, finding, grid, not_run, style
from private_experts.replication.plotting.numbers import factor
from private_experts.replication.plotting.palette import BLACK, BLUE, GREY, LOOKS

Evidence = Mapping[str, pd.DataFrame]

# Column of the evidence: name of the algorithm.
LABELS = {
    "regret": "randomised\nprefix",
    "noisy_max": "report-noisy-max",
    "whole_block": "softmax of\nwhole blocks",
}
BOUND, MEASURED = "Theorem 1's bound", "9 (log K / Δ\n+ log K / ε)"


def _curves(axis: Axes, part: pd.DataFrame, x: str) -> None:
    """Draw the regret of each algorithm in the table, the paper's interval, and Theorem 1's bound."""
    if "regret_low" in part:
        axis.fill_between(part[x], part["regret_low"], part["regret_high"], color=BLUE, alpha=0.2, lw=0)
    for (column, label), look in zip(LABELS.items(), LOOKS, strict=False):
        if column in part:
            curve(axis, look, part[x], part[column], label)
    axis.plot(part[x], part["theorem_1"], color=BLACK, lw=1.0, ls=":", label=BOUND)


def regret(evidence: Evidence) -> Figure:
    """Draw regret against rounds, number of actions, gap and privacy level, a panel each."""
    measured, actions = evidence.values()
    rounds, equal_gaps = _part(measured, "flat"), _as_regrets(_part(measured, "units"))
    parts: list[tuple[pd.DataFrame, str, str, str]] = []
    if "regret" in rounds:
        part = rounds[(rounds["gap"] == rounds["gap"].min()) & (rounds["epsilon"] == rounds["epsilon"].min())]
        first = part.iloc[0]
        parts.append(
            (part[part["kind"] == first["kind"]], "T", "rounds T", "K = {K}, Δ = {gap:g},\nε = {epsilon:g}")
        )
    if "regret" in actions:
        smallest_epsilon = actions[
            (actions["epsilon"] == actions["epsilon"].min()) & (actions["side"] == "above")
        ]
        parts.append((smallest_epsilon, "K", "actions K", "Δ = 1,\nε = {epsilon:g}"))
    if "regret" in equal_gaps:
        coins = equal_gaps[
            (equal_gaps["kind"] == "independent") & (equal_gaps["doubling"].astype(str) == "False")
        ]
        middle = {name: few(coins[name], 3)[len(few(coins[name], 3)) // 2] for name in ("epsilon", "gap")}
        parts.append(
            (coins[coins["epsilon"] == middle["epsilon"]], "gap", "gap Δ", "K = {K},\nε = {epsilon:g}")
        )
        parts.append(
            (coins[coins["gap"] == middle["gap"]], "epsilon", "privacy level ε", "K = {K},\nΔ = {gap:g}")
        )
    with style():
        figure, [panels] = grid(1, max(len(parts), 1), 3.0, sharey=True)
        for axis, (part, x, words, setting) in zip(panels, parts, strict=False):
            ordered = part.sort_values(x)
            _curves(axis, ordered, x)
            if "bound_measured" in ordered:
                axis.plot(ordered[x], ordered["bound_measured"], color=GREY, lw=1.0, ls="--", label=MEASURED)
            axis.set(xscale="log", yscale="log", xlabel=words)
            axis.set_title(setting.format(**ordered.iloc[0]))
        if parts:
            panels[0].set_ylabel("pseudo-regret")
            least = min((part["theorem_1"] / part["regret"]).min() for part, *_ in parts)
            finding(
                figure, f"Theorem 1 allows at least {factor(least)} times the regret of the randomised prefix"
            )
        else:
            not_run(panels[0])
        label_curves(*panels)
    return figure


def _part(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows of a part of a claim, with the columns that they have, or none when it was not run."""
    return table[table["part"] == name].dropna(axis=1, how="all") if "part" in table else table


def _as_regrets(table: pd.DataFrame) -> pd.DataFrame:
    """Return evidence whose value is a regret under the name of the regret, with the measured bound."""
    if "value" not in table or "regret" in table:
        return table
    names = {"value": "regret", "low": "regret_low", "high": "regret_high", "bound": "bound_measured"}
    return table.rename(columns=names)
