"""Piecewise linear functions on an interval, in exact arithmetic: maxima of lines, sums, shifts.

Floats are taken for the binary numbers that they are, so knots are fractions, and no rounding decides which
line is the largest. Slopes and heights may become balls when a function is multiplied with one; knots never
do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from private_experts.replication.balls.balls import flint

Fraction = Any  # flint.fmpq
Number = Any  # flint.fmpq, or a ball


def exact(number: Any) -> Fraction:
    """Return a float as the fraction that it is, and a fraction as itself; raise TypeError for a ball."""
    fraction = flint().fmpq
    if isinstance(number, flint().arb):
        raise TypeError("a ball is no fraction: which of its members is meant?")
    return number if isinstance(number, fraction) else fraction(*float(number).as_integer_ratio())


@dataclass(frozen=True)
class PiecewiseLinear:
    """The continuous function ``slopes[k] x + heights[k]`` from ``knots[k]`` to the next; knots increase."""

    knots: tuple[Fraction, ...]
    slopes: tuple[Number, ...]
    heights: tuple[Number, ...]

    def __add__(self, other: "PiecewiseLinear") -> "PiecewiseLinear":
        """Return the sum with a function on the same interval."""
        one, two = on_common_knots(self, other)
        slopes = tuple(s + t for s, t in zip(one.slopes, two.slopes, strict=True))
        return PiecewiseLinear(
            one.knots, slopes, tuple(s + t for s, t in zip(one.heights, two.heights, strict=True))
        )

    def __sub__(self, other: "PiecewiseLinear") -> "PiecewiseLinear":
        """Return the difference to a function on the same interval."""
        return self + other * -1

    def __mul__(self, factor: Number) -> "PiecewiseLinear":
        """Return a multiple, by a whole number, a fraction or a ball."""
        slopes, heights = (
            tuple(number * factor for number in numbers) for numbers in (self.slopes, self.heights)
        )
        return PiecewiseLinear(self.knots, slopes, heights)

    def __call__(self, x: Fraction) -> Number:
        """Return the value at a fraction inside the interval."""
        place = exact(x)
        if not self.knots[0] <= place <= self.knots[-1]:
            raise ValueError(f"{x} lies outside [{self.knots[0]}, {self.knots[-1]}]")
        # At a knot the left piece: both have the same value, as the function is continuous.
        k = next(k for k, end in enumerate(self.knots[1:]) if place <= end)
        return self.slopes[k] * place + self.heights[k]

    def moved(self, by: Fraction) -> "PiecewiseLinear":
        """Return the function whose value at x is this one's at ``x + by``; its interval is moved as well."""
        heights = tuple(h + s * by for s, h in zip(self.slopes, self.heights, strict=True))
        return PiecewiseLinear(tuple(knot - by for knot in self.knots), self.slopes, heights)

    def within(self, low: Fraction, high: Fraction) -> "PiecewiseLinear":
        """Return the function on a part of its interval that has a length."""
        if not self.knots[0] <= low < high <= self.knots[-1]:
            raise ValueError(f"[{low}, {high}] is no part of [{self.knots[0]}, {self.knots[-1]}]")
        return self._cut(sorted({low, high, *(knot for knot in self.knots if low < knot < high)}))

    def _cut(self, knots: Sequence[Fraction]) -> "PiecewiseLinear":
        """Return the function on knots among which are all of its own between the first and the last."""
        places, k = [], 0
        for start in knots[:-1]:
            while self.knots[k + 1] <= start:
                k += 1
            places.append(k)
        slopes, heights = (tuple(numbers[k] for k in places) for numbers in (self.slopes, self.heights))
        return PiecewiseLinear(tuple(knots), slopes, heights)


def on_common_knots(one: PiecewiseLinear, two: PiecewiseLinear) -> tuple[PiecewiseLinear, PiecewiseLinear]:
    """Return both functions with the knots of either."""
    if one.knots == two.knots:
        return one, two
    if (one.knots[0], one.knots[-1]) != (two.knots[0], two.knots[-1]):
        raise ValueError("two functions on different intervals")
    knots = sorted({*one.knots, *two.knots})
    return one._cut(knots), two._cut(knots)


def maximum(slopes: Sequence[Any], heights: Sequence[Any], low: Any, high: Any) -> PiecewiseLinear:
    """Return the maximum of one or more lines ``slope x + height`` on an interval, with ``low < high``."""
    lines = [(exact(slope), exact(height)) for slope, height in zip(slopes, heights, strict=True)]
    first, last = exact(low), exact(high)
    if not lines or not first < last:
        raise ValueError(f"the maximum of {len(lines)} lines on [{low}, {high}]")
    crossings = ((b - d) / (c - a) for (a, b), (c, d) in combinations(lines, 2) if a != c)
    # Between neighbouring crossings one line is the largest throughout, so its middle decides.
    knots = sorted({first, last, *(place for place in crossings if first < place < last)})
    largest = [
        max(lines, key=lambda line: line[0] * (start + end) / 2 + line[1]) for start, end in pairwise(knots)
    ]
    # Knots at which the largest line does not change are left out: each costs an integral later.
    changes = [0, *(k for k in range(1, len(largest)) if largest[k] != largest[k - 1])]
    knots = [*(knots[k] for k in changes), last]
    return PiecewiseLinear(
        tuple(knots), tuple(largest[k][0] for k in changes), tuple(largest[k][1] for k in changes)
    )


def line(slope: Any, low: Any, high: Any) -> PiecewiseLinear:
    """Return a multiple of x on an interval."""
    return maximum([slope], [0.0], low, high)
