"""Counterexamples by name and in fractions, clipped without rounding. [mathematics/003.md#clipping]"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, smallest
from private_experts.replication.papers.p003.classes import packed

Fractions = Sequence[Sequence[Fraction]]  # K distributions over M labels


def _parsed(*rows: str) -> Fractions:
    return [[Fraction(number) for number in row.split()] for row in rows]


def _packed(experts: int, parts: int) -> Fractions:
    """Return the class that `packed` approximates: on its own labels each has 1.001 / parts, and the rest."""
    own = [Fraction("1.001") / parts] * (parts - 1)
    # Just above 1 / parts each: rounding up gives nearly every label a cell more than its share.
    own.append(1 - sum(own, Fraction(0)))
    nothing = [Fraction(0)] * parts
    return [nothing * k + own + nothing * (experts - 1 - k) for k in range(experts)]


EXACT: Mapping[str, Fractions] = {
    "one, two labels": _parsed("0.6 0.4"),
    "apart, four labels": _parsed("0.4 0.6 0 0", "0 0 0.4 0.6"),
    "three eighths": _parsed("1/4 3/8 3/8 0", "0 0 0 1"),
    "nine eightieths": _parsed("1/10" + 8 * " 9/80" + " 0", 9 * "0 " + "1"),
    "packed 2 x 20": _packed(2, 20),
    "packed 3 x 10": _packed(3, 10),
}
"""Classes by name. All exceed KM cells. At T = 100 all but the first two have a span above log(KT)."""

INSTANCES: Mapping[str, Array] = {
    **{name: np.array(f, dtype=np.float64) for name, f in EXACT.items()},
    "packed 2 x 20": packed(2, 20),
    "packed 3 x 10": packed(3, 10),
}
"""The same in floating point."""


def apart(labels: int) -> Fractions:
    """Return a class (2, M): one distribution is sure of a label, the other uniform on all others."""
    others = labels - 1
    return [[Fraction(1), *[Fraction(0)] * others], [Fraction(0), *[Fraction(1, others)] * others]]


def clipped(f: Fractions, horizon: int) -> tuple[list[int], Fractions]:
    """Return the numbers of cells, (M,), and the clipped probabilities of one cell of each label, (K, M)."""
    labels = len(f[0])
    # In fractions, since a product that is rounded up must not be rounded before.
    sizes = [math.ceil(labels * max(column)) for column in zip(*f, strict=True)]
    least, kept = Fraction(1, horizon * sum(sizes)), 1 - Fraction(1, horizon)
    return sizes, [
        [kept * mass / max(size, 1) + least for mass, size in zip(row, sizes, strict=True)] for row in f
    ]


def logarithm(x: Fraction) -> Ball:
    """Return the logarithm of a fraction."""
    return log(ball(x.numerator) / x.denominator)


def _groups(f: Fractions, horizon: int) -> Iterator[tuple[Mapping[Fraction, int], Ball]]:
    """Yield for each distribution how many cells have which probability, and the chance of a random cell."""
    sizes, values = clipped(f, horizon)
    for row in values:
        cells = Counter[Fraction]()
        for value, size in zip(row, sizes, strict=True):
            cells[value] += size
        yield cells, 1 / ball(horizon * sum(sizes))


def level(f: Fractions, horizon: int, noise: Ball) -> Ball:
    """Return the least epsilon for which a distribution's report is epsilon-LDP: a ratio of densities."""
    not_hidden, levels = 1 - ball(1) / horizon, []
    for cells, share in _groups(f, horizon):
        places = {value: logarithm(value) for value in cells}
        for place in places.values():
            kernel = {value: exp(-abs(place - other) / noise) for value, other in places.items()}
            # With probability 1 / T a report is about a random cell, whatever the label: this part is common
            # to all.
            hidden = sum((many * kernel[value] for value, many in cells.items()), ball(0)) * share
            densities = [hidden + not_hidden * density for density in kernel.values()]
            # The ratio is largest at a place of a density's peak, so these places are enough.
            levels.append(log(largest(densities) / smallest(densities)))
    return largest(levels)


def _below(z: float, place: Ball, noise: Ball) -> Ball:
    """Return the chance that a Laplace variable around a place is at most z; nearby both formulas agree."""
    away = (ball(z) - place) / noise
    tail = exp(-abs(away)) / 2
    # Where the ball holds the place itself, either formula may be meant.
    return tail if away <= 0 else 1 - tail if away > 0 else tail.union(1 - tail)


def interval_level(f: Fractions, horizon: int, noise: Ball, width: float) -> Ball:
    """Return the largest log-ratio of labels' chances of intervals, also narrow ones of `width` scales."""
    not_hidden, ratios, scale = 1 - ball(1) / horizon, [], near(noise)
    for cells, share in _groups(f, horizon):
        places = {value: logarithm(value) for value in cells}
        centres = sorted(near(place) for place in places.values())
        inner = [centre + by * width * scale for centre in centres for by in (-1, 0, 1)]
        outer = np.linspace(centres[0] - 25 * scale, centres[-1] + 25 * scale, 200).tolist()
        ends = sorted({*inner, *outer})
        below = {value: [_below(z, place, noise) for z in ends] for value, place in places.items()}
        inside = {
            value: [high - low for low, high in pairwise(chances_below)]
            for value, chances_below in below.items()
        }
        for k in range(len(ends) - 1):
            hidden = sum((many * inside[value][k] for value, many in cells.items()), ball(0)) * share
            chances = [hidden + not_hidden * of_owner[k] for of_owner in inside.values()]
            ratios.append(largest(chances) / smallest(chances))
    return log(largest(ratios))


def cost(f: Fractions, weights: Sequence[Fraction], horizon: int) -> Ball:
    """Return ``KL(f_1, prediction) - KL(clipped f_1, clipped mixture)`` for weights (K,)."""
    sizes, values = clipped(f, horizon)
    before = after = ball(0)
    for y, size in enumerate(sizes):
        mixed = sum((weight * row[y] for weight, row in zip(weights, values, strict=True)), Fraction(0))
        truth, there = f[0][y], values[0][y] * size
        # 0 log 0 is 0.
        if truth:
            before += ball(truth.numerator) / truth.denominator * logarithm(truth / (mixed * size))
        after += ball(there.numerator) / there.denominator * logarithm(values[0][y] / mixed)
    return before - after
