"""What batching costs: switches beside the law sqrt(T), and a table of regret beside its bounds."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import SERIES, few, finding, style
from private_experts.replication.plotting.numbers import percent, with_ends
from private_experts.replication.plotting.palette import LOOKS

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


def draw(table: pd.DataFrame) -> Figure:
    """Draw switch counts against the horizon on logarithmic axes."""
    table = table[table["n"].isin(few(table["n"], SERIES // 2))]
    with style():
        figure, axis = plt.subplots(figsize=(5.6, 3.2), layout="constrained")
        for (n, part), (colour, _, marker) in zip(table.groupby("n", sort=False), LOOKS, strict=False):
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
        axis.set(xscale="log", yscale="log", xlabel="T", ylabel="switches")
        label_curves(axis)
        counts = table.pivot(index=["n", "horizon"], columns="algorithm", values="switches")
        shares = counts["rw-adabatch"] / counts["rw-ftpl"]
        apart = (shares - 1).abs().max()
        differ = (
            f"switch counts differ by at most {percent(apart)}" if apart else "switch counts are the same in every cell"
        )
        finding(figure, f"RW-AdaBatch's and RW-FTPL's {differ}")
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
