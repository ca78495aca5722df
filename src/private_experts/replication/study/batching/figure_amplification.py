"""Privacy amplification on easy streams, and a table of what RW-AdaBatch would bring on the hospitals."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, few, finding, grid, style
from private_experts.replication.plotting.numbers import level, with_ends, with_interval
from private_experts.replication.plotting.palette import LOOKS
from private_experts.replication.study.batching.figure_1 import GRID

CAPTION = (
    "Privacy amplification when one expert gains `gap` more than all others in each round. B is the size "
    "of the batch that holds a datum. The root of the mean of 1/B is a mean over runs, and no level of "
    "privacy. mu' is the level of the Gaussian mechanism with the same delta at epsilon = 1. The proxy's "
    "values are the same on every stream. {repetitions} runs; intervals hold jointly at {confidence:g} "
    "%. " + GRID
)
HOSPITAL_CAPTION = (
    "RW-AdaBatch on the hospitals, with the noise of the study: the share of weeks whose batch is that "
    "week alone, the mean batch size over all weeks and in the week where it is largest, the root of the "
    "mean of 1/B, and total gain beside that of RW-FTPL on the same noisy reports. The difference of "
    "gains has a joint {confidence:g} % interval; 0.00 without an interval means that no action of any "
    "run differed. {repetitions} repetitions, alpha = {alpha:g}. With rho = 1 the algorithm allows "
    "for a change of the lead by 1 a week, as its regret bound needs. With rho = 0 it allows for none: "
    "privacy is the same, but the regret bound does not hold."
)


def amplification_figure(table: pd.DataFrame, t: int) -> Figure:
    """Draw the root of the mean of 1/B by the stream's gap for the datum of round `t`, a panel a level."""
    table = table[(table["round"] == t) & table["n"].isin(few(table["n"]))]
    levels, smallest = list(dict.fromkeys(table["mu"])), table.loc[table["gap"] > 0, "gap"].min()
    with style():
        figure, [panels] = grid(1, len(levels), 2.7, sharex=True, sharey=True)
        for panel, mu in zip(panels, levels, strict=True):
            for look, (n, part) in zip(
                LOOKS, table[table["mu"] == mu].groupby("n", sort=False), strict=False
            ):
                panel.fill_between(part["gap"], part["low"], part["high"], color=look[0], alpha=0.15, lw=0)
                curve(panel, look, part["gap"], part["rms"], f"n = {n}")
            # With 0 on the axis, where the streams are those of the other figures.
            panel.set_xscale("symlog", linthresh=smallest)
            panel.set_xticks([0, *[tick for tick in (0.01, 0.1, 1) if tick >= smallest]])
            panel.set_xticklabels(["0", *[f"{tick:g}" for tick in (0.01, 0.1, 1) if tick >= smallest]])
            panel.set(ylim=(0, 1.03), xlim=(0, table["gap"].max() * 1.05))
            panel.set(title=f"μ = {level(mu)}", xlabel="gap of gains in each round")
        panels[0].set_ylabel(f"root of the mean of 1/B\nfor the datum of round {t}")
        label_curves(*panels)
        easiest = table[table["gap"] == table["gap"].max()].groupby("n")["rms"].min()
        words = (f"{easiest[n]:.2g} with {n} experts" for n in (easiest.index[0], easiest.index[-1]))
        gap = table["gap"].max()
        finding(
            figure, f"A gap of {gap:g} in every round brings the root mean 1/B down to {', and '.join(words)}"
        )
    return figure


def amplification_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return amplification by gap, for readers."""
    return pd.DataFrame(
        {
            "n": int(row["n"]),
            "μ": level(row["mu"]),
            "round": int(row["round"]),
            "gap": f"{row['gap']:g}",
            "root mean 1/B": with_ends(row["rms"], row["low"], row["high"], 3),
            "proxy's": f"{row['proxy_rms']:.3f}",
            "μ'/μ at epsilon = 1": f"{row['level']:.3f}",
            "proxy's μ'/μ": f"{row['proxy_level']:.3f}",
            "data in a batch of one": f"{100 * row['single']:.0f} %",
        }
        for row in table.to_dict("records")
    )


def hospitals_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return RW-AdaBatch's batches and gains on the hospitals, for readers."""
    return pd.DataFrame(
        {
            "state": row["state"],
            "μ": level(row["mu"]),
            "rho": f"{row['rho']:g}",
            "weeks in a batch of one": f"{100 * row['single']:.{1 if row['single'] < 1 else 0}f} %",
            "mean size": f"{row['size']:.2f}",
            "largest week": f"{row['largest_week']:.2f}",
            "root mean 1/B": f"{row['rms']:.3f}",
            "RW-AdaBatch": f"{row['total']:.2f}",
            "RW-FTPL": f"{row['rw_ftpl']:.2f}",
            "difference": with_interval(row["difference"], row["difference_pm"])
            if np.isfinite(row["total"])
            else "",
        }
        for row in table.to_dict("records")
    )
