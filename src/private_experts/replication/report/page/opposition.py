"""Why Theorem 3 of 000 fails, as a picture to play with: how much learners oppose the noise, and the regret.

All points are rows of the evidence of two claims; nothing is computed here but their places.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.plotting.numbers import short

PRINTED, UNMOVED = "000/theorem-3/as-printed", "000/theorem-3"
# What learners do with the noise, from looking away to opposing it, and what the evidence calls them.
LEARNERS = (
    ("do not look at the reports", ""),
    ("follow the latest report", "chasing"),
    ("take the choices in turn when ahead", "wandering"),
    ("turn against the leader when ahead", "contrary"),
)
ETA = 3.0  # the scale of noise that all pairs which look at the reports were given
WIDTH, HEIGHT = 600, 240
ROUNDS, TIMES = (100, 3200), (0.02, 10)  # what the axes span
Rows = Sequence[Mapping[str, str]]


def picture(evidence: Mapping[str, Rows]) -> dict[str, Any]:
    """Return the lines of the picture: of each kind of learners the regret, in multiples of the bound."""
    scales = [point["eta"] for point in points(evidence, "")] or [ETA]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "lines": [
            # Those that do not look play games of several sizes, each a point by itself.
            line(words, points(evidence, name)) | {"joined": bool(name)}
            for words, name in LEARNERS
        ],
        "scales": f"{min(scales):g} to {max(scales):g}",
        "bound": f"{_up(1):.1f}",
        "rounds": [(f"{_along(rounds):.1f}", rounds) for rounds in (100, 200, 400, 800, 1600, 3200)],
        "times": [(f"{_up(times):.1f}", f"{times:g}") for times in (0.1, 0.3, 1, 3, 10)],
        "eta": f"{ETA:g}",
        "claims": (PRINTED, UNMOVED),
    }


def points(evidence: Mapping[str, Rows], learners: str) -> list[dict[str, float]]:
    """Return by rounds the point of the evidence that comes nearest to the bound, or furthest beyond it."""
    if learners:
        rows = [
            row
            for row in evidence.get(PRINTED, ())
            if row.get("learners") == learners and float(row["eta"]) == ETA and row["best"] == "expectation"
        ]
    else:
        rows = [row for row in evidence.get(UNMOVED, ()) if row.get("vacuous") == "False"]
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        point = {name: float(row[name]) for name in ("value", "low", "high", "bound", "eta")}
        times, rounds = point["value"] / point["bound"], int(row["T"])
        if times > found.get(rounds, {"times": 0})["times"]:
            found[rounds] = {**point, "times": times, "rounds": rounds}
    return [found[rounds] for rounds in sorted(found)]


def line(words: str, points: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return a line with its places, and what its last point says."""
    places = [f"{_along(point['rounds']):.1f},{_up(point['times']):.1f}" for point in points]
    if not points:
        return {"words": words, "places": places, "says": "was not played"}
    last = points[-1]
    return {
        "words": words,
        "places": places,
        "says": f"after {last['rounds']:g} rounds the regret is {short(last['value'])}, between "
        f"{short(last['low'])} and {short(last['high'])}; the printed bound allows {short(last['bound'])}",
    }


def _along(rounds: float) -> float:
    return _place(rounds, ROUNDS) * WIDTH


def _up(times: float) -> float:
    return HEIGHT - _place(times, TIMES) * HEIGHT


def _place(value: float, ends: tuple[float, float]) -> float:
    """Return where a value stands between two ends on a logarithmic axis, from 0 to 1."""
    low, high = map(math.log, ends)
    return min(max((math.log(value) - low) / (high - low), 0.0), 1.0)
