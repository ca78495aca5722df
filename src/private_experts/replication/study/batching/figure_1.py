"""Figure 1: RW-AdaBatch's privacy amplification for one datum, on data without gains. [000, Figure 1]"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import legend, style
from private_experts.replication.plotting.numbers import level, with_ends
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, LOOKS, VERMILION

# name: label, colour, line style
CURVES: dict[str, tuple[str, str, Any]] = {
    "unamplified": ("without batching", BLACK, ":"),
    "analytic": ("analytic bound (the paper's)", BLUE, (0, (4, 2))),
    "tighter": ("tighter analytic bound", GREEN, "-."),
    "simulation": ("Monte Carlo, with band", VERMILION, "-"),
}
GRID = (
    "The paper does not give n, T, mu or the rounds of its Figure 1. This grid is ASSUMED, with T = {horizon}, "
    "eta = sqrt(n)/mu, alpha = {alpha:g} and rho = 1."
)
BAND = (
    "{repetitions} runs on data without gains. The bands hold jointly at {confidence:g} %: Dvoretzky-Kiefer-Wolfowitz "
    "bands for the law of batch sizes, turned into bands for privacy by Lemma 1."
)
CAPTION = "Privacy of one datum: the least type II error of a test with type I error 5 %. " + BAND + " " + GRID
DELTA_CAPTION = (
    "Privacy of one datum: epsilon at delta = 1e-6, and the level mu' of the Gaussian mechanism with the same delta at "
    "epsilon = 1. " + BAND + " " + GRID
)


def panels_of(curves: pd.DataFrame, **shared: Any) -> tuple[Figure, dict[tuple[int, float], Axes]]:
    """Return a grid of panels with one row for each n and one column for each privacy level."""
    ns, levels = list(dict.fromkeys(curves["n"])), list(dict.fromkeys(curves["mu"]))
    figure, axes = plt.subplots(
        len(ns), len(levels), figsize=(0.9 + 1.95 * len(levels), 1.0 + 1.65 * len(ns)), squeeze=False,
        layout="constrained", **shared,
    )  # fmt: skip
    panels = {}
    for line, n in zip(axes, ns, strict=True):
        for panel, mu in zip(line, levels, strict=True):
            panels[n, mu] = panel
            if n == ns[0]:
                panel.set_title(f"μ = {level(mu)}")
        line[0].annotate(
            f"n = {n}", (0, 0.5), (-8, 0), xycoords=line[0].yaxis.label, textcoords="offset points", rotation=90,
            ha="right", va="center", fontsize=9,
        )  # fmt: skip
    return figure, panels


def _draw(panel: Axes, curves: pd.DataFrame, x: str, y: str) -> None:
    for name, (label, colour, dashes) in CURVES.items():
        part = curves[curves["curve"] == name]
        panel.plot(part[x], part[y], color=colour, ls=dashes, lw=1.1, label=label.removesuffix(", with band"))
        if name == "simulation":
            panel.fill_between(
                part[x], part["low"], part["high"], color=colour, alpha=0.2, lw=0, label="band of the Monte Carlo curve"
            )


def _cell(curves: pd.DataFrame, n: int, mu: float) -> pd.DataFrame:
    return curves[(curves["n"] == n) & (curves["mu"] == mu)]


def _finish(
    figure: Figure, panels: dict[tuple[int, float], Axes], x: str, y: str, title: str | None, columns: int = 2
) -> None:
    last, first = list(panels)[-1][0], next(iter(panels))[1]
    for (n, mu), panel in panels.items():
        if n == last:
            panel.set_xlabel(x)
        if mu == first:
            panel.set_ylabel(y)
    legend(figure, next(iter(panels.values())), columns=columns, title=title, title_fontsize=8)


def draw(curves: pd.DataFrame, t: int) -> Figure:
    """Draw the trade-off curves for the datum of round `t`."""
    of_round = curves[curves["round"] == t]
    with style():
        figure, panels = panels_of(of_round, sharex=True, sharey=True)
        for (n, mu), panel in panels.items():
            _draw(panel, _cell(of_round, n, mu), "alpha", "beta")
            panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        _finish(figure, panels, "type I error", "type II error", f"datum of round {t}")
    return figure


def draw_gain(curves: pd.DataFrame) -> Figure:
    """Draw by how much batching raises the type II error, for every round: the differences in `draw`, enlarged."""
    keys = ["n", "mu", "round", "alpha"]
    base = curves[curves["curve"] == "unamplified"].set_index(keys)["beta"]
    amplified = curves[curves["curve"].isin(["analytic", "simulation"])]
    under = base.loc[pd.MultiIndex.from_frame(amplified[keys])].to_numpy()
    gain = amplified.assign(**{name: amplified[name] - under for name in ("beta", "low", "high")})
    rounds = list(dict.fromkeys(gain["round"]))
    with style():
        figure, panels = panels_of(gain, sharex=True, sharey="col")
        for (n, mu), panel in panels.items():
            for number, t in enumerate(rounds):
                colour, _, _ = LOOKS[number % len(LOOKS)]
                part = _cell(gain, n, mu)
                bound, found = (
                    part[(part["round"] == t) & (part["curve"] == name)] for name in ("analytic", "simulation")
                )
                panel.plot(found["alpha"], found["beta"], color=colour, lw=1.1, label=f"round {t}: Monte Carlo")
                panel.fill_between(
                    found["alpha"],
                    found["low"],
                    found["high"],
                    color=colour,
                    alpha=0.12,
                    lw=0,
                    label=f"round {t}: band",
                )
                panel.plot(
                    bound["alpha"], bound["beta"], color=colour, ls="--", lw=1.1, label=f"round {t}: analytic bound"
                )
            panel.set(xlim=(0, 1), xticks=(0, 0.5, 1))
            panel.set_ylim(bottom=0)
        _finish(figure, panels, "type I error", "increase of type II error", None, len(rounds))
    return figure


def draw_delta(profiles: pd.DataFrame, t: int) -> Figure:
    """Draw delta against epsilon for the datum of round `t`."""
    of_round = profiles[profiles["round"] == t]
    with style():
        figure, panels = panels_of(of_round, sharex="col", sharey=True)
        for (n, mu), panel in panels.items():
            _draw(panel, _cell(of_round, n, mu), "epsilon", "delta")
            panel.set_yscale("log")
            panel.set_xlim(0, 4 * mu)
            panel.set_ylim(1e-5, 1)
        _finish(figure, panels, "ε", "δ", f"datum of round {t}")
    return figure


def _wide(summary: pd.DataFrame, measures: dict[str, tuple[str, int]]) -> pd.DataFrame:
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for _, row in summary.iterrows():
        key = (row["n"], row["mu"], row["round"])
        shown = rows.setdefault(key, {"n": row["n"], "μ": level(row["mu"]), "round": row["round"]})
        for measure, (words, digits) in measures.items():
            value, low, high = (row[f"{measure}{end}"] for end in ("", "_low", "_high"))
            shown[f"{words}{CURVES[row['curve']][0]}"] = with_ends(value, low, high, digits)
    return pd.DataFrame(rows.values())


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of the trade-off curves, for readers."""
    return _wide(summary, {"beta": ("", 3)})


def shown_delta(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of the privacy profiles, for readers."""
    return _wide(summary, {"epsilon": ("epsilon: ", 2), "level": ("μ': ", 3)})
