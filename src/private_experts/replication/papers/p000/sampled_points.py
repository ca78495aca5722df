"""Points of evidence from independent repetitions: means, shares, and values to be near a number."""

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import ArrayLike

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.study.intervals import clopper_pearson, mean_interval

Sense = Literal["<=", ">="]
Notes = Mapping[str, Any] | None


def mean_point(
    where: Mapping[str, Any],
    sample: ArrayLike,
    bound: float,
    intervals: int,
    sense: Sense = "<=",
    notes: Notes = None,
    trivial: float | None = None,
    lazy: float | None = None,
) -> Point:
    """Return the evidence that the mean of repetitions is at most, or at least, a bound."""
    mean, low, high = map(float, mean_interval(sample, intervals=intervals))
    return Point(where, mean, float(bound), low, high, sense, notes or {}, trivial, lazy=lazy)


def share_point(
    where: Mapping[str, Any],
    count: int,
    repetitions: int,
    bound: float,
    intervals: int,
    sense: Sense = "<=",
    notes: Notes = None,
    trivial: float | None = None,
) -> Point:
    """Return the evidence that an event, seen so often, has at most, or at least, some probability."""
    low, high = map(float, clopper_pearson(count, repetitions, intervals))
    return Point(where, float(count / repetitions), float(bound), low, high, sense, notes or {}, trivial)


def near_points(
    where: Mapping[str, Any],
    measured: tuple[Any, Any, Any],
    middle: float,
    tolerance: float,
    notes: Notes = None,
    lazy: float | None = None,
) -> list[Point]:
    """Return the evidence, one point a side, that a value with its interval is near a number."""
    value, low, high = map(float, measured)
    return [
        Point({**where, "side": "above"}, value, middle - tolerance, low, high, ">=", notes or {}, lazy=lazy),
        Point({**where, "side": "below"}, value, middle + tolerance, low, high, "<=", notes or {}, lazy=lazy),
    ]
