"""Inequalities that are proved over whole boxes, by bisection in ball arithmetic.

A **box** gives each parameter an interval. To prove ``small <= large`` on it, take the margin ``large - small``:

1. The margin is computed with the intervals themselves. If its ball has no negative member, the box is proved.
2. Otherwise the margin is bounded by its value m at the box's centre and its slopes over the box: ``m + sum of slope
   times distance`` (the mean value theorem). If m is surely negative, the centre is a counterexample. All is decided.
3. Otherwise the box is cut in two, up to a depth. What is left then is **unproved**, and is reported.

Where both sides meet, no bisection ends. There an **edge** says at which value of which parameter they meet, and how
many of the margin's Taylor coefficients vanish, which is shown by algebra and stated with the check. On a box that
touches the edge the margin is then exactly ``c (x - at)^order``, with c the next coefficient somewhere on the box. The
sign of c decides. Coefficients that are stated to vanish are computed at three places of the edge and have to be 0
there, up to rounding. This finds wrong statements, but proves none: that they vanish on all of the edge rests on
algebra.

The corners of the whole box are looked at first. One at which the margin is surely negative is a counterexample.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

from private_experts.replication.balls.balls import BITS, Ball, ball, flint, lower, near, precision, upper
from private_experts.replication.ledger.evidence import Point

Box = Mapping[str, Sequence[float]]
Sides = Callable[..., tuple[Ball, Ball]]

_PLACES = (0.5, 0.3819660112501051, 0.7639320225002103)  # of an edge; the latter two are no simple fractions
_ZERO = 1e-20  # how far coefficients that vanish may be from 0 as computed
_NARROW = 10.0  # how much narrower than another a parameter may become before the other is cut
_LEAST = 5e-324  # the least positive float


@dataclass(frozen=True)
class Edge:
    """Where the two sides meet: the parameter, its value, and how many coefficients of the margin vanish there."""

    parameter: str
    at: float
    order: int


@dataclass
class Proof:
    """What became of a box.

    - `boxes`: Boxes on which the margin is positive.
    - `by_series`: Boxes at an edge that the series decided.
    - `smallest`: The least that is proved of the margin, apart from edges.
    - `nearest`: Where the margin is the smallest share of the larger side: a corner of the whole box, or the centre of
      a part.
    - `unproved`: Boxes that are left.
    - `refuted`: A point at which the margin is surely negative.
    """

    boxes: int = 0
    by_series: int = 0
    smallest: float = math.inf
    nearest: Mapping[str, float] = field(default_factory=dict)
    unproved: list[Box] = field(default_factory=list)
    refuted: Mapping[str, float] | None = None
    _share: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the inequality is proved on all of the box."""
        return self.refuted is None and not self.unproved


def prove(sides: Sides, box: Box, edges: Sequence[Edge] = (), depth: int = 40, most: int = 20000) -> Proof:
    """Prove that the first of two sides is at most the second, everywhere on a box.

    - `sides`: ``sides(**parameters)`` returns both sides, for balls and for series.
    - `box`: The interval of each parameter; intervals of positive numbers that span factors are cut at the geometric
      mean.
    - `edges`: Where the two sides meet.
    - `depth`: How often a box is cut.
    - `most`: How many boxes are looked at; the others stay unproved.
    """
    found = Proof()
    queue: list[tuple[Box, int]] = [(box, 0)]
    for edge in edges:
        queue = [(part, 0) for whole, _ in queue for part in _cut(whole, edge.parameter, edge.at)]
    seen = 0
    with precision():
        for corner in product(*box.values()):
            place = dict(zip(box, corner, strict=True))
            small, large = sides(**{name: ball(value) for name, value in place.items()})
            if large - small < 0:
                found.refuted = place
            _note(found, place, small, large)
        while queue and found.refuted is None:
            part, cuts = queue.pop()
            seen += 1
            slopes = _settled(sides, part, edges, found)
            if slopes is None or found.refuted is not None:
                continue
            if cuts >= depth or seen >= most:
                found.unproved.append(part)
            else:
                queue += [(half, cuts + 1) for half in _halves(part, slopes, box)]
    return found


