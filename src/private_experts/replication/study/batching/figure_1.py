"""Figure 1: RW-AdaBatch's privacy amplification for one datum, on data without gains. [000, Figure 1]"""

import itertools

import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, few, finding, grid, style
from private_experts.replication.plotting.numbers import level, with_ends
from private_experts.replication.plotting.palette import BLACK, GREY, LOOKS, VERMILION, Look

LARGEST = 0.5  # type I error that is drawn
# Curves by their names in the table: what tables for readers call them.
CURVES = {
    "unamplified": "without batching",
    "analytic": "analytic bound (the paper's)",
    "tighter": "tighter analytic bound",
    "simulation": "Monte Carlo, with band",
}
# Labels and looks: of the trade-offs above, and of what is drawn beside the rise of several rounds.
TRADE_OFFS: dict[str, tuple[str, Look]] = {
    "unamplified": ("without batching", (BLACK, ":", "")),
    "simulation": ("with batching,\nMonte Carlo", (VERMILION, "-", "")),
}
BOUNDS: dict[str, tuple[str, Look]] = {
    "analytic": ("analytic bound", (BLACK, (0, (1, 1)), "")),
    "tighter": ("tighter bound", (GREY, (0, (5, 1, 1, 1, 1, 1)), "")),
}
GRID = (
    "The paper does not give n, T, mu or the rounds of its Figure 1. This grid is ASSUMED, with T = "
    "{horizon}, eta = sqrt(n)/mu, alpha = {alpha:g} and rho = 1."
)
BAND = (
    "{repetitions} runs on data without gains. The bands hold jointly at {confidence:g} %: "
    "Dvoretzky-Kiefer-Wolfowitz bands for the law of batch sizes, turned into bands for privacy by Lemma "
    "1."
)
CAPTION = (
    "Privacy of one datum: the least type II error of a test with type I error 5 %. " + BAND + " " + GRID
)
DELTA_CAPTION = (
    "Privacy of one datum: epsilon at delta = 1e-6, and the level mu' of the Gaussian mechanism with the "
    "same delta at epsilon = 1. " + BAND + " " + GRID
)


def trade_off_figure(curves: pd.DataFrame, t: int) -> Figure:
    """Draw the trade-off curves for the datum of round `t`, above, below by how much batching raises them.

    Trade-off curves are symmetric, so that small type I errors show all of them.
    """
    keys = ["n", "mu", "round", "alpha"]
    curves = curves[curves["n"].isin(few(curves["n"], 3)) & curves["alpha"].le(LARGEST)]
    base = curves[curves["curve"] == "unamplified"].set_index(keys)["beta"]
    # Differences to the curve without batching: the curves themselves lie too near to each other to be told
    # apart.
    under = base.loc[pd.MultiIndex.from_frame(curves[keys])].to_numpy()
    gain = curves.assign(**{name: curves[name] - under for name in ("beta", "low", "high")})
    rounds = [t, *(round_ for round_ in few(curves["round"], 3) if round_ != t)]
    with style():
        ns, levels = list(dict.fromkeys(gain["n"])), list(dict.fromkeys(gain["mu"]))
        figure, axes = grid(1 + len(ns), len(levels), 2.25 + 1.35 * len(ns), sharex=True, sharey="row")
        top, *below = axes
        for line, n in zip(below, ns, strict=True):
            line[0].set_ylabel(f"n = {n}\nrise of type II error")
        for (n, mu), panel in zip(itertools.product(ns, levels), axes[1:].flat, strict=True):
            cell = gain[(gain["n"] == n) & (gain["mu"] == mu)]
            for round_, (colour, dashes, _) in zip(rounds, LOOKS, strict=False):
                found = cell[(cell["round"] == round_) & (cell["curve"] == "simulation")]
                panel.fill_between(
                    found["alpha"], found["low"], found["high"], color=colour, alpha=0.12, lw=0
                )
                curve(panel, (colour, dashes, ""), found["alpha"], found["beta"], f"round {round_}")
            for name, (label, look) in BOUNDS.items():
                bound = cell[(cell["round"] == t) & (cell["curve"] == name)]
                curve(panel, look, bound["alpha"], bound["beta"], f"{label},\nround {t}")
            panel.set(xlim=(0, LARGEST), ylim=(0, None), xticks=(0, 0.2, 0.4))
        for mu, panel in zip(levels, top, strict=True):
            cell = curves[(curves["n"] == ns[0]) & (curves["mu"] == mu) & (curves["round"] == t)]
            for name, (label, look) in TRADE_OFFS.items():
                part = cell[cell["curve"] == name]
                curve(panel, look, part["alpha"], part["beta"], label)
            panel.set(ylim=(0, 1), title=f"μ = {level(mu)}")
        top[0].set_ylabel(f"n = {ns[0]}\ntype II error")
        for panel in below[-1]:
            panel.set_xlabel("type I error")
        label_curves(*top)
        label_curves(*below[0])
        most = gain[gain["curve"] == "simulation"].groupby("n")["beta"].max()
        words = (f"{most[n]:.2g} with {n} experts" for n in (most.index[0], most.index[-1]))
        finding(figure, f"Batching raises the type II error of an attack by at most {', and '.join(words)}")
    return figure


def _wide(summary: pd.DataFrame, measures: dict[str, tuple[str, int]]) -> pd.DataFrame:
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for _, row in summary.iterrows():
        key = (row["n"], row["mu"], row["round"])
        shown = rows.setdefault(key, {"n": row["n"], "μ": level(row["mu"]), "round": row["round"]})
        for measure, (words, digits) in measures.items():
            value, low, high = (row[f"{measure}{end}"] for end in ("", "_low", "_high"))
            shown[f"{words}{CURVES[row['curve']]}"] = with_ends(value, low, high, digits)
    return pd.DataFrame(rows.values())


def delta_table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of the trade-off curves, for readers."""
    return _wide(summary, {"beta": ("", 3)})


def profiles_table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of the privacy profiles, for readers."""
    return _wide(summary, {"epsilon": ("epsilon: ", 2), "level": ("μ': ", 3)})
