"""What the explorer holds: the records that its scripts read, and the words that stand without them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from private_experts.replication.plotting.numbers import grouped, level
from private_experts.replication.report.explorer import gains, looks
from private_experts.replication.report.explorer.definitions import definition
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.players import contenders

PAPERS_FOUR = ("rw-meta", "rw-ftpl", "min-noise", "min-regret")  # shown at first
HEADINGS = {
    "local": "Local: no one sees true figures",
    "central": "Central: a curator sees true figures",
    "no privacy": "Without privacy",
    "learner": "RW-Meta’s learners",
}


def contents(
    curves: pd.DataFrame,
    panels: Mapping[str, Panel],
    repetitions: int,
    confidence: float,
    label: str,
    synthetic: bool,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the records for the scripts, and what the template says."""
    known = contenders()
    algorithms = looks.algorithms(curves["algorithm"].unique(), known)
    names = [algorithm["name"] for algorithm in algorithms]
    per_spread, intervals = gains.half_width(curves, repetitions, confidence)
    states = gains.states(curves, panels)
    data = {
        "units": {"gain": gains.GAIN, "spread": gains.SPREAD},
        "per_spread": per_spread,
        "levels": [level(mu) for mu in dict.fromkeys(curves["mu"])],
        "algorithms": algorithms,
        "first": [name for name in PAPERS_FOUR if name in names] or names[:4],
        "states": states,
        "said": {
            "data": label,
            "repetitions": grouped(repetitions),
            "intervals": grouped(intervals),
            "confidence": f"{100 * confidence:g}",
        },
    }
    view = {
        "data": label,
        "synthetic": synthetic,
        "states": len(states),
        "groups": {
            group: heading
            for group, heading in HEADINGS.items()
            if any(algorithm["group"] == group for algorithm in algorithms)
        },
        "definitions": {algorithm["label"]: definition(algorithm["name"], known) for algorithm in algorithms},
    }
    return data, view
