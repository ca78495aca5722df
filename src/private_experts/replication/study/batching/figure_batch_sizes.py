"""Tables of the law of the size of the batch that holds a datum; where the analytic bound is loose."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import finding, legend, style
from private_experts.replication.plotting.numbers import level, with_ends, with_interval
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, ORANGE
from private_experts.replication.study.batching.figure_1 import GRID
from private_experts.ties import first_largest

# Why the proxy differs from the simulation. Name of the cause: label, colour, hatch.
CAUSES = {
    "drift": ("the allowance for gains that shrink the gap", BLUE, ""),
    "constant": ("Theorem 1's constant", ORANGE, "///"),
    "steps": ("the gap asked for at every step", GREEN, "..."),
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


def draw(table: pd.DataFrame, t: int) -> Figure:
    """Draw for the datum of round `t` what each cause adds to the mean of 1/B, from the simulation to the proxy."""
    table = table[table["round"] == t]
    place, left = np.arange(len(table)), np.zeros(len(table))
    with style():
        figure, axis = plt.subplots(figsize=(6.4, 1.5 + 0.2 * len(table)), layout="constrained")
        for name, (label, colour, hatch) in reversed(CAUSES.items()):
            axis.barh(
                place, table[name], left=left, height=0.7, color=colour, hatch=hatch, edgecolor="white", lw=0.3,
                label=label,
            )  # fmt: skip
            left += table[name].to_numpy()
        axis.plot(table["tighter"] - table["simulation"], place, "|", color=BLACK, ms=9, mew=1.6, label="tighter bound")
        names = [f"n = {row['n']:.0f}, μ = {level(row['mu'])}" for row in table.to_dict("records")]
        axis.set_yticks(place, names)
        axis.set_ylim(len(table) - 0.5, -0.5)
        axis.set_xlabel(f"mean of 1/B for the datum of round {t}, less that of the simulation")
        legend(figure, axis, columns=2)
        largest = np.array([*CAUSES])[first_largest(table[[*CAUSES]])]
        cause = str(pd.Series(largest).value_counts().idxmax())
        finding(
            figure,
            f"What makes the paper's bound loose is above all {CAUSES[cause][0]}: "
            f"the largest part in {(largest == cause).sum()} of {len(table)} cells",
        )
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
