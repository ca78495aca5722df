"""What batching costs: switches beside the law sqrt(T), and regret beside its bounds."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.figures import key, legend, style
from private_experts.replication.plotting.numbers import with_ends
from private_experts.replication.plotting.palette import BLACK, LOOKS

SWITCH_CAPTION = (
    "Switches of RW-FTPL and RW-AdaBatch on the same noisy reports of data without gains, and RW-FTPL's expected count "
    "in the long run, (2/sqrt(pi)) f_n(0) sqrt(T). eta = sqrt(2), alpha = {alpha:g}, {repetitions} repetitions; "
    "intervals hold jointly at {confidence:g} %."
)
REGRET_CAPTION = (
    "Regret of RW-FTPL and RW-AdaBatch on the same noisy reports, the regret that batching adds, and the bounds. The "
    "noise eta = sqrt(2) makes the bounds smallest. Also the share of runs in which batching changed any action. "
    "alpha = {alpha:g}, {repetitions} repetitions; intervals hold jointly at {confidence:g} % (CLT; Clopper-Pearson "
    "for the share)."
)


def draw_switches(table: pd.DataFrame) -> Figure:
    """Draw switch counts against the horizon on logarithmic axes."""
    with style():
        figure, axis = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
        for number, (n, part) in enumerate(table.groupby("n", sort=False)):
            colour, _, marker = LOOKS[number % len(LOOKS)]
            for name, filled, shift in (("rw-ftpl", True, 0.97), ("rw-adabatch", False, 1.03)):
                counts = part[part["algorithm"] == name]
                axis.errorbar(
                    counts["horizon"] * shift, counts["switches"],
                    yerr=[counts["switches"] - counts["low"], counts["high"] - counts["switches"]],
                    fmt=marker, color=colour, mfc=colour if filled else "white", ms=4, lw=0.8,
                    label=f"n = {n}: {'RW-FTPL' if filled else 'RW-AdaBatch'}",
                )  # fmt: skip
            law = part[part["algorithm"] == "rw-ftpl"]
            axis.plot(law["horizon"], law["law"], color=colour, lw=0.9, ls="--")
        key(axis, r"$(2/\sqrt{\pi})\,f_n(0)\,\sqrt{T}$", color=BLACK, lw=0.9, ls="--")
        axis.set(xscale="log", yscale="log", xlabel="T", ylabel="switches")
        legend(figure, axis, columns=2)
    return figure


def draw_regrets(table: pd.DataFrame) -> Figure:
    """Draw regret divided by its bound, and below it the share of runs in which batching changed any action."""
    ns, streams = list(dict.fromkeys(table["n"])), list(dict.fromkeys(table["stream"]))
    horizons = list(dict.fromkeys(table["horizon"]))
    with style():
        figure, axes = plt.subplots(
            2, len(ns), figsize=(0.9 + 2.0 * len(ns), 4.6), sharex=True, sharey="row", squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for (upper, lower), n in zip(axes.T, ns, strict=True):
            for number, stream in enumerate(streams):
                colour, _, marker = LOOKS[number % len(LOOKS)]
                part = table[(table["n"] == n) & (table["stream"] == stream)]
                shift = 1.06 ** (number - (len(streams) - 1) / 2)
                for name, size, fill in (("rw-ftpl", 6, "white"), ("rw-adabatch", 2.5, colour)):
                    drawn = part[part["algorithm"] == name]
                    bound = drawn["bound"]
                    upper.errorbar(
                        drawn["horizon"] * shift, drawn["regret"] / bound,
                        yerr=[(drawn["regret"] - drawn["low"]) / bound, (drawn["high"] - drawn["regret"]) / bound],
                        fmt=marker, color=colour, mfc=fill, ms=size, lw=0.7, label=stream if fill == colour else None,
                    )  # fmt: skip
                drawn = part[part["algorithm"] == "extra"]
                share = drawn["changed"]
                lower.errorbar(
                    drawn["horizon"] * shift, share,
                    yerr=[share - drawn["changed_low"], drawn["changed_high"] - share],
                    fmt=marker, color=colour, ms=2.5, lw=0.7,
                )  # fmt: skip
            upper.axhline(1, color=BLACK, lw=1.0)
            upper.axhline(0, color=BLACK, lw=0.5, ls=":")
            upper.set_title(f"n = {n}")
            lower.set(xlabel="T", xscale="log", ylim=(-0.004, max(0.1, 1.1 * float(table["changed_high"].max()))))
            lower.set_xticks(horizons, [f"{horizon:g}" for horizon in horizons])
            lower.minorticks_off()
        axes[0, 0].set_ylabel("regret / bound")
        axes[1, 0].set_ylabel("runs changed by batching")
        key(axes[0, 0], "large, open: RW-FTPL", "o", color=BLACK, mfc="white", ms=6)
        key(axes[0, 0], "small, filled: RW-AdaBatch", "o", color=BLACK, ms=2.5)
        legend(figure, axes[0, 0])
    return figure


def shown_switches(table: pd.DataFrame) -> pd.DataFrame:
    """Return switch counts, for readers."""
    rows: dict[tuple[int, int], dict[str, object]] = {}
    for row in table.to_dict("records"):
        shown = rows.setdefault(
            (row["n"], row["horizon"]), {"n": row["n"], "T": row["horizon"], "law": f"{row['law']:.1f}"}
        )
        name = "RW-FTPL" if row["algorithm"] == "rw-ftpl" else "RW-AdaBatch"
        shown[name] = with_ends(row["switches"], row["low"], row["high"], 1)
    return pd.DataFrame(rows.values())


def shown_regrets(table: pd.DataFrame) -> pd.DataFrame:
    """Return regrets, for readers."""
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for row in table.to_dict("records"):
        shown = rows.setdefault(
            (row["n"], row["stream"], row["horizon"]), {"n": row["n"], "stream": row["stream"], "T": row["horizon"]}
        )
        if row["algorithm"] == "extra":
            shown["added by batching"] = f"{row['regret']:.2f}"
            shown["bound on that"] = f"{row['bound']:.2f}"
            shown["runs changed"] = f"{100 * row['changed']:.1f} % (at most {100 * row['changed_high']:.1f} %)"
        else:
            name = "RW-FTPL" if row["algorithm"] == "rw-ftpl" else "RW-AdaBatch"
            shown[name] = with_ends(row["regret"], row["low"], row["high"], 1)
            shown[f"{name}: bound"] = f"{row['bound']:.1f}"
    return pd.DataFrame(rows.values())
