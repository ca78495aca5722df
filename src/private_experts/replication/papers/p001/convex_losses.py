"""Pairs of convex losses whose difference is Lipschitz: sums of maxima of lines. [001, Section 3]"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.losses import random_slopes
from private_experts.replication.balls.piecewise_linear import PiecewiseLinear, line, maximum

_AT_ONCE = 4096  # points, so that lines at all of them stay in the processor's cache
STEEPEST = {1: 10.0, 2: 1.0}  # largest slope of the common part of two losses, by dimension


@dataclass(frozen=True)
class Maxima:
    """A sum of maxima of lines, each with sign, slopes (k, d), heights (k,); convex if all signs are 1."""

    terms: tuple[tuple[int, Array, Array], ...] = ()

    def __add__(self, other: "Maxima") -> "Maxima":
        return Maxima(self.terms + other.terms)

    def __sub__(self, other: "Maxima") -> "Maxima":
        """Return the difference, in which the terms that both begin with are left out."""
        # Left out and not subtracted: a steep common part would cancel in balls to nothing but width.
        both = zip(self.terms, other.terms, strict=False)
        common = sum(1 for _ in takewhile(lambda terms: terms[0] is terms[1], both))
        left, others = self.terms[common:], other.terms[common:]
        return Maxima(left + tuple((-sign, slopes, heights) for sign, slopes, heights in others))

    def at(self, points: Array) -> Array:
        """Return the values at points, shape (m, d), in floats."""
        total = np.zeros(len(points))
        for start in range(0, len(points), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            for sign, slopes, heights in self.terms:
                total[part] += sign * (slopes @ points[part].T + heights[:, None]).max(axis=0)
        return total

    def on(self, low: float, high: float) -> PiecewiseLinear:
        """Return the function on an interval, without rounding."""
        total = line(0.0, low, high)
        for sign, slopes, heights in self.terms:
            total += maximum(slopes[:, 0].tolist(), heights.tolist(), low, high) * sign
        return total


def linear(slope: float, dimension: int, along: int = 0) -> Maxima:
    """Return a multiple of a coordinate."""
    return Maxima(((1, slope * np.eye(1, dimension, along), np.zeros(1)),))


def convex(dimension: int, span: float, lipschitz: float, pieces: int, rng: np.random.Generator) -> Maxima:
    """Return the maximum of `pieces` random G-Lipschitz linear functions; `span` bounds coordinates."""
    # The maximum of G-Lipschitz functions is G-Lipschitz.
    slopes = random_slopes(pieces, dimension, lipschitz, rng) * rng.random((pieces, 1)) ** 0.5
    heights = lipschitz * span * rng.uniform(-1, 1, (pieces, 1))
    return Maxima(((1, slopes, heights[:, 0]),))


def pairs(
    dimension: int, span: float, lipschitz: float, instances: int, rng: np.random.Generator
) -> Iterator[tuple[Maxima, Maxima]]:
    """Yield pairs of convex losses with a G-Lipschitz difference: linear, then random, also steeper."""
    yield Maxima(), linear(lipschitz, dimension)
    for number in range(instances):
        # Any convex function may be common: only the difference has to be Lipschitz.
        common = convex(dimension, span, STEEPEST[dimension] * 10.0 ** rng.uniform(-2, 0), 4, rng)
        if number % 3 == 0:  # moved by a linear function
            yield common, common + linear(lipschitz * rng.choice([-1, 1]), dimension)
        else:
            # Half of G each, so that their difference is G-Lipschitz.
            one, two = (convex(dimension, span, lipschitz / 2, number % 3, rng) for _ in range(2))
            yield common + one, common + two
