"""What own counts gain, and what locality costs if rivals have the same mechanism."""

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.arrays import Array
from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, finding, grid, style
from private_experts.replication.plotting.numbers import factor, level, with_interval
from private_experts.replication.plotting.palette import BLACK, BLUE, GREEN, ORANGE, VERMILION, Look
from private_experts.replication.study.estimates import Estimate, critical_value, largest, least, mean
from private_experts.replication.study.own_counts.own_games import (
    CENTRAL,
    COVERED,
    HALF,
    INDEPENDENT,
    LEADER,
    LEARNERS,
    LEARNERS_NOISE,
    LOCAL,
    MECHANISMS,
    META,
    POSTERIOR,
    POSTERIORS,
    SUMS,
    covered,
    name_of,
)
from private_experts.replication.study.tied import best

LABELS = {
    LEADER: "RW-FTPL",
    META: "RW-Meta",
    LEARNERS: "learners by credit",
    POSTERIOR: "posterior means",
    "tree-tight": "tree, tight noise",
    "tree-honaker": "tree, averaged noise",
    "square-root": "square-root sums",
    "optimised-sums": "optimised sums",
    "central-learners": "learners by credit",
    LEARNERS_NOISE: "posterior means, learners' noise",
    INDEPENDENT: "posterior means, independent noise",
    HALF: "posterior means, noise taken back",
}
WHAT = {"same": "paper's noise", "own": "own counts"}
CAPTION = (
    "Own counts: total gain over {weeks}, mean of {repetitions} repetitions. "
    "The paper gives all hospitals the noise of the smallest one of the week (same). On own counts (own) "
    "each adds what its own beds ask for. Both are mu-GDP for one person in one week. Local contenders "
    "hear the same reports. RW-Meta and the learners by credit choose among the paper's learners. "
    "Posterior means know the noise of each report; that priors are of their form was settled on these "
    "data, and the reports' own likelihood weighs them. Central contenders are leaders of four kinds of "
    "sums, the paper's learners, and posterior means with three kinds of noise: the learners', "
    "independent, and taken back by half from week to week, which they know. The best curator is the one "
    "of these that gains most, and is named. "
    "± are CLT intervals that hold jointly over the table at {confidence:g} % (Bonferroni)."
)
LOCALITY_CAPTION = (
    "What locality costs on equal terms: a curator with the paper's noise, and with own counts, "
    "against local contenders with the same mechanism. Prices are central less local: of leaders (the "
    "strongest of four kinds of sums), of the paper's learners, of posterior means (the strongest of "
    "three kinds of noise). The lead is that of local posterior means over the strongest of all central "
    "contenders with the same mechanism (named). A curator's noise is correlated over the weeks; on own "
    "counts by one strategy for all hospitals. Posterior means hear noise that is best for the paper's "
    "learners, and take it as independent; independent noise, as hospitals have it; and noise of which "
    "half is taken back in the next week, which they know. The half is not tuned, so a curator may earn "
    "more still. Total gain over {weeks}, mean of {repetitions} repetitions. ± are CLT intervals that "
    "hold jointly over the table at {confidence:g} % (Bonferroni)."
)

SUPPRESSION_CAPTION = (
    "Noise that keeps its promise in the public file: there one value stands for all small figures, and "
    "missing ones are carried, so that one person moves more. The reach of each hospital and week follows "
    "from the suppressed value and from which weeks carry a figure; on own counts the noise is in "
    "proportion to it, and else to the largest of the week. All this is given the list of hospitals. "
    "Beside it the gain where hospitals report true counts. Total gain over {weeks}, mean of "
    "{repetitions} repetitions. ± are CLT intervals that hold jointly over the table at "
    "{confidence:g} % (Bonferroni)."
)

Samples = Mapping[str, Array]
# on how many intervals it rests, and what it is
Asked = tuple[int, Callable[[Samples, float, bool], Estimate]]


def _mean(name: str, samples: Samples, z: float, exact: bool) -> Estimate:
    return mean(samples[name], z, exact)


def _less(name: str, other: str, samples: Samples, z: float, exact: bool) -> Estimate:
    return mean(samples[name] - samples[other], z, exact)


def _strongest(names: tuple[str, ...], samples: Samples, z: float, exact: bool) -> Estimate:
    return largest(mean(samples[name], z, exact) for name in names)


