"""Own counts in the other states, on which nothing was settled: neither learners nor priors."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.estimates import critical_value, least, mean
from private_experts.replication.study.own_counts.own_games import (
    HALF,
    LEARNERS,
    META,
    POSTERIOR,
    SUMS,
    name_of,
)

SAME, OWN, CREDITED = name_of("same", META), name_of("own", META), name_of("own", LEARNERS)
KNOWING, KNOWING_SAME = name_of("own", POSTERIOR), name_of("same", POSTERIOR)
CURATOR = name_of("own", HALF)
# A curator's contenders with the paper's noise. With independent noise a curator's posterior means are the
# local ones.
RIVALS = (*(name_of("same", name) for name in (*SUMS, HALF)), KNOWING_SAME)
NAMES = (SAME, OWN, CREDITED, KNOWING, KNOWING_SAME, CURATOR)
PLAYED = tuple(dict.fromkeys((*NAMES, *RIVALS)))
TITLES = {
    SAME: "RW-Meta, same",
    OWN: "RW-Meta, own",
    CREDITED: "learners by credit, own",
    KNOWING: "posterior means, own",
    KNOWING_SAME: "posterior means, same",
    CURATOR: "a curator's posterior means, own",
}
OWN_LEADS = f"{TITLES[OWN]} > {TITLES[SAME]}"
# Who may gain more than whom, or than the strongest of whom, by what the column is called.
LEADS = {
    f"{TITLES[more]} > {TITLES[less]}": (more, (less,))
    for more, less in (
        (OWN, SAME),
        (KNOWING, OWN),
        (KNOWING, CREDITED),
        (KNOWING, SAME),
        (KNOWING, KNOWING_SAME),
        (CURATOR, KNOWING),
    )
} | {f"{TITLES[KNOWING]} > best curator, same": (KNOWING, RIVALS)}
CAPTION = (
    "Own counts in the {states} other states with at least {smallest} hospitals, on which nothing was "
    "settled: in how many states one contender gains more than another, and less, and in how many the "
    "intervals leave it open; and the mean over states of the gain over that of the best single hospital. "
    "Posterior means, own > same, isolates the mechanism: the learner is the same. The best curator, "
    "same, is of four kinds of sums and of a curator's posterior means with the paper's noise, "
    "independent or taken back by half. The curator's on own counts take it back by half. {repetitions} "
    "repetitions; intervals hold jointly at {confidence:g} % (Bonferroni)."
)


def lead_numbers(totals: pd.DataFrame, best_hospital: Mapping[str, float], confidence: float) -> pd.DataFrame:
    """Return one row for each state and level: mean gains, and differences of `LEADS` with half-widths."""
    groups = list(totals.groupby(["state", "mu"], sort=False))
    # A lead over several rivals rests on an interval for each of them.
    z = critical_value(confidence, max(1, len(groups)) * sum(len(less) for _, less in LEADS.values()))
    rows = []
    for (state, mu), group in groups:
        samples: dict[str, Array] = {
            str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)
        }
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[str(state)]}
        row |= {name: float(samples[name].mean()) for name in NAMES}
        for title, (more, less) in LEADS.items():
            differences = (mean(samples[more] - samples[name], z, mu == math.inf) for name in less)
            row[title], row[f"{title} pm"] = least(differences)
        rows.append(row)
    return pd.DataFrame(rows, columns=None if rows else ["state", "mu"])


def sentence(rows: Sequence[Mapping[str, str]]) -> str:
    """Return in one sentence in how many states own counts gain more, from the table's rows in numbers."""
    levels: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        if float(row["mu"]) < math.inf:
            levels.setdefault(row["mu"], []).append(row)
    if not levels:
        return ""

    def span(side: int) -> str:
        counts = [
            sum(side * float(row[OWN_LEADS]) > float(row[f"{OWN_LEADS} pm"]) for row in states)
            for states in levels.values()
        ]
        return " to ".join(map(str, sorted({min(counts), max(counts)})))

    return (
        f"of {max(map(len, levels.values()))} other states that were tried, it gains more on own counts in "
        f"{span(1)} at each level with privacy, and less in {span(-1)}"
    )


def tally(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each level: counts of states, and mean gains over the best single hospitals'."""
    rows = []
    for _, part in table.groupby("mu", sort=False):
        row: dict[str, object] = {"μ": level(float(part["mu"].iloc[0])), "states": len(part)}
        for title in LEADS:
            lead, half_width = part[title], part[f"{title} pm"]
            above, below = int((lead > half_width).sum()), int((lead < -half_width).sum())
            row[title] = f"{above} (less in {below}, open in {len(part) - above - below})"
        row |= {
            f"{TITLES[name]} / best hospital": f"{np.mean(part[name] / part['best_hospital']):.2f}"
            for name in NAMES
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=None if rows else ["μ", "states"])
