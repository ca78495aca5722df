"""What each privacy model gains: local and central algorithms of all papers on the hospitals, at equal privacy."""

import itertools
import math
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.errors import InputError
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.plotting.figures import few, finding, legend, style
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.plotting.palette import BLACK, LOOKS
from private_experts.replication.study.estimates import critical_value, mean
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import TRUST, Contender, contenders
from private_experts.ties import ascending, best

CAPTION = (
    "What each privacy model gains: total gain over {weeks}, mean of {repetitions} repetitions. Local algorithms "
    "see noisy reports; central ones see true figures. Every private algorithm is mu-GDP for one person in one week. "
    "The largest epsilon of pure differential privacy that implies it is {epsilons}. The restarting leader uses that. "
    "A softmax (dyadic softmax, randomized prefix) has bounded range, and uses twice that. Laplace noise (fixed share, "
    "dyadic leader) uses the epsilon of its own trade-off curve, which is larger too. The shrinking dartboard takes no "
    "larger steps than its regret bound allows, and so spends less than mu. Hedge and fixed share without noise "
    "protect nothing. On own counts each hospital adds noise for its own beds; everywhere else noise is for the "
    "smallest hospital of the week, or of all weeks. The figure leaves own counts out. The restarting leader expects "
    "gains in [0, 1]. Here its gains are in units of what one person can change, and so it restarts needlessly where "
    "privacy is weak. ± are CLT intervals that hold jointly over the table at {confidence:g} % (Bonferroni)."
)


def epsilons(levels: list[float]) -> str:
    """Return in words the epsilon of pure differential privacy that belongs to each mu."""
    finite = [mu for mu in levels if mu != float("inf")]
    return ", ".join(f"{pure_within(GaussianDP(mu, 'central')).epsilon:.3g} for mu = {level(mu)}" for mu in finite)


def tabled(played: Iterable[str]) -> dict[str, Contender]:
    """Return the contenders of the table among those that played, in order; refuse an algorithm in no `SHOWN`."""
    known, names = contenders(), {name for name in played if not name.startswith(LEARNER)}
    if unknown := sorted(names - known.keys()):
        raise InputError(f"{unknown[0]} is in no SHOWN of study/players, which says how to show it; add it there")
    return {name: shown for name, shown in known.items() if name in names and (shown.compared or shown.tabled)}


def compared(played: Iterable[str]) -> dict[str, Contender]:
    """Return those of the table that the figure draws."""
    return {name: shown for name, shown in tabled(played).items() if shown.compared}


def named(shown: Contender) -> str:
    """Return a contender's label with its privacy model, unless the label names it."""
    return shown.label if shown.label.endswith(shown.model) else f"{shown.label} ({shown.model})"


def numbers(totals: pd.DataFrame, best_hospital: dict[str, float], confidence: float) -> pd.DataFrame:
    """Return mean total gains with intervals, one row for each state, level and algorithm."""
    order = tabled(totals["algorithm"].unique())
    groups = [
        (state, float(mu), str(name), part["total"].to_numpy())  # type: ignore[arg-type]
        for (state, mu, name), part in totals.groupby(["state", "mu", "algorithm"], sort=False)
        if name in order
    ]
    z = critical_value(confidence, len(groups))
    rows = []
    for state, mu, name, sample in groups:
        shown = order[name]
        gain, half_width = mean(sample, z, mu == math.inf)
        rows.append(
            {
                "state": state, "mu": mu, "epsilon": pure_within(GaussianDP(mu, "central")).epsilon, "algorithm": name,
                "label": shown.label, "paper": shown.paper, "trusted": shown.trusted, "promise": shown.promise,
                "gain": gain, "gain_pm": half_width, "share_of_best_hospital": gain / best_hospital[str(state)],
                "static_regret": best_hospital[str(state)] - gain,
            }
        )  # fmt: skip
    places = {name: place for place, name in enumerate(order)}
    table = pd.DataFrame(rows)
    return table.sort_values(["state", "algorithm"], key=lambda column: column.map(places).fillna(0), kind="stable")


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers: one row for each state and algorithm, one column for each level."""
    rows = []
    for state, of_state in table.groupby("state", sort=False):
        for _, part in of_state.groupby("algorithm", sort=False):
            first = part.iloc[0]
            row = {"state": state, "algorithm": first["label"], "who is trusted": first["trusted"]}
            row["promise"] = first["promise"]
            for mu, gain, half_width in zip(part["mu"], part["gain"], part["gain_pm"], strict=True):
                row[f"μ = {level(mu)}"] = with_interval(gain, half_width, digits=1)
            rows.append(row)
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """Draw mean total gains over the best hospital's total, a row an algorithm and a panel a state, by privacy level.

    The algorithms are in the order of their gain at the largest finite level, grouped by who sees the true figures.
    """
    states, levels = list(dict.fromkeys(table["state"])), few(table["mu"])[::-1]
    first = max((mu for mu in levels if mu < math.inf), default=math.inf)
    order = compared(table["algorithm"].unique())
    shares = table[table["mu"] == first].groupby("algorithm")["share_of_best_hospital"].mean()
    models = list(TRUST.values())
    names = [*order]
    by_gain = [names[place] for place in ascending([-shares[name] for name in names])]
    rows = sorted(by_gain, key=lambda name: models.index(order[name].model))
    with style():
        figure, axes = plt.subplots(
            1, len(states), figsize=(2.6 + 1.8 * len(states), 1.2 + 0.2 * len(rows)), sharex=True, sharey=True,
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for panel, state in zip(axes[0], states, strict=True):
            of_state = table[table["state"] == state].set_index("algorithm").loc[rows]
            panel.axvline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)))
            for number, (mu, (colour, _, marker)) in enumerate(zip(levels, LOOKS, strict=False)):
                part = of_state[of_state["mu"] == mu]
                scale = part["share_of_best_hospital"] / part["gain"]
                panel.errorbar(
                    part["share_of_best_hospital"], np.arange(len(rows)) + 0.12 * (number - (len(levels) - 1) / 2),
                    xerr=part["gain_pm"] * scale, fmt=marker, color=colour, ms=3, elinewidth=0.6,
                    label=f"μ = {level(mu)}",
                )  # fmt: skip
            for above, below in itertools.pairwise(range(len(rows))):
                if order[rows[above]].model != order[rows[below]].model:
                    panel.axhline(above + 0.5, color=BLACK, lw=0.6)
            panel.set_title(str(state))
        axes[0, 0].set_yticks(range(len(rows)), [named(order[name]) for name in rows])
        axes[0, 0].set_ylim(len(rows) - 0.5, -0.5)
        axes[0, len(states) // 2].set_xlabel("total gain / best hospital's total")
        legend(figure, axes[0, 0], columns=len(levels))
        private = table[table["algorithm"].isin([name for name in rows if order[name].model != TRUST["everybody"]])]
        cells = pd.Series(
            best(dict(zip(cell["algorithm"], cell["gain"], strict=True)))
            for _, cell in private.groupby(["state", "mu"], sort=False)
        )
        most = str(cells.value_counts().idxmax())
        counted = f"{(cells == most).sum()} of {len(cells)} cells (state and μ)"
        finding(figure, f"First of the private algorithms in {counted}: {named(order[most])}")
    return figure