def _price(names: tuple[str, ...], local: str, samples: Samples, z: float, exact: bool) -> Estimate:
    # Differences in each repetition, as both played on the same data; the largest price is that of the
    # strongest rival.
    return largest(mean(samples[name] - samples[local], z, exact) for name in names)


def _lead(local: str, names: tuple[str, ...], samples: Samples, z: float, exact: bool) -> Estimate:
    # A lead over all is the one over the strongest, and which that is may not be chosen by the sample.
    return least(mean(samples[local] - samples[name], z, exact) for name in names)


def column(*words: str) -> str:
    """Return the name of a column of the CSV from those of a mechanism and of contenders."""
    return "_".join(words).replace("-", "_")


def _estimates() -> dict[str, Asked]:
    found: dict[str, Asked] = {}
    for mechanism in MECHANISMS:
        of = partial(name_of, mechanism)
        rivals, sums = tuple(map(of, CENTRAL)), tuple(map(of, SUMS))
        for name in LOCAL:
            found[column(mechanism, name)] = 1, partial(_mean, of(name))
        # An extreme of several means rests on an interval for each of them, so all count in the joint level.
        found[column(mechanism, "central")] = len(rivals), partial(_strongest, rivals)
        found[column(mechanism, "price-leader")] = len(sums), partial(_price, sums, of(LEADER))
        found[column(mechanism, "price-learners")] = 1, partial(_less, of("central-learners"), of(LEARNERS))
        found[column(mechanism, "price-posterior")] = (
            len(POSTERIORS),
            partial(_price, tuple(map(of, POSTERIORS)), of(POSTERIOR)),
        )
        found[column(mechanism, "lead")] = len(rivals), partial(_lead, of(POSTERIOR), rivals)
    for name in LOCAL:
        found[column("gain", name)] = 1, partial(_less, name_of("own", name), name_of("same", name))
    # Ours against the paper's: own counts and posterior means, less RW-Meta with the paper's noise; and less
    # the best curator with the paper's noise.
    found["gain"] = 1, partial(_less, name_of("own", POSTERIOR), name_of("same", META))
    same = tuple(name_of("same", name) for name in CENTRAL)
    for name in COVERED:
        found[column("covered", *name.split("/"))] = 1, partial(_mean, covered(name))
    found["covered_gain"] = (
        1,
        partial(_less, covered(name_of("own", POSTERIOR)), covered(name_of("same", META))),
    )
    found["lead_over_same"] = len(same), partial(_lead, name_of("own", POSTERIOR), same)
    return found


ESTIMATES = _estimates()


def own_counts_numbers(
    totals: pd.DataFrame, best_hospital: Mapping[str, float], confidence: float
) -> pd.DataFrame:
    """Return all estimates in numbers, one row for each state and level.

    - `totals`: Columns state, algorithm, mu, repetition, total.
    - `best_hospital`: Total density of the best single hospital, by state.
    - `confidence`: Joint confidence.
    """
    groups = list(totals.groupby(["state", "mu"], sort=False))
    # Every estimate of the table counts, also those that the readers' tables leave out.
    z = critical_value(confidence, len(groups) * sum(intervals for intervals, _ in ESTIMATES.values()))
    rows = []
    for (state, mu), group in groups:
        samples = {
            str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)
        }
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[str(state)]}
        for mechanism in MECHANISMS:
            # Named by its mean alone; the estimates beside it hold for whichever is the strongest in truth.
            means = {name: samples[name_of(mechanism, name)].mean() for name in CENTRAL}
            row[column(mechanism, "central-name")] = best(means)
        for name, (_, estimate) in ESTIMATES.items():
            row[name], row[f"{name}_pm"] = estimate(samples, z, mu == math.inf)
        rows.append(row)
    return pd.DataFrame(rows)


