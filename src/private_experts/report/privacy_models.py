"""Which privacy model buys what: local and central algorithms of all papers on the hospitals, at equal privacy."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.report.cells import critical_value, mean
from private_experts.report.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, style
from private_experts.report.tables import level, with_interval

GREY = "#777777"
# name: label, paper, who is trusted, what is protected, colour, marker, line style
ALGORITHMS = {
    "rw-meta": ("RW-Meta", "000", "nobody", "mu-GDP", BLUE, "o", "-"),
    "rw-ftpl": ("RW-FTPL", "000", "nobody", "mu-GDP", VERMILION, "s", "-"),
    "noisy-fixed-share": ("fixed share, Gaussian noise", "004", "nobody", "mu-GDP", SKY, "^", "-"),
    "laplace-fixed-share": ("fixed share, Laplace noise", "004", "nobody", "epsilon-DP", SKY, "v", ":"),
    "min-noise": ("Min Noise", "000", "the curator", "mu-GDP", GREEN, "D", "--"),
    "dyadic-leader": ("dyadic leader", "002, 004", "the curator", "epsilon-DP", ORANGE, "o", "--"),
    "dyadic-softmax": ("dyadic softmax", "002", "the curator", "epsilon-DP", ORANGE, "s", ":"),
    "randomized-prefix": ("randomized prefix", "002", "the curator", "epsilon-DP", PURPLE, "^", "--"),
    "restarting-leader": ("restarting leader", "004", "the curator", "epsilon-DP", PURPLE, "v", ":"),
    "shrinking-dartboard": ("shrinking dartboard", "001, 004", "the curator", "whole weeks", GREY, "D", "--"),
    "hedge": ("Hedge", "", "everybody", "nothing", BLACK, "x", ":"),
    "fixed-share": ("fixed share", "", "everybody", "nothing", BLACK, "+", ":"),
}
CAPTION = (
    "Which privacy model buys what: average total gain over {weeks} weeks, {repetitions} repetitions. Local algorithms "
    "see noisy reports, central ones true figures. Every algorithm is mu-GDP for one person in one week; for the pure "
    "ones epsilon is the largest that implies it ({epsilons}). The dartboard protects whole weeks; Hedge and fixed "
    "share protect nothing. The restarting leader takes gains to lie in [0, 1]; in units of a person's reach, as here, "
    "it restarts needlessly where privacy is weak. ± are CLT intervals that hold jointly over the table at "
    "{confidence:g} % (Bonferroni)."
)


def epsilons(levels: list[float]) -> str:
    """Return the pure level that stands beside each mu."""
    finite = [mu for mu in levels if mu != float("inf")]
    return ", ".join(f"{pure_within(GaussianDP(mu, 'central')).epsilon:.3g} for mu = {level(mu)}" for mu in finite)


def numbers(totals: pd.DataFrame, best_hospital: dict[str, float], confidence: float) -> pd.DataFrame:
    """Return means with intervals, a row for each state, level and algorithm.

    Parameters
    ----------
    totals : DataFrame
        Columns state, algorithm, mu, repetition, total.
    best_hospital : dict
        Total density of the best single hospital, by state.
    """
    groups = [
        (state, float(mu), str(name), part["total"].to_numpy())  # type: ignore[arg-type]
        for (state, mu, name), part in totals.groupby(["state", "mu", "algorithm"], sort=False)
        if name in ALGORITHMS
    ]
    z = critical_value(confidence, len(groups))
    rows = []
    for state, mu, name, sample in groups:
        label, paper, trusted, promise, *_ = ALGORITHMS[name]
        gain, half_width = mean(sample, z)
        rows.append(
            {
                "state": state, "mu": mu, "epsilon": pure_within(GaussianDP(mu, "central")).epsilon, "algorithm": name,
                "label": label, "paper": paper, "trusted": trusted, "promise": promise,
                "gain": gain, "gain_pm": half_width, "share_of_best_hospital": gain / best_hospital[str(state)],
                "static_regret": best_hospital[str(state)] - gain,
            }
        )  # fmt: skip
    order = {name: place for place, name in enumerate(ALGORITHMS)}
    table = pd.DataFrame(rows)
    return table.sort_values(["state", "algorithm"], key=lambda column: column.map(order).fillna(0), kind="stable")


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as people read it: a row for each state and algorithm, a column for each level."""
    rows = []
    for state, of_state in table.groupby("state", sort=False):
        for name in ALGORITHMS:
            part = of_state[of_state["algorithm"] == name]
            if part.empty:
                continue
            first = part.iloc[0]
            row = {"state": state, "algorithm": first["label"], "who is trusted": first["trusted"]}
            row["promise"] = first["promise"]
            for mu, gain, half_width in zip(part["mu"], part["gain"], part["gain_pm"], strict=True):
                row[f"μ = {level(mu)}"] = with_interval(gain, half_width, digits=1)
            rows.append(row)
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """Draw mean total gains against the privacy level, a panel a state, as shares of the best hospital's total."""
    states, levels = list(dict.fromkeys(table["state"])), list(dict.fromkeys(table["mu"]))
    places = {mu: place for place, mu in enumerate(levels)}
    with style():
        figure, axes = plt.subplots(
            1, len(states), figsize=(1.2 + 2.2 * len(states), 4.2), sharey=True, squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for panel, state in zip(axes[0], states, strict=True):
            of_state = table[table["state"] == state]
            scale = of_state["share_of_best_hospital"] / of_state["gain"]
            panel.axhline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)))
            for shift, (name, (label, _, trusted, _, colour, marker, dashes)) in enumerate(ALGORITHMS.items()):
                part = of_state[of_state["algorithm"] == name]
                if part.empty:
                    continue
                panel.errorbar(
                    [places[mu] + 0.03 * (shift - 6) for mu in part["mu"]], part["share_of_best_hospital"],
                    yerr=part["gain_pm"] * scale[part.index], color=colour, marker=marker, ls=dashes, ms=3.5, lw=0.9,
                    elinewidth=0.6, label=f"{label} ({_trust(trusted)})",
                )  # fmt: skip
            panel.set_title(str(state))
            panel.set_xticks(range(len(levels)), [level(mu) for mu in levels])
            panel.set_xlabel("privacy level μ")
        axes[0, 0].set_ylabel("total gain / that of the best hospital")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def _trust(trusted: str) -> str:
    return {"nobody": "local", "the curator": "central", "everybody": "no privacy"}[trusted]
