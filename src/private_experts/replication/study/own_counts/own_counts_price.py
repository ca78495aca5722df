"""The whole price of own counts: at one promise, in an average bed, and in the public file.

The promise is that to the worst person. The paper's noise gives others far more than it promises, and own
counts do not. And in the public file, where small figures are hidden, both break it, own counts further.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from private_experts.replication.plotting.numbers import level, with_interval
from private_experts.replication.study.estimates import critical_value, mean
from private_experts.replication.study.own_counts.own_games import (
    MECHANISMS,
    META,
    averaged,
    covered,
    name_of,
)

CAPTION = (
    "What own counts cost beside the promise, which is the same. The level of one who stays away, on average "
    "over beds and weeks. RW-Meta where that average level is the one that the paper's noise gives at μ = "
    "{matched}; there own counts promise a smaller μ, by the ratio of the two levels. The level that the "
    "worst person really has in a public file where small figures are hidden and missing ones carried, given "
    "the list of hospitals. RW-Meta at μ = {strongest} with noise that keeps the promise there. Total gain "
    "over {weeks}, mean of {repetitions} repetitions. ± are CLT intervals that hold jointly over the table "
    "at {confidence:g} % (Bonferroni)."
)
_TITLES = {"same": "paper's noise", "own": "own counts"}


def price_numbers(
    totals: pd.DataFrame,
    average: Mapping[str, Mapping[str, float]],
    growth: Mapping[str, Mapping[str, float]],
    levels: Sequence[float],
    confidence: float,
) -> pd.DataFrame:
    """Return one row for each state: levels over mu, and RW-Meta's gains with half-widths, by mechanism.

    `average` and `growth` have by state and mechanism the level of an average person, and of the worst one in
    the public file. RW-Meta plays at the largest finite level of the games, and at the least that is also one
    of the study's `levels`. Without a finite level there is no row.
    """
    played_at = [mu for mu in totals["mu"].unique() if np.isfinite(mu)]
    if not played_at:
        return pd.DataFrame(columns=["state", "matched_mu", "covered_mu"])
    matched = max(played_at)
    strongest = min([mu for mu in played_at if mu in levels] or played_at)
    played = {
        "matched_same": (name_of("same", META), matched),
        "matched_own": (averaged(name_of("own", META)), matched),
        "covered_same": (covered(name_of("same", META)), strongest),
        "covered_own": (covered(name_of("own", META)), strongest),
    }
    z = critical_value(confidence, len(average) * len(played))
    rows = []
    for state in average:
        row: dict[str, object] = {"state": state, "matched_mu": matched, "covered_mu": strongest}
        for mechanism in MECHANISMS:
            row[f"average_{mechanism}"] = average[state][mechanism]
            row[f"public_{mechanism}"] = growth[state][mechanism]
        for name, (algorithm, mu) in played.items():
            mine = totals[
                (totals["state"] == state) & (totals["algorithm"] == algorithm) & (totals["mu"] == mu)
            ]
            row[name], row[f"{name}_pm"] = mean(mine["total"].to_numpy(), z)
        rows.append(row)
    return pd.DataFrame(rows)


def price_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    rows = []
    for row in table.to_dict("records"):
        cells = {"state": row["state"]}
        for mechanism, title in _TITLES.items():
            cells[f"average bed, {title}"] = f"{row[f'average_{mechanism}']:.3f} μ"
        for mechanism, title in _TITLES.items():
            gain = with_interval(row[f"matched_{mechanism}"], row[f"matched_{mechanism}_pm"], 1)
            cells[f"RW-Meta at that average for μ = {level(row['matched_mu'])}, {title}"] = gain
        for mechanism, title in _TITLES.items():
            cells[f"worst person in the public file, {title}"] = f"{row[f'public_{mechanism}']:.1f} μ"
        for mechanism, title in _TITLES.items():
            gain = with_interval(row[f"covered_{mechanism}"], row[f"covered_{mechanism}_pm"], 1)
            cells[f"RW-Meta, noise for the public file, μ = {level(row['covered_mu'])}, {title}"] = gain
        rows.append(cells)
    return pd.DataFrame(rows)


def ends(rows: Sequence[Mapping[str, str]], name: str, digits: int) -> str:
    """Return the smallest and the largest number of a column, or the one that both are; there are rows."""
    found = {f"{end([float(row[name]) for row in rows]):.{digits}f}" for end in (min, max)}
    return " to ".join(sorted(found, key=float))


def sentence(rows: Sequence[Mapping[str, str]]) -> str:
    """Return in one sentence what the promise does not show, from the rows of the table in numbers."""
    if not rows:
        return ""
    span = partial(ends, rows)
    return (
        f"one who stays away from an average bed has {span('average_own', 2)} of the promised level "
        f"(larger is worse), not {span('average_same', 3)} as with the paper's noise; at the latter, for μ = "
        f"{level(float(rows[0]['matched_mu']))}, the planner gains {span('matched_own', 1)} weeks at "
        f"a full hospital, not {span('matched_same', 1)}; in a public file with hidden small figures the "
        f"worst level is {span('public_own', 1)} times the promised one, not {span('public_same', 1)}"
    )