def _settled(sides: Sides, box: Box, edges: Sequence[Edge], found: Proof) -> Mapping[str, float] | None:
    """Decide a box and note it; otherwise return how much the margin may change along each parameter."""
    wide = {name: ball(*interval) for name, interval in box.items()}
    centre = {name: (low + high) / 2 for name, (low, high) in box.items()}
    small, large = sides(**{name: ball(value) for name, value in centre.items()})
    middle = large - small
    if middle < 0:
        found.refuted = centre
        return {}
    touched = [edge for edge in edges if edge.at in box[edge.parameter]]
    if any(_by_series(sides, wide, box, edge) for edge in touched):
        found.by_series += 1
        return None
    least = _margin(sides(**wide))
    changes = {}
    if not least >= 0:
        mean = middle
        for name, interval in wide.items():
            slope = _coefficients(sides, wide, name, 2)[1] if box[name][0] < box[name][1] else ball(0)
            change = slope * (interval - centre[name])
            mean += change
            changes[name] = upper(abs(change)) if change.is_finite() else math.inf
        least = mean
    if not least >= 0:
        return {} if touched else changes
    found.boxes += 1
    found.smallest = min(found.smallest, lower(least))
    _note(found, centre, small, large)
    return None


def _note(found: Proof, place: Mapping[str, float], small: Ball, large: Ball) -> None:
    """Keep a place if the sides are nearer there than anywhere before, and if they do not meet."""
    size, margin = max(abs(near(small)), abs(near(large))), near(large - small)
    if math.isfinite(size) and _ZERO * size < margin < found._share * size:
        found._share, found.nearest = margin / size, place


def _margin(both: tuple[Ball, Ball]) -> Ball:
    return both[1] - both[0]


def _coefficients(sides: Sides, where: Mapping[str, Ball], name: str, terms: int) -> list[Ball]:
    """Return Taylor coefficients of the margin along a parameter, each good for all points of a box."""
    package = flint()
    with precision(BITS, terms):
        try:
            margin = _margin(sides(**{**where, name: package.arb_series([where[name], 1])}))
        except (ValueError, ZeroDivisionError):  # something is divided by a series that may be 0
            return [package.arb.nan()] * terms
        if not isinstance(margin, package.arb_series):
            margin = package.arb_series([margin])
        elif margin.prec < terms:
            raise AssertionError("a series lost terms, whose coefficients would pass for 0")
        return [margin[k] for k in range(terms)]


def _by_series(sides: Sides, wide: Mapping[str, Ball], box: Box, edge: Edge) -> bool:
    """Tell whether the first coefficient that does not vanish gives the margin its sign on a box at an edge."""
    for share in _PLACES:
        place = {name: ball(low + share * (high - low)) for name, (low, high) in box.items()}
        at_edge = _coefficients(sides, place | {edge.parameter: ball(edge.at)}, edge.parameter, edge.order)
        if not all(upper(abs(coefficient)) <= _ZERO for coefficient in at_edge):
            return False
    next_one = _coefficients(sides, wide, edge.parameter, edge.order + 1)[edge.order]
    below = box[edge.parameter][1] == edge.at  # the box lies below the edge, where an odd power is negative
    return bool((-next_one if below and edge.order % 2 else next_one) >= 0)


def _halves(part: Box, changes: Mapping[str, float], whole: Box) -> list[Box]:
    """Cut a box across the parameter along which the margin may change most; where that is unknown, across the widest.

    Widths are shares of the whole box. At an edge all changes are unknown. Slopes over a wide box mislead, so no
    parameter is cut that is much narrower than another.
    """

    def extent(interval: Sequence[float]) -> float:
        low, high = interval
        return math.log(high / low) if low > 0 else high - low

    widths = {name: extent(part[name]) / extent(whole[name]) for name in part if part[name][0] < part[name][1]}
    name = max(widths, key=lambda each: (changes.get(each, math.inf), widths[each]))
    widest = max(widths, key=lambda each: widths[each])
    if widths[widest] > _NARROW * widths[name]:
        name = widest
    low, high = part[name]
    return _cut(part, name, math.sqrt(low) * math.sqrt(high) if low > 0 and high > 2 * low else (low + high) / 2)


