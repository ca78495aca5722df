"""Figures of paper 002: regret against rounds, actions, gaps and levels; the random prefix; the least regret."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import legend, not_run, style
from private_experts.replication.plotting.palette import BLACK, BLUE, GREY, LOOKS, VERMILION

Evidence = Mapping[str, pd.DataFrame]

# Column of the evidence: name of the algorithm.
LABELS = {
    "regret": "randomised prefix",
    "noisy_max": "report-noisy-max, Laplace(2/ε)",
    "whole_block": "softmax of whole blocks",
    "resampled": "report-noisy-max, resampled gains",
    "hedge": "Hedge, not private",
}
_BAND = "interval of the randomised prefix"
_BOUND = "1000 (log K / Δ + log K / ε)"


def _curves(axis: Axes, part: pd.DataFrame, x: str) -> None:
    """Draw the regret of each algorithm in the table, and the interval of the paper's own."""
    if "regret_low" in part:
        axis.fill_between(part[x], part["regret_low"], part["regret_high"], color=BLUE, alpha=0.2, lw=0, label=_BAND)
    for (column, label), (colour, dashes, marker) in zip(LABELS.items(), LOOKS, strict=True):
        if column in part:
            axis.plot(part[x], part[column], color=colour, ls=dashes, marker=marker, ms=3, lw=1.1, label=label)


def _few(values: Iterable[float], most: int = 3) -> list[float]:
    """Return at most `most` of the values: the smallest, the largest, and evenly spread ones between."""
    each = sorted(set(values))
    if len(each) <= most:
        return each
    return [each[round(k * (len(each) - 1) / (most - 1))] for k in range(most)]


