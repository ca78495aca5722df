"""Whether the report of one class is private at a level, decided in balls. [mathematics/003.md#vector-privacy]

The excess ``q_y - e^epsilon q_y'`` of one label over another is ``c k_y - sum_(i != y) c_i k_i``, with all c_i >= 0 and
products k_i of densities ``e^-|z_j - v_ij| / 2`` in noise scales. Between log-likelihoods ``log(k_i / k_y)`` is linear
in each coordinate. Boxes are cut until the sign of the excess is certain, or little is left.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import prod
from typing import NamedTuple

from private_experts.replication.balls.balls import Ball, ball, exp, expm1, near
from private_experts.replication.papers.p003.named import Fractions, clipped, logarithm

_CUTS = 60  # how often a box is cut at most
_OPEN = 2000  # how many boxes may be open


@dataclass(frozen=True)
class Report:
    """Algorithm 1's report for one class. Labels whose cells have the same log-likelihoods count as one."""

    centres: Sequence[Sequence[Ball]]  # log-likelihoods of each kind of cell in noise scales, one a distribution
    ranks: Sequence[Sequence[int]]  # which of the distribution's log-likelihoods that is, from the lowest, 0
    shares: Sequence[Ball]  # the chance that a cell is of this kind if it is drawn from all
    hidden: Ball  # the chance that it is


def report(f: Fractions, horizon: int, noise: Ball) -> Report:
    """Return the report for a class (K, M) in which every label has mass, with Laplace noise of this scale."""
    sizes, values = clipped(f, horizon)
    kinds = Counter[tuple[Fraction, ...]]()
    for size, cell in zip(sizes, zip(*values, strict=True), strict=True):
        kinds[cell] += size
    orders = [sorted(set(each)) for each in zip(*kinds, strict=True)]
    return Report(
        [[logarithm(each) / noise for each in cell] for cell in kinds],
        [[order.index(each) for order, each in zip(orders, cell, strict=True)] for cell in kinds],
        [ball(count) / sum(sizes) for count in kinds.values()],
        1 / ball(horizon),
    )


class _Side(NamedTuple):
    """One side of a box: a part of a coordinate's line without log-likelihoods. A tail's ends are its start."""

    tail: bool
    above: Sequence[bool]  # whether it lies above the log-likelihood of each kind
    away: Sequence[tuple[Ball, Ball]]

    def mass(self, kind: int) -> Ball:
        """Return the integral of the density around one kind's log-likelihood."""
        low, high = self.away[kind]
        if self.tail:
            return exp(-low) / 2
        nearer, farther = (low, high) if self.above[kind] else (high, low)
        return -exp(-nearer) * expm1(nearer - farther) / 2

    def beside(self, kind: int, other: int) -> tuple[Ball, Ball]:
        """Return the least and the largest logarithm of the density around `other` over that around `kind`."""
        low, high = (mine - its for mine, its in zip(self.away[kind], self.away[other], strict=True))
        return (low, high) if self.above[kind] and not self.above[other] else (high, low)

    def halves(self) -> list["_Side"]:
        """Cut it in the middle. A tail stays whole: its quotients are constant, so that halves would say no more."""
        if self.tail:
            return [self]
        middles = [(low + high) / 2 for low, high in self.away]
        lows = [(low, middle) for (low, _), middle in zip(self.away, middles, strict=True)]
        highs = [(middle, high) for (_, high), middle in zip(self.away, middles, strict=True)]
        return [self._replace(away=lows), self._replace(away=highs)]


def _sides(about: Report, j: int) -> Iterator[_Side]:
    """Yield the parts of a coordinate's line: between neighbouring log-likelihoods, and beyond them."""
    places = {ranks[j]: centres[j] for ranks, centres in zip(about.ranks, about.centres, strict=True)}
    cuts = [places[rank] for rank in range(len(places))]
    ends = [(cuts[0], cuts[0]), *pairwise(cuts), (cuts[-1], cuts[-1])]
    for part, interval in enumerate(ends):
        above = [ranks[j] < part for ranks in about.ranks]
        away = [tuple(abs(z - centres[j]) for z in interval) for centres in about.centres]
        yield _Side(part in (0, len(cuts)), above, away)


class _Box(NamedTuple):
    """A box on which the excess may have either sign, bounds on the integral of its positive part, and where to cut."""

    sides: Sequence[_Side]
    least: Ball
    most: Ball
    widest: int


def _bounded(sides: Sequence[_Side], costs: Sequence[Ball], own: int) -> _Box | Ball:
    """Return what the positive part of the excess has on a box, or a box that has to be cut."""
    least = most = costs[own]
    changes = [ball(0)] * len(sides)
    for kind, cost in enumerate(costs):
        if kind != own:
            ranges = [side.beside(own, kind) for side in sides]
            quotient = exp(sum((high for _, high in ranges), ball(0)))
            least -= cost * quotient
            most -= cost * exp(sum((low for low, _ in ranges), ball(0)))
            changes = [
                change + cost * quotient * (high - low) for change, (low, high) in zip(changes, ranges, strict=True)
            ]
    if most <= 0:
        return ball(0)
    masses = [prod((side.mass(kind) for side in sides), start=ball(1)) for kind in range(len(costs))]
    lost = (cost * mass for kind, (cost, mass) in enumerate(zip(costs, masses, strict=True)) if kind != own)
    signed = costs[own] * masses[own] - sum(lost, ball(0))
    if least >= 0:
        return signed
    widest = max(range(len(sides)), key=lambda j: near(changes[j]))
    return _Box(sides, signed.max(ball(0)), most * masses[own], widest)


def _at_most(about: Report, own: int, other: int, epsilon: Ball, delta: Ball) -> bool | None:
    """Tell whether delta is enough for one label against another, or None if boxes are cut in vain."""
    gained = expm1(epsilon)
    costs = [about.hidden * share * gained for share in about.shares]
    costs[other] += (1 - about.hidden) * (1 + gained)
    costs[own] = (1 - about.hidden) - costs[own]
    settled = ball(0)
    queue = list(product(*(list(_sides(about, j)) for j in range(len(about.centres[0])))))
    for _ in range(_CUTS):
        found = [_bounded(sides, costs, own) for sides in queue]
        settled += sum((each for each in found if not isinstance(each, _Box)), ball(0))
        boxes = [each for each in found if isinstance(each, _Box)]
        if settled + sum((box.least for box in boxes), ball(0)) > delta:
            return False
        if settled + sum((box.most for box in boxes), ball(0)) <= delta:
            return True
        if len(boxes) > _OPEN:
            break
        queue = [
            (*box.sides[: box.widest], half, *box.sides[box.widest + 1 :])
            for box in boxes
            for half in box.sides[box.widest].halves()
        ]
    return None


def is_private(about: Report, epsilon: Ball, delta: Ball) -> bool | None:
    """Tell whether a report is (epsilon, delta)-LDP, or None if balls do not decide."""
    found = [_at_most(about, *pair, epsilon, delta) for pair in permutations(range(len(about.shares)), 2)]
    return False if False in found else None if None in found else True
