"""Figures of paper 001: regret against draws, rivals in play, where each bound is useful and least."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import SERIES, curve, few, finding, grid, not_run, style
from private_experts.replication.plotting.numbers import factor, rounds
from private_experts.replication.plotting.palette import BLACK, GREY, LOOKS

ACCOUNTINGS = {
    "closed": "P-COMW,\nclosed form",
    "mended": "P-COMW,\nbest scale",
    "careful": "P-COMW,\ncareful composition",
    "gaussian": "P-COMW,\nGaussian accounting",
    "every round": "fresh draws\nin every round",
    "private leader": "DP-FTRL",
}
RIVALS = ("P-COMW", "fresh draws", "DP-FTRL")
LINES = dict(zip(ACCOUNTINGS, LOOKS, strict=True))


def regret_switches(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the lazy variant's exact regret against its expected draws, its bound and gradient descent."""
    table = _rows(evidence["001/theorem-4-2"], quantity="regret")
    sets = list(dict.fromkeys(table.get("set", ())))
    with style():
        figure, panels = _panels(len(sets), "regret")
        for panel, name in zip(panels, sets, strict=False):
            part = table[table["set"] == name].astype(dict.fromkeys(["S", "value", "bound", "draws"], float))
            bounds = part.drop_duplicates("S")
            panel.plot(bounds["S"], bounds["bound"], color=BLACK, lw=1.4, label="bound of Theorem\n4.2, at S")
            losses = list(part.groupby("losses", sort=False))[: SERIES - 2]
            name_of_levels: str | None = "dotted: gradient descent\non the same losses"
            for look, (words, line) in zip(LOOKS, losses, strict=False):
                curve(panel, look, line["draws"], line["value"], words.replace("-", " "))
                level, *others = line["gradient_descent"].astype(float)
                if np.isfinite(level) and np.allclose(others, level):  # an adversary's stream may depend on S
                    panel.axhline(level, color=look[0], lw=0.8, ls=(0, (1, 3)), label=name_of_levels)
                    name_of_levels = None
            panel.set(xscale="log", yscale="log", title=name, xlabel="draws (for the bound: S)")
        label_curves(*panels)
        if sets:
            least = (table["bound"].astype(float) / table["value"].astype(float)).min()
            finding(
                figure,
                f"Theorem 4.2 allows at least {factor(least)} times the regret, "
                "whatever the losses and draws",
            )
    return figure


def rivals(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the regrets of P-COMW and its rivals against T, and their bounds dotted; one panel a dimension."""
    table = _rows(evidence["001/rivals"], stream="constant", noise="square root", how="law")
    dimensions = few(table.get("d", ()), 4)
    with style():
        figure, panels = _panels(len(dimensions), "regret")
        least = []
        for panel, dimension in zip(panels, dimensions, strict=False):
            least.append(_race(panel, table[table["d"] == dimension])[-1])
            panel.set(xscale="log", yscale="log", title=f"d = {int(dimension)}", xlabel="rounds T")
        label_curves(*panels)
        if least:
            first = max(RIVALS, key=least.count)
            finding(
                figure,
                f"In the longest game {first} loses least in {least.count(first)} of {len(least)} dimensions",
            )
    return figure


def _race(panel: Axes, part: pd.DataFrame) -> list[str]:
    """Draw the regrets of all rivals against T, bounds and a fixed point; return the least by T."""
    numbers = ["T", "of a fixed point", *RIVALS, *(f"bound of {name}" for name in RIVALS)]
    part = part.rename(columns={"value": "DP-FTRL"}).astype(dict.fromkeys(numbers, float)).sort_values("T")
    for name, look in zip(RIVALS, LOOKS, strict=False):
        curve(panel, look, part["T"], part[name], name)
        panel.plot(part["T"], part[f"bound of {name}"], color=look[0], lw=0.8, ls=(0, (1, 2)))
    panel.lines[1].set_label("dotted: bounds, in\nthe colours of regrets")
    panel.plot(part["T"], part["of a fixed point"], color=GREY, lw=0.8, label="a point that\nnever moves")
    return [str(name) for name in part[[*RIVALS]].idxmin(axis=1)]


def where_best(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw all bounds as multiples of the root of T, at the largest epsilon; grey ones say nothing."""
    table = evidence["001/best-bound"]
    table = table[table["what"] == "ratio"] if "what" in table else table  # without the proof over a box
    if "d" in table:
        table = table[table["epsilon"] == table["epsilon"].max()].astype({"T": float})
    dimensions = few(table.get("d", ()), 3)
    with style():
        figure, panels = _panels(len(dimensions), "bound / (G D √T)")
        least = []
        for panel, dimension in zip(panels, dimensions, strict=False):
            part = table[table["d"] == dimension].sort_values("T")
            root = np.sqrt(part["T"])
            for name, look in LINES.items():
                curve(panel, look, part["T"], part[name] * root, ACCOUNTINGS[name], ms=2.5)
            panel.fill_between(part["T"], root, 1e12, color=GREY, alpha=0.15, lw=0)
            panel.set(xscale="log", yscale="log", ylim=(1, 1e5), xlabel="rounds T")
            panel.set_title(f"d = {int(dimension)}, ε = {part['epsilon'].iloc[0]:g}")
            best = part[[*LINES]].idxmin(axis=1)
            others = np.flatnonzero(best != best.iloc[-1])
            start = float(part["T"].iloc[others[-1] + 1 if len(others) else 0])
            least.append((ACCOUNTINGS[str(best.iloc[-1])], start))
        label_curves(*panels)
        if least:
            names = {name for name, _ in least}
            last = rounds(max(start for _, start in least))
            same = f"From T = {last} on the least bound is that of {', '.join(names)}"
            by_dimension = (f"{name} at d = {int(d)}" for d, (name, _) in zip(dimensions, least, strict=True))
            unlike = f"In the longest games the least bound is that of {', '.join(by_dimension)}"
            finding(figure, same if len(names) == 1 else unlike)
    return figure


def _rows(table: pd.DataFrame, **entries: object) -> pd.DataFrame:
    """Return the rows with these entries, or no row when the claim was not run."""
    for column, entry in entries.items():
        if column not in table:
            return table.iloc[:0]
        here = table[column]
        table = table[here.astype(float) == entry if isinstance(entry, float) else here.astype(str) == entry]
    return table


def _panels(count: int, measure: str) -> tuple[Figure, list[Axes]]:
    """Return a row of panels, or a single one that says so when the claim was not run."""
    figure, [panels] = grid(1, max(count, 1), 2.9, sharey=True)
    panels[0].set_ylabel(measure)
    if not count:
        not_run(panels[0])
    return figure, [*panels]
