"""Figures of paper 004: the adaptive threshold, dynamic regret, restarts, the privacy loss of Algorithm 3."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import legend, not_run, style
from private_experts.replication.plotting.palette import BLACK, LOOKS

Evidence = Mapping[str, pd.DataFrame]

# A claim, and which windows Algorithm 2 looks at.
REGRETS = {
    ("004/theorem-3-6", "all"): "Algorithm 2",
    ("004/noisy-regret", None): "Algorithm 3, mended",
    ("004/fixed-share-regret", None): "Algorithm 3 without noise",
    ("004/theorem-3-6", "dyadic"): "Algorithm 2, dyadic windows",
}


def _intervals(axis: Axes, x: pd.Series, table: pd.DataFrame, look: tuple[str, Any, str], label: str | None) -> None:
    """Draw measured values with intervals."""
    colour, dashes, marker = look
    errors = [table["value"] - table["low"], table["high"] - table["value"]]
    looks = {"color": colour, "ls": dashes, "marker": marker, "ms": 4, "lw": 1.2}
    axis.errorbar(x, table["value"], yerr=errors, label=label, **looks)


def _one_panel(
    table: pd.DataFrame,
    size: tuple[float, float],
    draw: Callable[[Axes, pd.DataFrame], None],
    words: tuple[str, str],
    columns: int = 2,
) -> Figure:
    """Return a figure of one panel, drawn from a table, or which says that the claim was not run."""
    with style():
        figure = Figure(figsize=size, layout="constrained")
        axis = figure.subplots()
        if "value" in table:
            draw(axis, table)
        else:
            not_run(axis)
        legend(figure, axis, columns=columns)
        axis.set(xlabel=words[0], ylabel=words[1])
    return figure


def dynamic_regret(evidence: Evidence) -> Figure:
    """Draw dynamic regret and its bounds against shifts (left) and against rounds (right)."""
    with style():
        figure = Figure(figsize=(6.6, 3.6), layout="constrained")
        by_shifts, by_rounds = figure.subplots(1, 2)
        for ((name, windows), label), (colour, _, marker) in zip(REGRETS.items(), LOOKS, strict=False):
            table = _comparable(evidence[name], windows)
            if table.empty:
                continue
            numbers = table.groupby("T")["S"].nunique()  # of shifts, by length
            longest, fewest = int(numbers.index[numbers == numbers.max()].max()), int(table["S"].min())
            for axis, part, along, shown in (
                (by_shifts, table[table["T"] == longest], "S", f"{label}, T = {longest}"),
                (by_rounds, table[table["S"] == fewest], "T", None),
            ):
                part = part.sort_values(along)
                _intervals(axis, part[along], part, (colour, "-", marker), shown)
                axis.plot(part[along], part["bound"], color=colour, marker=marker, ms=4, mfc="white", lw=1.0, ls=":")
        for axis, along in ((by_shifts, "shifts S"), (by_rounds, "rounds T, one shift")):
            if axis.lines:
                axis.set(xscale="log", yscale="log")
                if axis is by_rounds:
                    ends = sorted(axis.get_xlim())
                    axis.plot(ends, ends, color=BLACK, lw=1.0, ls="--", scalex=False, scaley=False, label="regret T")
            else:
                not_run(axis)
            axis.set_xlabel(along)
        by_shifts.xaxis.set_major_formatter("{x:g}")
        by_shifts.xaxis.set_minor_formatter("{x:g}")
        by_shifts.set_ylabel("dynamic regret")
        legend(figure, by_shifts, by_rounds, columns=2)
    return figure


def _comparable(table: pd.DataFrame, windows: str | None) -> pd.DataFrame:
    """Return the rows of one setting, in which only T and S vary, or no row when the claim was not run."""
    if "value" not in table:
        return table.iloc[:0]
    if "what" in table:  # and not a comparison of the program with balls
        table = table[table["what"] == "regret"]
    if "windows" in table:
        table = table[table["windows"] == windows]
    if "bound_of" in table:
        table = table[table["bound_of"] == "sharper"]
    for column, largest in (("epsilon", True), ("N", False), ("gap", True), ("step", True)):
        if column in table:
            table = table[table[column] == (table[column].max() if largest else table[column].min())]
    return table


def restarts(evidence: Evidence) -> Figure:
    """Draw by round how many phases of Algorithm 2 have ended, on average. The line marks the shift of the law."""
    words = "round", "phases ended, mean over repetitions"
    return _one_panel(evidence["004/phases"], (5.6, 3.2), _restarts, words)


def _restarts(axis: Axes, table: pd.DataFrame) -> None:
    kind = "independent" if (table["kind"] == "independent").any() else table["kind"].iloc[0]
    table = table[(table["what"] == "early") & (table["kind"] == kind)]
    groups = table.groupby(["epsilon", "slack"], sort=True)
    for (colour, dashes, marker), ((epsilon, slack), part) in zip(LOOKS, groups, strict=False):
        part = part.sort_values("after")
        looks = {"color": colour, "ls": dashes, "marker": marker, "ms": 3, "lw": 1.2}
        label = f"ε = {epsilon:g}, allowance times {slack:g}"
        axis.plot(part["after"], part["ended_on_average"], label=label, **looks)
    axis.axvline(float(table["shift"].iloc[0]), color=BLACK, lw=1.0)
    axis.set_ylim(-0.05, 1.1)


def privacy_loss(evidence: Evidence) -> Figure:
    """Draw the privacy loss of Algorithm 3's plays against rounds, in multiples of the epsilon that it claims."""
    words = "rounds T", "privacy loss of an event of plays / ε"
    return _one_panel(evidence["004/theorem-5-2-privacy/as-printed"], (5.0, 3.4), _privacy_loss, words)


def _privacy_loss(axis: Axes, table: pd.DataFrame) -> None:
    routes = {"simulated": "simulated", "certified": "proved lower bound, N = T³"}
    for (route, label), look in zip(routes.items(), LOOKS, strict=False):
        part = table[table["route"] == route].sort_values("T")
        measured = part[["value", "low", "high"]].div(part["epsilon"], axis="index")
        _intervals(axis, part["T"], measured, look, label)
    axis.axhline(1.0, color=BLACK, lw=1.0, label="claimed")
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)


def adaptive_threshold(evidence: Evidence) -> Figure:
    """Draw the share of rounds lost against the privacy level, in units of the threshold, and the lower bound."""
    words = "privacy level μ / threshold", "share of rounds lost"
    return _one_panel(evidence["004/adaptive-threshold"], (5.0, 3.4), _adaptive_threshold, words, 1)


def _adaptive_threshold(axis: Axes, table: pd.DataFrame) -> None:
    table = table[table["what"] == "least"].sort_values("times_threshold")
    for look, (rounds, part) in zip(LOOKS, table.groupby("rounds_in_phase", sort=True), strict=False):
        _intervals(axis, part["times_threshold"], part, look, f"learner, phases of {rounds} rounds")
    lowest = table[table["rounds_in_phase"] == table["rounds_in_phase"].max()]
    axis.plot(lowest["times_threshold"], lowest["bound"], color=BLACK, lw=1.0, label="every algorithm, at least")
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
