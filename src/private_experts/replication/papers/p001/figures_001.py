"""Figures of paper 001: regret against draws, drift of the law, and where each bound is useful and where it is best."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import key, legend, not_run, style
from private_experts.replication.plotting.palette import BLACK, GREY, LOOKS

ROUNDING = 1e-13  # smaller drifts are rounding errors
ACCOUNTINGS = {
    "closed": "P-COMW, closed form",
    "mended": "P-COMW, best scale",
    "careful": "P-COMW, careful composition",
    "gaussian": "P-COMW, Gaussian accounting",
    "every round": "fresh draws in every round",
    "private leader": "leader on noisy sums",
}
LINES = dict(zip(ACCOUNTINGS, (*LOOKS, (BLACK, (0, (6, 2)), "P")), strict=True))


def regret_switches(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the lazy variant's exact regret against its expected draws, Theorem 4.2's bound and gradient descent."""
    table = _rows(evidence["001/theorem-4-2"], quantity="regret")
    sets = list(dict.fromkeys(table.get("set", ())))
    with style():
        figure, panels = _panels(len(sets), "regret")
        for panel, name in zip(panels, sets, strict=False):
            part = table[table["set"] == name].astype(dict.fromkeys(["S", "value", "bound", "draws"], float))
            bounds = part.drop_duplicates("S")
            panel.plot(bounds["S"], bounds["bound"], color=BLACK, lw=1.4, label="bound of Theorem 4.2, at S")
            for look, (losses, line) in zip(LOOKS, part.groupby("losses", sort=False), strict=False):
                _line(panel, look, line["draws"], line["value"], label=losses)
                level, *others = line["gradient_descent"].astype(float)
                if np.isfinite(level) and np.allclose(others, level):  # an adversary's stream may depend on S
                    panel.axhline(level, color=look[0], lw=0.8, ls=(0, (1, 3)))
            key(panel, "online gradient descent", color=BLACK, lw=0.8, ls=(0, (1, 3)))
            panel.set(xscale="log", yscale="log", title=name, xlabel="draws (for the bound: S)")
        legend(figure, panels[0])
    return figure


