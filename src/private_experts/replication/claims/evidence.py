"""Evidence and verdicts: how measured values decide a claim.

A claim says that at every point of a grid some value is at most (or at least) a bound. At each point a check
measures the value with an interval [low, high]; exact values have low = high. The **margin** of a point is how far the
value is on the right side of the bound, and it has an interval too. A claim

- **holds** when at every point the whole interval is on the right side,
- **fails** when at some point the whole interval is on the wrong side: that point is a counterexample,
- is **undecided** otherwise; more repetitions may decide it.

Agreement of two routes is the claim that their difference is at most a stated tolerance; equality is that with
tolerance 0. Intervals of stochastic checks hold jointly over the grid (Bonferroni) at 99.9 %
(`intervals.CONFIDENCE`). So a true claim is called false with probability at most 0.1 %, and a claim that is false at
some point is called true with at most the same probability.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Verdict = Literal["holds", "fails", "undecided", "not run"]


class NotRunError(Exception):
    """Raised by a check that cannot be run on what it was given; the message is the reason."""


@dataclass(frozen=True)
class Point:
    """One point of a claim's grid.

    Parameters
    ----------
    where : mapping
        The grid's parameters.
    value : float
        What was measured.
    bound : float
        What the claim compares it with.
    low, high : float, optional
        Interval of the value; the value itself when it is exact.
    sense : {"<=", ">="}
        Which side of the bound is right.
    notes : mapping
        Further columns for the evidence table, such as repetitions; they decide nothing.
    """

    where: Mapping[str, Any]
    value: float
    bound: float
    low: float | None = None
    high: float | None = None
    sense: Literal["<=", ">="] = "<="
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def interval(self) -> tuple[float, float]:
        """The value's interval."""
        return (self.value if self.low is None else self.low, self.value if self.high is None else self.high)

    @property
    def margin(self) -> tuple[float, float]:
        """The interval of how far the value is on the right side; negative is the wrong side."""
        low, high = self.interval
        return (self.bound - high, self.bound - low) if self.sense == "<=" else (low - self.bound, high - self.bound)

    def row(self) -> dict[str, Any]:
        """Return the point as a row of the evidence table."""
        (low, high), (least, most) = self.interval, self.margin
        return {
            **self.where,
            "value": self.value,
            "low": low,
            "high": high,
            "sense": self.sense,
            "bound": self.bound,
            "margin_low": least,
            "margin_high": most,
            "verdict": decide([self]),
            **self.notes,
        }


def decide(points: Iterable[Point]) -> Verdict:
    """Return the verdict over all points; a margin that is not a number decides nothing."""
    margins = [point.margin for point in points]
    if any(high < 0 for _, high in margins):
        return "fails"
    return "holds" if margins and all(low >= 0 for low, _ in margins) else "undecided"


def worst(points: Sequence[Point]) -> Point:
    """Return the point that is nearest to failing, or fails most clearly, relative to its bound.

    A counterexample comes before all that is open, and what is open before what holds.
    """

    def severity(point: Point) -> tuple[int, float]:
        low, high = point.margin
        if high < 0:
            rank, margin = 0, high
        else:
            rank, margin = (2 if low >= 0 else 1), low
        relative = margin / (max(abs(point.bound), abs(point.value)) or 1.0)
        return rank, -float("inf") if np.isnan(relative) else relative

    return min(points, key=severity)


def gather(
    check: Callable[[int], Sequence[Point]], repetitions: int, cap: int, factor: int = 4
) -> tuple[Sequence[Point], Verdict, int]:
    """Run a check, and again with more repetitions while it is undecided.

    Parameters
    ----------
    check : callable
        ``check(repetitions)`` returns the points. Each call starts from its own seed, so that buying repetitions is
        a new experiment and not a peek at the old one.
    repetitions, cap : int
        How many to start with, and how many at most.
    factor : int
        By how much to grow.

    Returns
    -------
    points, verdict, repetitions

    Notes
    -----
    With k rounds the chance of a wrong verdict is at most k (1 - `intervals.CONFIDENCE`).
    """
    while True:
        points = check(repetitions)
        if not points:
            raise NotRunError("no point of the grid applies to this data")
        verdict = decide(points)
        if verdict != "undecided" or repetitions >= cap:
            return points, verdict, repetitions
        repetitions = min(repetitions * factor, cap)
