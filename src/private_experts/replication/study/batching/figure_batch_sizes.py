"""Laws of the size of the batch that holds a datum, and where the analytic bound is loose."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import legend, style
from private_experts.replication.plotting.numbers import level, with_ends, with_interval
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from private_experts.replication.study.batching.figure_1 import GRID, panels_of

# name: label, colour, line style
LAWS: dict[str, tuple[str, str, Any]] = {
    "proxy": ("proxy (the paper's bound)", BLUE, (0, (4, 2))),
    "tighter": ("tighter bound", GREEN, "-."),
    "proxy-still": ("proxy for data without gains", SKY, (0, (1, 1))),
    "stay-simulated": ("with P(gap stays large) simulated", ORANGE, (0, (5, 1, 1, 1, 1, 1))),
    "simulation": ("simulation", VERMILION, "-"),
    "one-look": ("gap at one decision (no bound)", BLACK, ":"),
    "proxy-without-drift": (r"proxy, $\rho$ = 0", PURPLE, (0, (4, 2))),
    "simulation-without-drift": (r"simulation, $\rho$ = 0", PURPLE, "-"),
}
# Why the proxy differs from the simulation. Name of the cause: label, colour, hatch.
CAUSES = {
    "drift": ("allowance for gains that shrink the gap", BLUE, ""),
    "constant": ("Theorem 1's constant", ORANGE, "///"),
    "steps": ("gap asked for at every step, not only where a batch begins", GREEN, "..."),
}
CAPTION = (
    "Probability that the batch that holds a datum is larger than b, on data without gains. {repetitions} runs; "
    "intervals hold jointly at {confidence:g} % (Clopper-Pearson, Bonferroni). " + GRID
)
LOOSENESS_CAPTION = (
    "Why the paper's bound is loose: the mean of 1/B under the proxy and in simulation, and the three parts of their "
    "difference. The mean of 1/B is the share of a datum's squared privacy level that remains. The column `one "
    "decision` is no bound: it asks for a large gap only at the first decision that may matter. {repetitions} runs; "
    "intervals hold jointly at {confidence:g} % (CLT with a control variate, Bonferroni). " + GRID
)


def draw(survivals: pd.DataFrame, t: int) -> Figure:
    """Draw P(B > b) against b for the datum of round `t`."""
    of_round = survivals[(survivals["round"] == t) & (survivals["b"] >= 1)]
    with style():
        figure, panels = panels_of(of_round, sharex=True, sharey=True)
        for (n, mu), panel in panels.items():
            cell = of_round[(of_round["n"] == n) & (of_round["mu"] == mu)]
            for name, (label, colour, dashes) in LAWS.items():
                part = cell[(cell["law"] == name) & (cell["survival"] > 0)]
                panel.plot(part["b"], part["survival"], color=colour, ls=dashes, lw=1.0, label=label)
                if name == "simulation":
                    panel.fill_between(
                        part["b"], part["low"], part["high"], color=colour, alpha=0.18, lw=0,
                        label="band of the simulation",
                    )  # fmt: skip
            panel.set(xscale="log", yscale="log", ylim=(1e-3, 1.2), xlim=(1, 128))
            if n == list(panels)[-1][0]:
                panel.set_xlabel("b")
            if mu == next(iter(panels))[1]:
                panel.set_ylabel("P(batch larger than b)")
        legend(figure, *panels.values(), title=f"datum of round {t}")
    return figure


def draw_looseness(table: pd.DataFrame) -> Figure:
    """Draw what each cause adds to the mean of 1/B, from the simulation up to the proxy."""
    ns = list(dict.fromkeys(table["n"]))
    with style():
        figure, axes = plt.subplots(
            1, len(ns), figsize=(1.3 + 1.8 * len(ns), 3.4), sharex=True, sharey=True, squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for axis, n in zip(axes[0], ns, strict=True):
            part = table[table["n"] == n]
            place = np.arange(len(part))[::-1]
            left = np.zeros(len(part))
            for name, (label, colour, hatch) in reversed(CAUSES.items()):
                axis.barh(
                    place, part[name], left=left, height=0.7, color=colour, hatch=hatch, edgecolor="white", lw=0.3,
                    label=label,
                )  # fmt: skip
                left += part[name].to_numpy()
            axis.plot(
                part["tighter"] - part["simulation"], place, "|", color=BLACK, ms=9, mew=1.4, label="tighter bound"
            )
            axis.set_yticks(place, [f"μ = {level(row['mu'])}, t = {row['round']:.0f}" for _, row in part.iterrows()])
            axis.set_title(f"n = {n}")
            axis.set_xlabel("mean of 1/B, less\nthat of the simulation")
        legend(figure, axes[0, 0], columns=2)
    return figure


def shown(survivals: pd.DataFrame) -> pd.DataFrame:
    """Return P(B > b) at a few b, by bounds and by simulation, for readers."""
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for row in survivals[survivals["b"].isin([1, 4, 16])].to_dict("records"):
        key = (row["n"], row["mu"], row["round"])
        cell = rows.setdefault(key, {"n": row["n"], "μ": level(row["mu"]), "round": row["round"]})
        if row["law"] in ("proxy", "tighter", "simulation"):
            cell[f"b = {row['b']}: {row['law']}"] = with_ends(row["survival"], row["low"], row["high"], 3)
    return pd.DataFrame(rows.values())


def shown_looseness(table: pd.DataFrame) -> pd.DataFrame:
    """Return the causes of the looseness, for readers."""
    return pd.DataFrame(
        {
            "n": int(row["n"]),
            "μ": level(row["mu"]),
            "round": int(row["round"]),
            "simulation": with_interval(row["simulation"], row["simulation_pm"], 3),
            "proxy": f"{row['proxy']:.3f}",
            "tighter": f"{row['tighter']:.3f}",
            "from drift": f"{row['drift']:.3f}",
            "from Theorem 1": with_interval(row["constant"], row["constant_pm"], 3),
            "from every step": with_interval(row["steps"], row["steps_pm"], 3),
            "one decision": f"{row['one-look']:.3f}",
            "simulation, rho = 0": with_interval(
                row["simulation-without-drift"], row["simulation-without-drift_pm"], 3
            ),
            "proxy, rho = 0": f"{row['proxy-without-drift']:.3f}",
        }
        for row in table.to_dict("records")
    )