def _cut(box: Box, name: str, at: float) -> list[Box]:
    """Cut a box in two at a value of a parameter, if that lies inside."""
    low, high = box[name]
    return [{**box, name: (low, at)}, {**box, name: (at, high)}] if low < at < high else [box]


def over_box(where: Mapping[str, Any], sides: Sides, box: Box, **options: Any) -> Point:
    """Return the evidence for an inequality on a box: both sides where they are nearest, and what was proved.

    The point holds if all of the box is proved, fails if a counterexample is certain, and is undecided otherwise.
    """
    proof = prove(sides, box, **options)
    at = proof.refuted or proof.nearest or {name: (low + high) / 2 for name, (low, high) in box.items()}
    with precision():
        small, large = sides(**{name: ball(value) for name, value in at.items()})
    notes = {
        "boxes": proof.boxes,
        "by_series": proof.by_series,
        "smallest_margin": proof.smallest,
        "nearest_at": _told({name: (value, value) for name, value in at.items()}),
        "unproved": len(proof.unproved),
        "unproved_boxes": "; ".join(_told(each) for each in proof.unproved[:3]),
    }
    place = {**where, "box": _told(box)}
    if not proof.holds and proof.refuted is None:
        return Point(place, near(small), near(large), high=math.inf, notes=notes, certified=True)
    return at_point(place, small, large, notes)


def at_point(
    where: Mapping[str, Any],
    value: Ball,
    bound: Ball,
    notes: Mapping[str, Any] | None = None,
    sense: Literal["<=", ">="] = "<=",
    trivial: float | None = None,
) -> Point:
    """Return the evidence that one ball is at most, or at least, another, with the margin's own interval.

    What is certain of the balls stays certain of the floats: a margin without negative members is not rounded below 0.
    """
    value, bound = ball(value), ball(bound)
    sign = 1 if sense == "<=" else -1
    margin, limit = sign * (bound - value), near(bound)
    least, most = lower(margin), upper(margin)
    if margin >= 0:
        least, most = max(least, 0.0), max(most, 0.0)
    elif margin < 0:
        least, most = min(least, -_LEAST), min(most, -_LEAST)
    else:  # undecided, however small the balls
        least, most = min(least, -_LEAST), max(most, 0.0)
    low, high = sorted(_beside(limit, sign * each) for each in (least, most))
    middle = min(max(near(value), low), high)
    return Point(where, middle, limit, low, high, sense, dict(notes or {}), trivial, certified=True)


def _beside(limit: float, margin: float) -> float:
    """Return the float that lies a margin below a limit, and surely on the right side of it."""
    found = limit - margin
    if margin != 0 and found == limit:
        found = math.nextafter(limit, -math.copysign(math.inf, margin))
    return found


def agreement(where: Mapping[str, Any], computed: float, true: Ball, tolerance: float) -> Point:
    """Return the evidence that a number computed with rounding is within a relative tolerance of the true one."""
    error = abs(ball(float(computed)) - true)
    scale = abs(true) if abs(true) > 0 else ball(1)
    return at_point(where, error / scale, ball(tolerance))


def widened(low: float, high: float) -> list[float]:
    """Return an interval of numbers of one sign with both ends moved outwards by a few roundings."""
    return [low * (1 - 1e-15), high * (1 + 1e-15)]


def _told(box: Box) -> str:
    """Return a box in words."""
    return ", ".join(
        f"{name} {low:.6g}" if low == high else f"{name} {low:.6g} to {high:.6g}" for name, (low, high) in box.items()
    )