def own_counts_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of what own counts gain, for readers."""
    rows = []
    for row in table.to_dict("records"):
        text = {name: with_interval(row[name], row[f"{name}_pm"]) for name in ESTIMATES}
        cells_of_row = {"state": row["state"], "μ": level(row["mu"])}
        for name in LOCAL:
            cells_of_row |= {
                f"{LABELS[name]}, {mechanism}": text[column(mechanism, name)] for mechanism in MECHANISMS
            }
        cells_of_row |= {
            f"best curator, {mechanism}": f"{text[column(mechanism, 'central')]} "
            f"({LABELS[row[column(mechanism, 'central-name')]]})"
            for mechanism in MECHANISMS
        }
        cells_of_row["posterior means, own - RW-Meta, same"] = text["gain"]
        cells_of_row["posterior means, own - best curator, same"] = text["lead_over_same"]
        rows.append(cells_of_row)
    return pd.DataFrame(rows)


def locality_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of what locality costs on equal terms, for readers."""
    rows = []
    for row in table.to_dict("records"):
        for mechanism in MECHANISMS:
            text = {
                name: with_interval(row[column(mechanism, name)], row[f"{column(mechanism, name)}_pm"])
                for name in ("price-leader", "price-learners", "price-posterior", "lead")
            }
            rows.append(
                {
                    "state": row["state"],
                    "μ": level(row["mu"]),
                    "noise": WHAT[mechanism],
                    "price of locality, leader": text["price-leader"],
                    "price of locality, learners": text["price-learners"],
                    "price of locality, posterior means": text["price-posterior"],
                    "lead over the best curator": f"{text['lead']} "
                    f"({LABELS[row[column(mechanism, 'central-name')]]})",
                }
            )
    return pd.DataFrame(rows)


def suppression_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of noise that covers suppressed figures, for readers."""
    rows = []
    for row in table.to_dict("records"):
        text = {name: with_interval(row[name], row[f"{name}_pm"]) for name in ESTIMATES}
        cells_of_row = {"state": row["state"], "μ": level(row["mu"])}
        for name in COVERED:
            mechanism, who = name.split("/")
            for covers, prefix in (("true counts", ()), ("public file", ("covered",))):
                cells_of_row[f"{LABELS[who]}, {mechanism}, {covers}"] = text[column(*prefix, mechanism, who)]
        cells_of_row["public file: posterior means, own - RW-Meta, same"] = text["covered_gain"]
        rows.append(cells_of_row)
    return pd.DataFrame(rows)


LINES: dict[str, tuple[str, Look]] = {
    column("own", POSTERIOR): ("own counts,\nposterior means", (BLUE, "-", "o")),
    column("own", META): ("own counts,\nRW-Meta", (GREEN, "-.", "^")),
    column("same", META): ("paper's noise,\nRW-Meta", (VERMILION, "--", "s")),
    column("own", "central"): ("own counts,\nbest curator", (BLACK, (0, (6, 2)), "D")),
    column("same", "central"): ("paper's noise,\nbest curator", (ORANGE, ":", "v")),
}


def own_counts_figure(table: pd.DataFrame) -> Figure:
    """Draw gains over the best hospital's total against the privacy level, one panel a state."""
    states, levels = list(dict.fromkeys(table["state"])), sorted(set(table["mu"]), reverse=True)
    with style():
        figure, [panels] = grid(1, len(states), 3.0, sharey=True)
        for panel, state in zip(panels, states, strict=True):
            part = table[table["state"] == state]
            best, places = (
                float(part["best_hospital"].iloc[0]),
                np.array([levels.index(mu) for mu in part["mu"]]),
            )
            order = places.argsort()
            panel.axhline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)), label="best hospital")
            for number, (name, (label, look)) in enumerate(LINES.items()):
                gains, within = (part[of].to_numpy()[order] / best for of in (name, f"{name}_pm"))
                curve(panel, look, (places + 0.05 * (number - 2))[order], gains, label, yerr=within)
            panel.set_title(str(state))
            panel.set_xticks(range(len(levels)), [level(mu) for mu in levels])
            panel.set_xlabel("privacy level μ")
        panels[0].set_ylabel("total gain / best hospital's total")
        label_curves(*panels)
        private = table[table["mu"] < math.inf]
        if private.empty:
            finding(figure, "Without a private level there is nothing to compare")
            return figure
        own, same, posterior = (
            private[column(*who)] for who in (("own", META), ("same", META), ("own", POSTERIOR))
        )
        # One thing at a time: first the noise, then the learner.
        finding(
            figure,
            f"With privacy RW-Meta gains {_times(own / same)} times as much on own counts as with the "
            f"paper's noise; there posterior means gain {_times(posterior / own)} times as much as RW-Meta",
        )
    return figure


def _times(ratios: pd.Series) -> str:
    ends = dict.fromkeys(factor(ratio) for ratio in (ratios.min(), ratios.max()))
    return " to ".join(ends)
