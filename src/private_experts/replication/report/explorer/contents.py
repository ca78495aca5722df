"""What the explorer holds: the records that its scripts read, and the words and the table that stand without them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from private_experts.replication.plotting.numbers import grouped, level
from private_experts.replication.report.explorer import amplifications, gains, looks
from private_experts.replication.report.explorer.compact import ERROR, GAIN, LOG_DELTA, SPREAD
from private_experts.replication.report.explorer.definitions import definition, presets
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders


def contents(
    curves: pd.DataFrame,
    panels: Mapping[str, Panel],
    laws: amplifications.Laws,
    repetitions: int,
    confidence: float,
    horizon: int,
    label: str,
    synthetic: bool,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the records for the scripts, and what the template says."""
    known = contenders()
    played = curves["algorithm"].unique()
    algorithms = [{**each, "says": definition(each["name"], known)} for each in looks.algorithms(played, known)]
    together = presets({each["name"] for each in algorithms})
    per_spread, intervals = gains.half_width(curves, repetitions, confidence)
    states = gains.states(curves, panels)
    batching = amplifications.curves(laws, horizon, confidence)
    levels = [level(mu) for mu in dict.fromkeys(curves["mu"])]
    data = {
        "units": {"gain": GAIN, "spread": SPREAD, "error": ERROR, "delta": LOG_DELTA},
        "per_spread": per_spread,
        "levels": levels,
        "algorithms": algorithms,
        "first": together[0][1] if together else [each["name"] for each in algorithms[:4]],
        "states": states,
        "compared": looks.compared(),
        "amplification": batching,
        "said": {
            "data": label,
            "repetitions": grouped(repetitions),
            "intervals": grouped(intervals),
            "confidence": f"{100 * confidence:g}",
            "horizon": grouped(horizon),
        },
    }
    view = {
        "data": label,
        "synthetic": synthetic,
        "states": [(each["state"], each["hospitals"], len(each["weeks"])) for each in states],
        "levels": levels,
        "presets": together,
        "groups": [
            (group, [each for each in algorithms if each["group"] == group])
            for group in dict.fromkeys(each["group"] for each in algorithms)
        ],
        "said": data["said"],
        "cells": {
            name: sorted({each[name] for each in batching["cells"]}, key=float)
            for name in ("n", "mu", "round", "tolerance")
        },
        "columns": [each for each in algorithms if not each["name"].startswith(LEARNER)],
        "totals": [row | {"weeks": len(panels[row["state"]].weeks)} for row in gains.totals(curves, per_spread)],
    }
    return data, view
