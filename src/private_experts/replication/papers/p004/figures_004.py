"""Figures of paper 004: the adaptive threshold, dynamic regret, the privacy loss of Algorithm 3."""

from collections.abc import Callable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import SERIES, bars, curve, finding, grid, not_run, style
from private_experts.replication.plotting.numbers import factor, percent, rounds
from private_experts.replication.plotting.palette import BLACK, LOOKS

Evidence = Mapping[str, pd.DataFrame]

# A claim, and which windows Algorithm 2 looks at.
REGRETS = {
    ("004/theorem-3-6", "all"): "Algorithm 2",
    ("004/noisy-regret", None): "Algorithm 3, mended",
    ("004/fixed-share-regret", None): "Algorithm 3\nwithout noise",
    ("004/theorem-3-6", "dyadic"): "Algorithm 2,\ndyadic windows",
}

LATE = "dyadic windows,\nshift within one"


def _one_panel(
    table: pd.DataFrame,
    height: float,
    draw: Callable[[Axes, pd.DataFrame], str],
    words: tuple[str, str],
) -> Figure:
    """Return a figure of one panel, drawn from a table, or which says that the claim was not run."""
    with style():
        figure, [[axis]] = grid(1, 1, height)
        if "value" in table:
            finding(figure, draw(axis, table))
        else:
            not_run(axis)
        label_curves(axis)
        axis.set(xlabel=words[0], ylabel=words[1])
    return figure


def dynamic_regret(evidence: Evidence) -> Figure:
    """Draw dynamic regret and its bounds against shifts (left) and against rounds (right)."""
    shares: list[float] = []
    beyond = 0
    with style():
        figure, [[by_shifts, by_rounds]] = grid(1, 2, 3.2)
        for ((name, windows), label), (colour, _, marker) in zip(REGRETS.items(), LOOKS, strict=False):
            table = _comparable(evidence[name], windows)
            if table.empty:
                continue
            shares += (table["value"] / table["bound"]).tolist()
            beyond += int((table["low"] > table["bound"]).sum())
            numbers = table.groupby("T")["S"].nunique()  # of shifts, by length
            longest, fewest = int(numbers.index[numbers == numbers.max()].max()), int(table["S"].min())
            for axis, part, along in (
                (by_shifts, table[table["T"] == longest], "S"),
                (by_rounds, table[table["S"] == fewest], "T"),
            ):
                part = part.sort_values(along)
                # Blocks of two to a power see a shift at once only where one of them begins.
                late = part["T"].map(lambda rounds: int(rounds).bit_count() > 1) & (windows == "dyadic")
                for seen, line, name in ((part[~late], "-", label), (part[late], "none", LATE)):
                    if len(seen):
                        look = colour, line, marker
                        curve(axis, look, seen[along], seen["value"], name, yerr=bars(seen), ms=4)
                curve(axis, (colour, ":", marker), part[along], part["bound"], mfc="white", ms=4)
        for axis, along in ((by_shifts, "shifts S in the longest game"), (by_rounds, "rounds T, one shift")):
            if axis.lines:
                axis.set(xscale="log", yscale="log")
                if axis is by_rounds:
                    ends = sorted(axis.get_xlim())
                    axis.plot(
                        ends, ends, color=BLACK, lw=1.0, ls="--", scalex=False, scaley=False, label="regret T"
                    )
            else:
                not_run(axis)
            axis.set_xlabel(along)
        by_shifts.xaxis.set_major_formatter("{x:g}")
        by_shifts.xaxis.set_minor_formatter("{x:g}")
        by_shifts.set_ylabel("dynamic regret")
        label_curves(by_shifts, by_rounds)
        if shares:
            count = f"{beyond} of {len(shares)} regrets exceed" if beyond else "No regret exceeds"
            finding(figure, f"{count} its bound (open marks); the nearest is at {percent(max(shares))} of it")
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


def privacy_loss(evidence: Evidence) -> Figure:
    """Draw the privacy loss of Algorithm 3's plays against rounds, in multiples of the claimed epsilon."""
    words = "rounds T", "privacy loss of an event of plays / ε"
    return _one_panel(evidence["004/theorem-5-2-privacy/as-printed"], 3.2, _privacy_loss, words)


def _privacy_loss(axis: Axes, table: pd.DataFrame) -> str:
    routes = {"simulated": "simulated", "certified": "proved, N = T cubed"}
    for (route, label), look in zip(routes.items(), LOOKS, strict=False):
        part = table[table["route"] == route].sort_values("T")
        measured = part[["value", "low", "high"]].div(part["epsilon"], axis="index")
        curve(axis, look, part["T"], measured["value"], label, yerr=bars(measured), ms=4)
    axis.axhline(1.0, color=BLACK, lw=1.0, label="claimed")
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
    losses = table["low"] / table["epsilon"]
    most, longest = factor(losses.max()), rounds(float(table["T"].iloc[int(losses.argmax())]))
    return f"Algorithm 3 as printed loses at least {most} times the privacy that it claims at T = {longest}"


def adaptive_threshold(evidence: Evidence) -> Figure:
    """Draw the share of rounds lost against the privacy level over the threshold, and the lower bound."""
    words = "privacy level μ / threshold", "share of rounds lost"
    return _one_panel(evidence["004/adaptive-threshold"], 3.0, _adaptive_threshold, words)


def _adaptive_threshold(axis: Axes, table: pd.DataFrame) -> str:
    table = table[table["what"] == "least"].sort_values("times_threshold")
    for look, (length, part) in zip(
        LOOKS[: SERIES - 1], table.groupby("rounds_in_phase", sort=True), strict=False
    ):
        label = f"phases of {length} rounds"
        curve(axis, look, part["times_threshold"], part["value"], label, yerr=bars(part), ms=4)
    lowest = table[table["rounds_in_phase"] == table["rounds_in_phase"].max()]
    axis.plot(
        lowest["times_threshold"], lowest["bound"], color=BLACK, lw=1.0, label="every algorithm,\nat least"
    )
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
    lost = lowest.set_index("times_threshold")["value"]
    near = min(lost.index, key=lambda times: abs(times - 1))
    ends = [
        f"{percent(lost[times])} of the rounds at {times:g} × the threshold"
        for times in (near, lost.index[-1])
    ]
    return f"The learner loses {', and '.join(ends)}"