def _row(size: tuple[float, float], count: int, run: bool) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with panels side by side, of which the first says so when the claim was not run."""
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, count, squeeze=False, sharey=True)[0]
    if not run:
        not_run(panels[0])
    return figure, panels


def regret_horizon(evidence: Evidence) -> Figure:
    """Draw regret against the number of rounds, at the smallest gap and epsilon; one panel a kind of stream."""
    [table] = evidence.values()
    kinds = [kind for kind in ("independent", "deterministic") if "value" in table and kind in set(table["kind"])]
    with style():
        figure, panels = _row((6.6, 3.4), max(len(kinds), 1), bool(kinds))
        for axis, kind in zip(panels, kinds, strict=False):
            gap, epsilon = table["gap"].min(), table["epsilon"].min()
            part = table[(table["kind"] == kind) & (table["gap"] == gap) & (table["epsilon"] == epsilon)].sort_values(
                "T"
            )
            _curves(axis, part, "T")
            axis.plot(part["T"], part["theorem_1"], color=BLACK, lw=0.8, ls=":", label=_BOUND)
            axis.axvline(part["settled"].iloc[0], color=BLACK, lw=0.6, ls="--", label="T*")
            words = {"independent": "independent coin flips", "deterministic": "deterministic gains"}[kind]
            axis.set(xscale="log", yscale="log", xlabel="rounds T")
            axis.set_title(f"{words}: K = {part['K'].iloc[0]}, Δ = {gap:g}, ε = {epsilon:g}")
        panels[0].set_ylabel("pseudo-regret")
        legend(figure, panels[0])
    return figure


def regret_actions(evidence: Evidence) -> Figure:
    """Draw regret against the number of actions where all gaps are 1, at the smallest epsilon."""
    [table] = evidence.values()
    with style():
        figure, [axis] = _row((4.6, 3.4), 1, "value" in table)
        if "value" in table:
            epsilon = table["epsilon"].min()
            part = table[(table["epsilon"] == epsilon) & (table["side"] == "above")].sort_values("K")
            _curves(axis, part, "K")
            line = part["regret"] - part["value"]  # the value is the regret less 8 log K / eps
            axis.plot(part["K"], line, color=BLACK, lw=0.8, ls=":", label="8 log K / ε")
            axis.set_xscale("log", base=2)
            axis.set(xlabel="actions K", ylabel="pseudo-regret", title=f"Δ = 1, deterministic gains, ε = {epsilon:g}")
            axis.set_ylim(bottom=0)
        legend(figure, axis, columns=2)
    return figure


def _by(evidence: Evidence, x: str, words: str, panel: str, symbol: str) -> Figure:
    """Draw regret on independent coin flips against the column `x`, one panel for each of some values of `panel`."""
    [table] = evidence.values()
    shown = []
    if "value" in table:
        names = {"value": "regret", "low": "regret_low", "high": "regret_high"}
        table = table[table["kind"] == "independent"].rename(columns=names)
        shown = _few(table[panel])
    with style():
        figure, panels = _row((6.9, 3.4), max(len(shown), 1), bool(shown))
        for axis, value in zip(panels, shown, strict=False):
            part = table[table[panel] == value].sort_values(x)
            _curves(axis, part, x)
            axis.plot(part[x], part["bound"], color=BLACK, lw=0.8, ls="--", label="9 (log K / Δ + log K / ε)")
            axis.plot(part[x], part["theorem_1"], color=BLACK, lw=0.8, ls=":", label=_BOUND)
            axis.set(xscale="log", yscale="log", xlabel=words, title=f"{symbol} = {value:g}, K = {part['K'].iloc[0]}")
        if shown:
            panels[0].set_ylabel("pseudo-regret")
        legend(figure, panels[0])
    return figure


def regret_gap(evidence: Evidence) -> Figure:
    """Draw regret against the gap, one panel for each of some privacy levels."""
    return _by(evidence, "gap", "gap Δ", "epsilon", "ε")


def regret_epsilon(evidence: Evidence) -> Figure:
    """Draw regret against the privacy level, one panel for each of some gaps."""
    return _by(evidence, "epsilon", "privacy level ε", "gap", "Δ")


def random_prefix(evidence: Evidence) -> Figure:
    """Draw regret of whole blocks over that of the random prefix, by gap and spread; one panel for some horizons."""
    [table] = evidence.values()
    shown = [0]
    if "value" in table:
        first = table.iloc[0]
        same = (table[["steady", "volatile", "epsilon"]] == first[["steady", "volatile", "epsilon"]]).all(axis=1)
        table = table[same].drop_duplicates(["gap", "spread"])
        shown = [int(T) for T in _few(int(name[3:]) for name in map(str, table) if name.startswith("at_"))]
    with style():
        figure, panels = _row((7.2, 3.2), len(shown), "value" in table)
        if "value" not in table:
            return figure
        gaps = np.geomspace(table["gap"].min() / 1.4, table["gap"].max() * 1.4, 200)
        spreads = np.arccosh(np.exp(gaps * first["epsilon"] / 2)) / (first["epsilon"] / 2)  # where phi is 1
        for axis, horizon in zip(panels, shown, strict=True):
            axis.plot(gaps, spreads, color=GREY, lw=0.8, label="φ = 1")
            for gap, spread, quotient in zip(table["gap"], table["spread"], table[f"at_{horizon}"], strict=True):
                ahead: dict[str, Any] = {"color": VERMILION, "weight": "bold"} if quotient > 1 else {"color": BLUE}
                axis.text(gap, spread, f"{quotient:.2f}", ha="center", va="center", fontsize=5.5, **ahead)
            axis.set(xscale="log", xlabel="gap Δ", title=f"T = {horizon}", xlim=(gaps[0], gaps[-1]), ylim=(0, 0.53))
        panels[0].set_ylabel("spread σ")
        legend(figure, panels[0])
    return figure


def least_regret(evidence: Evidence) -> Figure:
    """Draw the least regret of a private algorithm, the paper's, and the lower bound; one panel an epsilon."""
    [table] = evidence.values()
    shown = []
    if "value" in table:
        table = table[(table["gap"] == table["gap"].max()) & (table["side"] == "at most")]
        shown = sorted(table["epsilon"].unique())
    with style():
        figure, panels = _row((6.6, 3.0), max(len(shown), 1), bool(shown))
        columns = {
            "trivial": "playing at random",
            "value": "randomised prefix",
            "least": "least possible",
            "lower_bound": "lower bound",
        }
        for axis, epsilon in zip(panels, shown, strict=False):
            part = table[table["epsilon"] == epsilon].sort_values("T")
            for (column, label), (colour, dashes, marker) in zip(columns.items(), LOOKS, strict=False):
                axis.plot(part["T"], part[column], color=colour, ls=dashes, marker=marker, ms=3, lw=1.1, label=label)
            axis.set(xlabel="rounds T", title=f"ε = {epsilon:g}, Δ = {part['gap'].iloc[0]:g}")
        if shown:
            panels[0].set_ylabel("worst pseudo-regret")
        legend(figure, panels[0], columns=4)
    return figure
