"""Gain against the level in an average bed: what the level of the worst one, which is promised, hides."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import curve, finding, grid, style
from private_experts.replication.plotting.numbers import level
from private_experts.replication.plotting.palette import BLACK, BLUE, ORANGE, SKY, VERMILION
from private_experts.replication.study.estimates import critical_value, mean
from private_experts.replication.study.own_counts.own_games import (
    MECHANISMS,
    META,
    averaged,
    covered,
    name_of,
)

Levels = Mapping[str, Mapping[str, float]]

# By what the promise is about, and mechanism.
LINES = {
    ("count", "same"): ("paper's noise,\na count", (VERMILION, "-", "s")),
    ("file", "same"): ("paper's noise,\npublic file", (ORANGE, ":", "v")),
    ("count", "own"): ("own counts,\na count", (BLUE, "-", "o")),
    ("file", "own"): ("own counts,\npublic file", (SKY, ":", "^")),
}


def at_average(
    totals: pd.DataFrame, of_count: Levels, in_file: Levels, best: Mapping[str, float], confidence: float
) -> pd.DataFrame:
    """Return one row for each point: state, about, mechanism, mu, level, gain, pm; gains over the best's.

    `of_count` and `in_file` have by state and mechanism the level over mu in an average bed, where the
    promise is about a count, and where it is about the public file. Own counts also play at the average level
    of the paper's noise.
    """
    names = {
        **{name_of(mechanism, META): ("count", mechanism) for mechanism in MECHANISMS},
        **{covered(name_of(mechanism, META)): ("file", mechanism) for mechanism in MECHANISMS},
        averaged(name_of("own", META)): ("count", "own"),
    }
    played = totals[totals["algorithm"].isin([*names]) & np.isfinite(totals["mu"])]
    groups = list(played.groupby(["state", "algorithm", "mu"], sort=False))
    z = critical_value(confidence, max(1, len(groups)))
    rows = []
    for (state, algorithm, mu), group in groups:
        about, mechanism = names[str(algorithm)]
        levels = (of_count if about == "count" else in_file)[str(state)]
        # What plays at the average of the paper's noise is recorded under the level that this promises.
        at = levels["same" if algorithm == averaged(name_of("own", META)) else mechanism]
        gain, half_width = mean(group["total"].to_numpy() / best[str(state)], z)
        found = {"state": state, "about": about, "mechanism": mechanism, "mu": mu}
        rows.append(found | {"level": mu * at, "gain": gain, "pm": half_width})
    return pd.DataFrame(rows, columns=["state", "about", "mechanism", "mu", "level", "gain", "pm"])


def average_level_figure(points: pd.DataFrame) -> Figure:
    """Draw gains over the best hospital's total against the level in an average bed, a panel a state."""
    states = list(dict.fromkeys(points["state"]))
    with style():
        figure, [panels] = grid(1, max(1, len(states)), 2.9, sharey=True)
        for panel, state in zip(panels, states, strict=False):
            for (about, mechanism), (label, look) in LINES.items():
                mine = points[
                    (points["state"] == state)
                    & (points["about"] == about)
                    & (points["mechanism"] == mechanism)
                ].sort_values("level")
                curve(panel, look, mine["level"], mine["gain"], label, yerr=mine["pm"])
            panel.axhline(1, color=BLACK, lw=0.7, ls=(0, (1, 2)), label="best hospital")
            panel.set_xscale("log")
            panel.set_title(str(state))
            panel.set_xlabel("level in an average bed")
        panels[0].set_ylabel("RW-Meta's gain / best hospital's")
        label_curves(*panels)
        finding(figure, _found(points))
    return figure


def _found(points: pd.DataFrame) -> str:
    """Return what the figure shows at the weakest level that is private."""
    matched = points[(points["about"] == "count") & (points["mu"] == points["mu"].max())]
    # Of own counts the point at the average of the paper's noise is the one of the least level.
    gains = matched.sort_values("level").groupby(["state", "mechanism"], sort=False)["gain"].first()
    if gains.empty:
        return "Without a private level there is nothing to compare"
    shares = sorted(gains.xs("own", level=1) / gains.xs("same", level=1))
    ends = list(dict.fromkeys(f"{100 * share:.0f}" for share in (shares[0], shares[-1])))
    return (
        f"Where an average bed has what the paper's noise gives at μ = {level(points['mu'].max())}, "
        f"own counts gain {' to '.join(ends)} % as much"
    )
