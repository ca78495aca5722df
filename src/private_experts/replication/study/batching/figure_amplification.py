"""Privacy amplification on easy streams, and the amplification that RW-AdaBatch would bring on the hospitals."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import legend, style
from private_experts.replication.plotting.numbers import level, with_ends, with_interval
from private_experts.replication.plotting.palette import BLACK, LOOKS
from private_experts.replication.study.batching.figure_1 import GRID

CAPTION = (
    "Privacy amplification when one expert gains `gap` more than all others in each round. B is the size of the batch "
    "that holds a datum. The root of the mean of 1/B is the factor by which the datum's level shrinks (root mean "
    "square). mu' is the level of the Gaussian mechanism with the same delta at epsilon = 1. The proxy's values are "
    "guaranteed on every stream. {repetitions} runs; intervals hold jointly at {confidence:g} %. " + GRID
)
HOSPITAL_CAPTION = (
    "RW-AdaBatch on the hospitals, with the noise of the study: the share of weeks whose batch is that week alone, the "
    "mean batch size over all weeks and in the week where it is largest, the root of the mean of 1/B, and total gain "
    "beside that of RW-FTPL on the same noisy reports. The difference of gains has a joint {confidence:g} % interval; "
    "0.00 without an interval means that no action of any run differed. {repetitions} repetitions, alpha = {alpha:g}. "
    "With rho = 1 the algorithm allows for a change of the lead by 1 a week, as its regret bound needs. With rho = 0 "
    "it allows for none: privacy is the same, but the regret bound does not hold."
)


def draw(table: pd.DataFrame) -> Figure:
    """Draw the root of the mean of 1/B against the stream's gap, one row a round and one column a privacy level."""
    rounds, levels = list(dict.fromkeys(table["round"])), list(dict.fromkeys(table["mu"]))
    smallest = table.loc[table["gap"] > 0, "gap"].min()
    with style():
        figure, axes = plt.subplots(
            len(rounds), len(levels), figsize=(0.9 + 1.95 * len(levels), 1.0 + 1.6 * len(rounds)),
            sharex=True, sharey=True, squeeze=False, layout="constrained",
        )  # fmt: skip
        for line, t in zip(axes, rounds, strict=True):
            for panel, mu in zip(line, levels, strict=True):
                cell = table[(table["round"] == t) & (table["mu"] == mu)]
                for number, (n, part) in enumerate(cell.groupby("n", sort=False)):
                    colour, dashes, marker = LOOKS[number % len(LOOKS)]
                    panel.plot(
                        part["gap"], part["rms"], color=colour, ls=dashes, marker=marker, ms=2.5, lw=1.1,
                        label=f"n = {n}",
                    )  # fmt: skip
                    panel.fill_between(
                        part["gap"], part["low"], part["high"], color=colour, alpha=0.15, lw=0, label=f"n = {n}: band"
                    )
                    panel.plot(
                        part["gap"], part["level"], color=colour, ls=(0, (1, 2)), lw=1.0,
                        label=f"n = {n}: μ'/μ at ε = 1",
                    )  # fmt: skip
                panel.set_xscale("symlog", linthresh=smallest)
                panel.set_xticks([0, *[each for each in (0.01, 0.1, 1) if each >= smallest]])
                panel.set_xticklabels(["0", *[f"{each:g}" for each in (0.01, 0.1, 1) if each >= smallest]])
                panel.set(ylim=(0, 1.03), xlim=(0, table["gap"].max() * 1.05))
                if t == rounds[0]:
                    panel.set_title(f"μ = {level(mu)}")
                if t == rounds[-1]:
                    panel.set_xlabel("gap of gains in each round")
            line[0].set_ylabel(f"t = {t}\nroot mean 1/B")
        legend(figure, axes[0, 0])
    return figure


def draw_hospitals(weeks: pd.DataFrame) -> Figure:
    """Draw mean batch size and mean of 1/sqrt(B) by week, one column a state."""
    states = list(dict.fromkeys(weeks["state"]))
    measures = {"size": "mean batch size", "inverse_root": "mean of 1/√B"}
    with style():
        figure, axes = plt.subplots(
            2, max(len(states), 1), figsize=(0.9 + 2.0 * max(len(states), 1), 4.2), sharex=True, sharey="row",
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for line, (measure, words) in zip(axes, measures.items(), strict=True):
            for panel, state in zip(line, states, strict=False):
                part = weeks[weeks["state"] == state]
                for number, mu in enumerate(dict.fromkeys(part["mu"])):
                    colour, _, _ = LOOKS[number % len(LOOKS)]
                    for rho in dict.fromkeys(part["rho"]):
                        drawn = part[(part["mu"] == mu) & (part["rho"] == rho)]
                        panel.plot(
                            drawn["week"], drawn[measure], color=colour, ls="-" if rho else (0, (2, 1)),
                            lw=1.6 if rho else 1.0, label=rf"μ = {level(mu)}, $\rho$ = {rho:g}",
                        )  # fmt: skip
                panel.axhline(1, color=BLACK, lw=0.5, ls=":")
                if measure == "size":
                    panel.set_title(state)
                    panel.set_ylim(bottom=0.95)
                else:
                    panel.set_xlabel("week")
                    panel.set_ylim(0, 1.05)
            line[0].set_ylabel(words)
        legend(figure, axes[0, 0])
    return figure


def shown(table: pd.DataFrame) -> pd.DataFrame:
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


def shown_hospitals(table: pd.DataFrame) -> pd.DataFrame:
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
            "difference": with_interval(row["difference"], row["difference_pm"]) if np.isfinite(row["total"]) else "",
        }
        for row in table.to_dict("records")
    )