def drift(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw how far the law of the point is from the ideal one, by round, with Lemma C.1's bound; one panel a delta."""
    table = _rows(evidence["001/lemma-c1"], budget="inf", p=0.0)
    table = table[table["delta"].astype(float) > 0] if len(table) else table
    deltas = list(dict.fromkeys(table.get("delta", ())))
    with style():
        figure, panels = _panels(len(deltas), "total variation distance")
        for panel, delta in zip(panels, deltas, strict=False):
            part = table[table["delta"] == delta].astype({"value": float, "bound": float, "t": float})
            bounds = part.drop_duplicates("t")
            panel.plot(bounds["t"], bounds["bound"], color=BLACK, lw=1.4, label="bound 3 δ (t - 1)")
            worst = part.groupby(["losses", "t"], sort=False)["value"].max().reset_index()
            for look, (losses, line) in zip(LOOKS, worst.groupby("losses", sort=False), strict=False):
                kept = line["value"].where(line["value"] > ROUNDING)  # a line has a gap where there is nothing to show
                _line(panel, look, line["t"], kept, label=losses)
            panel.set(yscale="log", title=f"δ = {delta:g}", xlabel="round t")
        legend(figure, *panels)
    return figure


def rivals(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the regrets of P-COMW and its rivals against T, and their bounds dashed; one panel a dimension."""
    table = _rows(evidence["001/rivals"], stream="constant", noise="square root", how="law")
    dimensions = list(dict.fromkeys(table.get("d", ())))
    with style():
        figure, panels = _panels(len(dimensions), "regret")
        for panel, dimension in zip(panels, dimensions, strict=False):
            part = table[table["d"] == dimension].rename(columns={"value": "DP-FTRL"})
            for name, look in zip(("P-COMW", "fresh draws", "DP-FTRL"), LOOKS, strict=False):
                _line(panel, look, part["T"].astype(float), part[name].astype(float), label=name)
                bound = part[f"bound of {name}"].astype(float)
                panel.plot(part["T"].astype(float), bound, color=look[0], lw=0.8, ls=(0, (4, 2)))
            fixed = part["of a fixed point"].astype(float)
            panel.plot(part["T"].astype(float), fixed, color=GREY, lw=0.8, label="a point that never moves")
            panel.set(xscale="log", yscale="log", title=f"d = {int(dimension)}", xlabel="rounds T")
        legend(figure, panels[0])
    return figure


def useful_from(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw against epsilon the first T at which Theorem 4.1's bound is below the trivial one; one panel a dimension."""
    table = _rows(evidence["001/useful-from"], quantity="first T")
    dimensions = list(dict.fromkeys(table.get("d", ())))
    with style():
        figure, panels = _panels(len(dimensions), "first T with a bound below G D T")
        for panel, dimension in zip(panels, dimensions, strict=False):
            part = table[table["d"] == dimension].astype({"value": float, "epsilon": float})
            for name, look in LINES.items():
                line = part[part["accounting"] == name]
                _line(panel, look, line["epsilon"], line["value"], lw=1.2, label=ACCOUNTINGS[name])
            panel.set(xscale="log", yscale="log", title=f"d = {int(dimension)}", xlabel="ε")
        legend(figure, panels[0])
    return figure


def where_best(evidence: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw all bounds against T, how often P-COMW draws, and below them which bound is least at each T and epsilon."""
    table = evidence["001/best-bound"]
    table = table[table["what"] == "ratio"] if "what" in table else table  # without the proof over a box
    dimensions = list(dict.fromkeys(table.get("d", ())))
    with style():
        if not dimensions:
            return _panels(0, "bound")[0]
        figure = Figure(figsize=(1.2 + 1.9 * (len(dimensions) + 1), 5.2), layout="constrained")
        panels = figure.subplots(2, len(dimensions) + 1, squeeze=False, sharex=True)
        table = table.assign(T=table["T"].astype(float))
        largest = table[table["epsilon"] == table["epsilon"].max()]
        for (above, below), dimension in zip(panels.T, dimensions, strict=False):
            _bounds(above, largest[largest["d"] == dimension])
            above.set_title(f"d = {int(dimension)}")
            _map(below, table[table["d"] == dimension])
        panels[0, 0].set_ylabel("bound / (G D √T), largest ε")
        panels[1, 0].set_ylabel("ε")
        last, beside = panels[:, -1]
        _draws(last, largest[largest["d"] == dimensions[0]])
        beside.axis("off")
        legend(figure, panels[0, 0])
    return figure


def _line(
    panel: Axes, look: tuple[Any, ...], x: Any, y: Any, ms: float = 3, lw: float | None = 1.1, **more: Any
) -> None:
    colour, dashes, marker = look
    panel.plot(x, y, color=colour, ls=dashes, marker=marker, ms=ms, lw=lw, **more)


def _draws(panel: Axes, part: pd.DataFrame) -> None:
    """Draw how often P-COMW draws at most, and fresh draws in every round."""
    for name, shares in (("gaussian", part["draws / T"]), ("every round", np.ones(len(part)))):
        _line(panel, LINES[name], part["T"], shares, ms=2.5, lw=1.5)
    panel.set(xscale="log", yscale="log", title="draws / T", xlabel="T")
    panel.tick_params(labelbottom=True)


def _bounds(panel: Axes, part: pd.DataFrame) -> None:
    """Draw all bounds as multiples of the root of T; those in the grey part say nothing."""
    root = np.sqrt(part["T"])
    for name, look in LINES.items():
        _line(panel, look, part["T"], part[name] * root, ms=2.5, label=ACCOUNTINGS[name])
    panel.fill_between(part["T"], root, 1e12, color=GREY, alpha=0.15, lw=0)
    panel.set(xscale="log", yscale="log", ylim=(1, 1e5))


def _map(panel: Axes, part: pd.DataFrame) -> None:
    """Mark at each T and epsilon the least bound, where useful, in large; and the least of Gibbs samplers, in small."""
    gibbs = [name for name in LINES if name != "private leader"]
    for size, edge, names in ((20, "none", list(LINES)), (5, "white", gibbs)):
        least, best = part[names].min(axis=1), part[names].idxmin(axis=1)
        for name in names:
            here = part[(best == name) & (least < 1)]
            panel.scatter(here["T"], here["epsilon"], s=size, marker="s", color=LINES[name][0], edgecolor=edge, lw=0.4)
    panel.set(xscale="log", yscale="log", xlabel="T")


def _rows(table: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """Return the rows with these entries, or no row when the claim was not run."""
    for column, entry in wanted.items():
        if column not in table:
            return table.iloc[:0]
        here = table[column]
        table = table[here.astype(float) == entry if isinstance(entry, float) else here.astype(str) == entry]
    return table


def _panels(count: int, measure: str) -> tuple[Figure, list[Axes]]:
    """Return a row of panels, or a single one that says so when the claim was not run."""
    figure = Figure(figsize=(1.4 + 1.9 * max(count, 1), 3.4), layout="constrained")
    panels = list(figure.subplots(1, max(count, 1), sharey=True, squeeze=False)[0])
    panels[0].set_ylabel(measure)
    if not count:
        not_run(panels[0])
    return figure, panels
