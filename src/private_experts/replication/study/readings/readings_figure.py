"""The figure of the readings: their scores, and the printed statistic that tells them apart best."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from private_experts.replication.plotting.direct_labels import label_curves
from private_experts.replication.plotting.figures import SERIES, curve, finding, grid, style
from private_experts.replication.plotting.numbers import level
from private_experts.replication.plotting.palette import BLACK, LOOKS
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE, Scored
from private_experts.replication.study.readings.scores import RW_META
from private_experts.replication.study.tied import first_least


def scores_figure(table: pd.DataFrame, whole: Scored) -> Figure:
    """Draw the left-out score of each kind and floor, and RW-Meta over the best linear model by level."""
    kinds = table[table["floor"] != ""]
    names = list(dict.fromkeys(kinds["what"]))
    looks = {name: LOOKS[number % len(LOOKS)] for number, name in enumerate(names)}
    rows = [f"{row['what']}, floor {row['floor']}" for row in kinds.to_dict("records")]
    with style():
        figure, [[left, right]] = grid(1, 2, 3.2)
        for place, row in enumerate(kinds.to_dict("records")):
            colour, _, marker = looks[row["what"]]
            full = {} if row["admissible"] else {"mfc": "white"}
            curve(left, (colour, "none", marker), row["score"], place, xerr=_bars(row), ms=4, **full)
        left.set_yticks(range(len(rows)), rows)
        left.invert_yaxis()
        left.set_xlim(left=0)
        left.set_xlabel("left-out score: rms of log(ours / printed)")
        statistics = [
            (row, statistic) for row, statistic in enumerate(whole.statistics) if statistic.group == RW_META
        ]
        levels = list(dict.fromkeys(statistic.mu for _, statistic in statistics))

        def mean(values: Mapping[int, float], mu: float) -> float:
            return float(np.mean([values[row] for row, statistic in statistics if statistic.mu == mu]))

        printed = {row: statistic.printed for row, statistic in statistics}
        right.plot([mean(printed, mu) for mu in levels], color=BLACK, lw=2.5, label="printed")
        for row in kinds[kinds["floor"] == ADMISSIBLE].to_dict("records")[: SERIES - 1]:
            logs = whole.logs[row["floor"]][row["family"], row["strengths"]][:, 0]
            gains = {at: math.exp(logs[at]) * statistic.printed for at, statistic in statistics}
            shown = [mean(gains, mu) for mu in levels]
            curve(right, looks[row["what"]], range(len(shown)), shown, row["what"])
        right.set_xticks(range(len(levels)), [level(mu) for mu in levels])
        right.set_xlabel("μ")
        right.set_ylabel("RW-Meta / best linear model")
        label_curves(right)
        if kinds["score"].isna().all():
            finding(figure, "No reading has a score: the printed table has none of the states")
            return figure
        given = kinds[kinds["score"].notna() & (kinds["floor"] == ADMISSIBLE)]
        nearest = given.iloc[int(first_least(given["score"]))]
        apart_of = int((given["score_low"] > nearest["score_high"]).sum())
        below = f"its interval lies below those of {apart_of} of {len(given) - 1} others"
        overlap = "all intervals overlap with its own" if len(given) > 1 else "no other kind was played"
        apart = below if apart_of else overlap
        finding(
            figure, f"Nearest to the printed table with its floor {ADMISSIBLE}: {nearest['what']}; {apart}"
        )
    return figure


def _bars(row: Mapping[Any, Any]) -> list[list[float]]:
    """Return the interval of a score as lengths of error bars; percentile intervals may miss the score."""
    if math.isnan(row["score_low"]):
        return [[0.0], [0.0]]
    return [[max(row["score"] - row["score_low"], 0.0)], [max(row["score_high"] - row["score"], 0.0)]]
