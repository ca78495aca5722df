"""Convex piecewise linear losses on [-1/2, 1/2] and their Gibbs measures, by normal tails and without a grid.

[mathematics/001.md#bent-losses]
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from private_experts.private_oco.losses import random_slopes
from private_experts.replication.balls.balls import Ball, ball, erf, erfc, exp, log, near, pi, smallest, sqrt, square

HALF = 0.5  # of the interval's length


@dataclass(frozen=True)
class Bent:
    """A convex function ``level + slope x + sum of jump (x - place)_+``, with kinks inside the interval, ascending."""

    level: Ball
    slope: Ball
    kinks: tuple[tuple[Ball, Ball], ...] = ()

    def __add__(self, other: "Bent") -> "Bent":
        kinks = sorted(self.kinks + other.kinks, key=lambda kink: near(kink[0]))
        return Bent(self.level + other.level, self.slope + other.slope, tuple(kinks))

    def __call__(self, x: Ball) -> Ball:
        """Return the value at a place."""
        bends = (jump * (x - place).nonnegative_part() for place, jump in self.kinks)
        return sum(bends, self.level + self.slope * x)

    def least(self) -> Ball:
        """Return the least value: at a kink or an end."""
        return smallest(self(place) for place in (ball(-HALF), ball(HALF), *(place for place, _ in self.kinks)))


def line(slope: float) -> Bent:
    """Return the function that is `slope` times x."""
    return Bent(ball(0), ball(slope))


def upper_envelope(slopes: Sequence[float], heights: Sequence[float]) -> Bent:
    """Return the maximum of lines inside the interval; of lines that balls cannot order, no number."""
    kept: list[tuple[Ball, Ball]] = []
    places: list[Ball] = []
    for slope, height in sorted(
        zip(map(ball, slopes), map(ball, heights), strict=True), key=lambda each: near(each[0])
    ):
        while kept:
            place = (kept[-1][1] - height) / (slope - kept[-1][0])
            if not places or place > places[-1]:
                places.append(place)
                break
            if not place < places[-1]:
                return line(float("nan"))
            kept.pop()
            places.pop()
        kept.append((slope, height))
    first = sum(bool(place <= -HALF) for place in places)
    last = sum(not place >= HALF for place in places)
    kinks = ((places[i], kept[i + 1][0] - kept[i][0]) for i in range(first, last))
    return Bent(kept[first][1], kept[first][0], tuple(kinks))


def drawn(name: str, horizon: int, span: float, rng: np.random.Generator) -> list[Bent]:
    """Return the losses that `private_oco.losses` draws, for `span` the largest of the grid's points."""
    if name == "constant":
        return [line(1.0)] * horizon
    if name == "linear":
        return [line(slope) for slope in random_slopes(horizon, 1, 1.0, rng)[:, 0].tolist()]
    slopes = {"hinges": random_slopes(3 * horizon, 1, 1.0, rng)}[name] * rng.random((3 * horizon, 1))
    heights = span * rng.uniform(-1, 1, (3 * horizon, 1))
    rows = zip(slopes.reshape(horizon, 3).tolist(), heights.reshape(horizon, 3).tolist(), strict=True)
    return [upper_envelope(*row) for row in rows]


class Measure:
    """The Gibbs measure of a sum of losses: density proportional to ``exp(-beta (l(x) + lam x^2 / 2))``."""

    def __init__(self, total: Bent, beta: Ball, lam: Ball) -> None:
        self._width = sqrt(beta * lam / 2)
        slopes = accumulate((jump for _, jump in total.kinks), initial=total.slope)
        levels = accumulate((-jump * place for place, jump in total.kinks), initial=total.level)
        lines = list(zip(slopes, levels, strict=True))
        self._shifts = [slope / lam for slope, _ in lines]
        root = sqrt(pi()) / (2 * self._width)
        self._factors = [exp(beta * (square(slope) / (2 * lam) - level)) * root for slope, level in lines]
        self._borders = [ball(-HALF), *(place for place, _ in total.kinks), ball(HALF)]
        self._places = [near(place) for place in self._borders]
        sorts = all(low <= high for low, high in pairwise(self._borders))
        parts = [self._part(i, *ends) if sorts else ball("nan") for i, ends in enumerate(pairwise(self._borders))]
        self._left = list(accumulate(parts, initial=ball(0)))  # what lies left of each border
        self._right = [*accumulate(reversed(parts), initial=ball(0))][::-1]
        self._whole = self._left[-1]
        self.log_whole = log(self._whole)

    def _part(self, number: int, low: Ball, high: Ball) -> Ball:
        """Return the integral over a part of the piece with a number."""
        one, two = (self._width * (x + self._shifts[number]) for x in (low, high))
        return self._factors[number] * _between(one, two)

    def beyond(self, x: Ball, side: int) -> Ball:
        """Return the chance to lie left (side 0) or right (side 1) of a place; where balls find no piece, no number."""
        number = min(max(bisect(self._places, near(x)), 1), len(self._places) - 1) - 1
        low, high = self._borders[number : number + 2]
        if not (low <= x and x <= high):
            return ball("nan")
        if side:
            return (self._right[number + 1] + self._part(number, x, high)) / self._whole
        return (self._left[number] + self._part(number, low, x)) / self._whole


def _between(one: Ball, two: Ball) -> Ball:
    """Return ``erf(two) - erf(one)``; tails are accurate on their side alone."""
    if one > 0:
        return erfc(one) - erfc(two)
    if two < 0:
        return erfc(-two) - erfc(-one)
    return erf(two) - erf(one)
