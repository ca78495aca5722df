"""What locality costs, and what learners bring: two questions that one comparison with Min Noise mixes.

Four contenders answer them. Two follow the leader, and two follow the learner with the largest credit, among the same
learners. One of each pair is local, and the other has a trusted curator. [mathematics/000.md#locality]
"""

import math
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.arrays import Array
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import finding, style
from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.plotting.palette import BLACK, BLUE, VERMILION
from private_experts.replication.study.estimates import Estimate, critical_value, largest, least, mean
from private_experts.replication.study.players import contenders
from private_experts.ties import best

LEADER, LEARNERS, RIVAL, META = "rw-ftpl", "local-learners", "central-learners", "rw-meta"
# Central leaders of prefix sums. The strongest stands for them; its interval covers all of them.
SUMS = ("min-noise", "tree-tight", "tree-honaker", "square-root", "optimised-sums")
ESTIMATES = (
    "leader_local", "leader_central", "learners_local", "learners_central", "rw_meta",
    "price_leader", "price_learners", "price_rw_meta", "brought_local", "brought_central",
)  # fmt: skip
CAPTION = (
    "What locality costs, and what learners bring: total gain over {weeks}, mean of {repetitions} repetitions. "
    "Leaders are RW-FTPL and the strongest central leader of noisy prefix sums (named). The learners are the same, on "
    "local reports and on a curator's, and the one with the largest credit is followed. RW-Meta chooses by the paper's "
    "rule, on local reports. A curator's credits are means over the shortest window, eight weeks in the study. This "
    "was settled after looking at gains, and it raises most prices. The price of locality is central less local. What "
    "learners bring is learners less leader. "
    "± are CLT intervals that hold jointly over the table at {confidence:g} % (Bonferroni, over all leaders as well)."
)


def cell(totals: dict[str, Array], z: float, exact: bool = False) -> dict[str, Estimate]:
    """Return the `ESTIMATES` of one state and level from the total gains by algorithm."""
    mean_of = partial(mean, exact=exact)
    leader, learners, rival, meta = (totals[name] for name in (LEADER, LEARNERS, RIVAL, META))
    return {
        "leader_local": mean_of(leader, z),
        "leader_central": largest(mean_of(totals[name], z) for name in SUMS),
        "learners_local": mean_of(learners, z),
        "learners_central": mean_of(rival, z),
        "rw_meta": mean_of(meta, z),
        "price_leader": largest(mean_of(totals[name] - leader, z) for name in SUMS),
        "price_learners": mean_of(rival - learners, z),
        "price_rw_meta": mean_of(rival - meta, z),
        "brought_local": mean_of(learners - leader, z),
        "brought_central": least(mean_of(rival - totals[name], z) for name in SUMS),
    }


def numbers(totals: pd.DataFrame, best_hospital: dict[str, float], confidence: float) -> pd.DataFrame:
    """Return the table in numbers, one row for each state and level."""
    groups = list(totals.groupby(["state", "mu"], sort=False))
    z = critical_value(confidence, len(groups) * (7 + 3 * len(SUMS)))
    rows = []
    for (state, mu), group in groups:
        samples = {str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)}
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[str(state)]}
        row["leader_central_name"] = best({name: samples[name].mean() for name in SUMS})
        for name, (value, half_width) in cell(samples, z, mu == math.inf).items():
            row[name], row[f"{name}_pm"] = value, half_width
        rows.append(row)
    return pd.DataFrame(rows)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    names = {name: each.label for name, each in contenders().items()}
    rows = []
    for row in table.to_dict("records"):
        text = {name: with_interval(row[name], row[f"{name}_pm"]) for name in ESTIMATES}
        rows.append(
            {
                "state": row["state"],
                "μ": level(row["mu"]),
                "leader, local": text["leader_local"],
                "leader, central": f"{text['leader_central']} ({names[row['leader_central_name']]})",
                "learners, local": text["learners_local"],
                "learners, central": text["learners_central"],
                "RW-Meta (local)": text["rw_meta"],
                "price of locality, leader": text["price_leader"],
                "price of locality, learners": text["price_learners"],
                "central learners - RW-Meta": text["price_rw_meta"],
                "learners bring, local": text["brought_local"],
                "learners bring, central": text["brought_central"],
            }
        )
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """Draw the four contenders' gains over the best hospital's total against the privacy level, one panel a state."""
    states, levels = list(dict.fromkeys(table["state"])), list(dict.fromkeys(table["mu"]))
    lines = {
        "learners_central": ("learners, central", BLUE, "--", "s"),
        "learners_local": ("learners, local", BLUE, "-", "o"),
        "leader_central": ("strongest leader, central", VERMILION, ":", "D"),
        "leader_local": ("RW-FTPL, local", VERMILION, "-.", "^"),
    }
    with style():
        figure, axes = plt.subplots(
            1, len(states), figsize=(2.2 + 2.1 * len(states), 2.9), sharey=True, squeeze=False, layout="constrained"
        )
        for panel, state in zip(axes[0], states, strict=True):
            part = table[table["state"] == state]
            places = np.array([levels.index(mu) for mu in part["mu"]])
            panel.axhline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)))
            for number, (name, (label, colour, dashes, marker)) in enumerate(lines.items()):
                panel.errorbar(
                    places + 0.05 * (number - 1.5), part[name] / part["best_hospital"],
                    yerr=part[f"{name}_pm"] / part["best_hospital"], color=colour, ls=dashes, marker=marker,
                    ms=3.5, lw=1.0, elinewidth=0.7, label=label,
                )  # fmt: skip
            panel.set_title(str(state))
            panel.set_xticks(range(len(levels)), [level(mu) for mu in levels])
            panel.set_xlabel("privacy level μ")
        axes[0, 0].set_ylabel("total gain / best hospital's total")
        label_curves(*axes[0])
        more = int((table["brought_local"] > table["price_learners"]).sum())
        finding(
            figure,
            f"Learners bring a local algorithm more than locality costs in {more} of {len(table)} cells (state and μ)",
        )
    return figure
