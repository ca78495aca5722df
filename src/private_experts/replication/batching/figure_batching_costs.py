"""What batching costs: switches against the sqrt(T) law, and regret against its bounds."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.drawing.figures import style
from private_experts.replication.drawing.layout import settle
from private_experts.replication.drawing.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

LOOKS = [(BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (ORANGE, "D")]
STREAM_LOOKS = {
    "zero": (BLACK, "o"),
    "alternating": (BLUE, "s"),
    "turncoat": (VERMILION, "^"),
    "coin-flips": (GREEN, "D"),
    "easy": (PURPLE, "v"),
}
SWITCH_CAPTION = (
    "Switches of RW-FTPL and RW-AdaBatch on data without gains, on the same noisy reports, and the law "
    "(2/sqrt(pi)) f_n(0) sqrt(T) of RW-FTPL's in the long run. eta = sqrt(2), alpha = {alpha:g}, {repetitions} "
    "repetitions; intervals hold jointly at {confidence:g} %."
)
REGRET_CAPTION = (
    "Regret of RW-FTPL and RW-AdaBatch, what batching adds on the same noisy reports, and their bounds, at the noise "
    "eta = sqrt(2) at which the bounds are least; and the share of runs in which batching changed any action. alpha = "
    "{alpha:g}, {repetitions} repetitions; intervals hold jointly at {confidence:g} % (CLT; Clopper-Pearson for the "
    "share)."
)


def draw_switches(table: pd.DataFrame) -> Figure:
    """Draw switch counts against the horizon, log-log.

    Parameters
    ----------
    table : DataFrame
        Columns n, algorithm, horizon, switches, low, high, law.
    """
    with style():
        figure, axis = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
        for number, (n, part) in enumerate(table.groupby("n", sort=False)):
            colour, marker = LOOKS[number % len(LOOKS)]
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
        axis.plot([], [], color=BLACK, lw=0.9, ls="--", label=r"$(2/\sqrt{\pi})\,f_n(0)\,\sqrt{T}$")
        axis.set(xscale="log", yscale="log", xlabel="T", ylabel="switches")
        figure.legend(loc="outside upper center", ncols=2)
        settle(figure)
    return figure


def draw_regrets(table: pd.DataFrame) -> Figure:
    """Draw regret over its bound, and below it how often batching changed any action of a run.

    Parameters
    ----------
    table : DataFrame
        Columns n, stream, horizon, algorithm, regret, low, high, bound, changed, changed_low, changed_high.
    """
    ns, streams = list(dict.fromkeys(table["n"])), list(dict.fromkeys(table["stream"]))
    horizons = list(dict.fromkeys(table["horizon"]))
    with style():
        figure, axes = plt.subplots(
            2, len(ns), figsize=(0.9 + 2.0 * len(ns), 4.6), sharex=True, sharey="row", squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for (upper, lower), n in zip(axes.T, ns, strict=True):
            for number, stream in enumerate(streams):
                colour, marker = STREAM_LOOKS.get(stream, (SKY, "x"))
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
        axes[0, 0].plot([], [], "o", color=BLACK, mfc="white", ms=6, label="large, open: RW-FTPL")
        axes[0, 0].plot([], [], "o", color=BLACK, ms=2.5, label="small, filled: RW-AdaBatch")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
        settle(figure)
    return figure


def _interval(row: dict[str, Any], name: str, digits: int = 1) -> str:
    return f"{row[name]:.{digits}f} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"


def shown_switches(table: pd.DataFrame) -> pd.DataFrame:
    """Return switch counts as people read them."""
    rows: dict[tuple[int, int], dict[str, object]] = {}
    for row in table.to_dict("records"):
        shown = rows.setdefault(
            (row["n"], row["horizon"]), {"n": row["n"], "T": row["horizon"], "law": f"{row['law']:.1f}"}
        )
        name = "RW-FTPL" if row["algorithm"] == "rw-ftpl" else "RW-AdaBatch"
        shown[name] = _interval({str(key): value for key, value in row.items()}, "switches")
    return pd.DataFrame(rows.values())


def shown_regrets(table: pd.DataFrame) -> pd.DataFrame:
    """Return regrets as people read them."""
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for record in table.to_dict("records"):
        row = {str(key): value for key, value in record.items()}
        shown = rows.setdefault(
            (row["n"], row["stream"], row["horizon"]), {"n": row["n"], "stream": row["stream"], "T": row["horizon"]}
        )
        if row["algorithm"] == "extra":
            shown["added by batching"] = f"{row['regret']:.2f}"
            shown["bound on that"] = f"{row['bound']:.2f}"
            shown["runs changed"] = f"{100 * row['changed']:.1f} % (at most {100 * row['changed_high']:.1f} %)"
        else:
            name = "RW-FTPL" if row["algorithm"] == "rw-ftpl" else "RW-AdaBatch"
            shown[name] = _interval(row, "regret")
            shown[f"{name}: bound"] = f"{row['bound']:.1f}"
    return pd.DataFrame(rows.values())
