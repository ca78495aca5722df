"""Own counts in the other states, on which nothing was settled: neither learners nor priors."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from private_experts.arrays import Array
from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.estimates import critical_value, mean
from private_experts.replication.study.own_counts.own_games import LEARNERS, META, POSTERIOR, name_of

SAME, OWN, CREDITED = name_of("same", META), name_of("own", META), name_of("own", LEARNERS)
KNOWING, KNOWING_SAME = name_of("own", POSTERIOR), name_of("same", POSTERIOR)
NAMES = (SAME, OWN, CREDITED, KNOWING, KNOWING_SAME)
TITLES = {
    SAME: "RW-Meta, same", OWN: "RW-Meta, own", CREDITED: "learners by credit, own", KNOWING: "posterior means, own",
    KNOWING_SAME: "posterior means, same",
}  # fmt: skip
LEADS = ((OWN, SAME), (KNOWING, OWN), (KNOWING, CREDITED), (KNOWING, SAME))  # who may gain more than whom
CAPTION = (
    "Own counts in the {states} other states with at least {smallest} hospitals, on which nothing was settled: in "
    "how many states one contender gains more than another, and less, and in how many the intervals leave it "
    "open; and the mean over states of the gain over that of the best single hospital. {repetitions} repetitions; "
    "intervals hold jointly at {confidence:g} % (Bonferroni)."
)


def numbers(totals: pd.DataFrame, best_hospital: Mapping[str, float], confidence: float) -> pd.DataFrame:
    """Return one row for each state and level: mean gains, and the differences of `LEADS` with their half-widths."""
    groups = list(totals.groupby(["state", "mu"], sort=False))
    z = critical_value(confidence, max(1, len(groups)) * len(LEADS))
    rows = []
    for (state, mu), group in groups:
        samples: dict[str, Array] = {
            str(name): part["total"].to_numpy() for name, part in group.groupby("algorithm", sort=False)
        }
        row: dict[str, object] = {"state": state, "mu": mu, "best_hospital": best_hospital[str(state)]}
        row |= {name: float(samples[name].mean()) for name in NAMES}
        for more, less in LEADS:
            row[f"{more} - {less}"], row[f"{more} - {less} pm"] = mean(samples[more] - samples[less], z, mu == math.inf)
        rows.append(row)
    return pd.DataFrame(rows, columns=None if rows else ["state", "mu"])


def tally(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each level: counts of states, and mean gains over those of the best single hospitals."""
    rows = []
    for _, part in table.groupby("mu", sort=False):
        row: dict[str, object] = {"μ": level(float(part["mu"].iloc[0])), "states": len(part)}
        for more, less in LEADS:
            lead, half_width = part[f"{more} - {less}"], part[f"{more} - {less} pm"]
            above, below = int((lead > half_width).sum()), int((lead < -half_width).sum())
            row[f"{TITLES[more]} > {TITLES[less]}"] = f"{above} (less in {below}, open in {len(part) - above - below})"
        row |= {
            f"{TITLES[name]} / best hospital": f"{np.mean(part[name] / part['best_hospital']):.2f}" for name in NAMES
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=None if rows else ["μ", "states"])
