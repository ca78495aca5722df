"""Evidence and verdicts: how measured values decide a claim.

A claim says that a value is at most (or at least) a bound, at every point of a grid. At each point a check
measures the value with an interval [low, high]. Exact values have low = high. The **margin** of a point is
how far the value is on the right side of the bound. It has an interval too. A claim

- **holds** when at every point the whole interval is on the right side,
- **fails** when at some point the whole interval is on the wrong side: that point is a counterexample,
- is **undecided** otherwise; more repetitions may decide it.

A point is **vacuous** when its bound is no better than what holds without the claim: a regret of the number
of rounds, a delta of 1. It cannot support the claim. So a claim whose points with a trivial bound are all
vacuous is undecided.

A point about a regret can also have the value of a **lazy** program: one that never learns, never restarts,
or ignores privacy. The claim's check notices such a program at the points where this value is on the wrong
side.

Intervals of stochastic checks hold jointly over the grid (Bonferroni) at 99.9 % (`intervals.CONFIDENCE`). So
the probability of a wrong verdict, either way, is at most 0.1 % for each number of repetitions that is tried
(`gather`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from private_experts.replication.plotting.numbers import number

Grid = Mapping[str, Any]  # the parameters of a check, by name
Verdict = Literal["holds", "fails", "undecided", "not run"]

_RANK = {"fails": 0, "undecided": 1, "holds": 2}


class NotRunError(Exception):
    """Raised by a check that cannot be run on what it was given; the message is the reason."""


@dataclass(frozen=True)
class Point:
    """One point of a claim's grid."""

    where: Mapping[str, Any]  # the grid's parameters
    value: float
    bound: float
    low: float | None = None  # the ends of the value's interval; the value itself when it is exact
    high: float | None = None
    sense: Literal["<=", ">="] = "<="  # which side of the bound is right
    # further columns of the evidence, which decide nothing
    notes: Mapping[str, Any] = field(default_factory=dict)
    trivial: float | None = None  # the bound that holds without the claim
    certified: bool = False  # ball arithmetic gave the interval, so no rounding can change the verdict
    # the value of a program that is too lazy for the claim; where it is measured, a mean
    lazy: float | None = None

    @property
    def vacuous(self) -> bool:
        """Whether the bound is no better than the trivial one."""
        if self.trivial is None:
            return False
        return self.bound >= self.trivial if self.sense == "<=" else self.bound <= self.trivial

    @property
    def lazy_fails(self) -> bool:
        """Whether the lazy program's value is on the wrong side of the bound."""
        if self.lazy is None:
            return False
        return self.lazy > self.bound if self.sense == "<=" else self.lazy < self.bound

    @property
    def interval(self) -> tuple[float, float]:
        """The value's interval."""
        return (self.value if self.low is None else self.low, self.value if self.high is None else self.high)

    @property
    def margin(self) -> tuple[float, float]:
        """The interval of how far the value is on the right side; negative is the wrong side."""
        low, high = self.interval
        return (
            (self.bound - high, self.bound - low)
            if self.sense == "<="
            else (low - self.bound, high - self.bound)
        )

    def row(self) -> dict[str, Any]:
        """Return the point as a row of the evidence table."""
        (low, high), (least, most) = self.interval, self.margin
        measured = {
            "value": self.value,
            "low": low,
            "high": high,
            "sense": self.sense,
            "bound": self.bound,
            "margin_low": least,
            "margin_high": most,
            "verdict": _decided([self.margin]),
            **({} if self.trivial is None else {"trivial": self.trivial, "vacuous": self.vacuous}),
            **({"certified": True} if self.certified else {}),
            **({} if self.lazy is None else {"lazy": self.lazy, "lazy_fails": self.lazy_fails}),
        }
        if taken := sorted(measured.keys() & {*self.where, *self.notes}):
            raise ValueError(
                f"the evidence has a column {taken[0]} of its own: name the grid's key or note otherwise"
            )
        return {**self.where, **measured, **self.notes}


def labelled(column: str, parts: Mapping[str, Iterable[Point]]) -> list[Point]:
    """Return the points of several parts of a claim, with a first column that names the part of each."""
    return [
        replace(point, where={column: part, **point.where})  # a claim's rows are one table
        for part, points in parts.items()
        for point in points
    ]


def decide(points: Iterable[Point]) -> Verdict:
    """Return the verdict over all points; margins that are NaN, or vacuous points alone, decide nothing."""
    listed = list(points)
    verdict = _decided([point.margin for point in listed])
    vacuous = [point.vacuous for point in listed if point.trivial is not None]
    # A claim that no point puts to the test has not held.
    return "undecided" if verdict == "holds" and vacuous and all(vacuous) else verdict


def against_lazy(points: Iterable[Point]) -> dict[str, int]:
    """Return at how many points the lazy program fails, and how many say so and are not vacuous; or None."""
    with_lazy = [point for point in points if point.lazy is not None]
    useful = [point.lazy_fails for point in with_lazy if not point.vacuous]
    return {"lazy_fails": sum(useful), "lazy_points": len(useful)} if with_lazy else {}


def _decided(margins: Sequence[tuple[float, float]]) -> Verdict:
    # One certain counterexample is enough, however many other points are undecided.
    if any(high < 0 for _, high in margins):
        return "fails"
    return "holds" if margins and all(low >= 0 for low, _ in margins) else "undecided"


def relative(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return the ends of a point's margin as shares of its bound or value, whichever is larger in size."""
    # The larger of both: relative to a value near 0, every margin would look large.
    scale = max(abs(number(row["bound"])), abs(number(row["value"])))
    if not scale > 0:
        scale = 1.0
    return number(row["margin_low"]) / scale, number(row["margin_high"]) / scale


def nearness(row: Mapping[str, Any]) -> float:
    """Return the end of the relative margin that decides: the upper for counterexamples, else the lower."""
    return relative(row)[1 if row["verdict"] == "fails" else 0]


def nearest_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return rows of evidence: counterexamples, undecided points, then those that hold, by `nearness`."""
    return sorted(rows, key=_severity)


def _severity(row: Mapping[str, Any]) -> tuple[int, float]:
    # Of points that differ by less the first is shown: rounding errors differ from processor to processor.
    near = float(f"{round(nearness(row), 12):.3g}")
    return _RANK.get(str(row["verdict"]), 1), -math.inf if math.isnan(near) else near


def worst(points: Sequence[Point]) -> Point:
    """Return the point that a verdict shows: the first of `nearest_first`."""
    return min(points, key=lambda point: _severity(point.row()))


def called(verdict: str) -> str:
    """Return what the point is called that a verdict shows."""
    return "counterexample" if verdict == "fails" else "nearest to failing"


def gather(
    check: Callable[[int], Sequence[Point]], repetitions: int, cap: int
) -> tuple[Sequence[Point], Verdict, int]:
    """Run a check, and while undecided again, a new experiment of four times the repetitions, up to `cap`."""
    while True:
        points = check(repetitions)
        if not points:
            raise NotRunError("no point of the grid applies to this data")
        verdict = decide(points)
        if verdict != "undecided" or repetitions >= cap:
            return points, verdict, repetitions
        # Four times: intervals halve. As a new experiment, as stopping on what one has seen would bias it.
        repetitions = min(4 * repetitions, cap)
