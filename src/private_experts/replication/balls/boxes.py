"""Inequalities that are proved over whole boxes, by bisection in ball arithmetic.

A **box** gives each parameter an interval. It is proved if the margin ``large - small`` has no negative
member, computed with the intervals or by the mean value theorem about the centre. Otherwise it is cut in two,
up to a depth. A corner of the whole box, or a centre, at which the margin is surely negative is a
counterexample.

Where both sides meet, no bisection ends. An **edge** says at which value of a parameter they meet, and how
many of the margin's Taylor coefficients vanish there. The margin is then ``c (x - at)^order`` with c the next
coefficient somewhere on the box. That the others vanish is shown by algebra, stated with the check, and only
tested here at three places.
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
    """Where two sides meet: the parameter, its value, and how many of the margin's coefficients vanish."""

    parameter: str
    at: float
    order: int


@dataclass
class Proof:
    """What became of a box; `nearest` is where the margin is the smallest share of the larger side."""

    boxes: int = 0  # on which the margin is positive
    by_series: int = 0  # at an edge, decided by the series
    smallest: float = math.inf  # the least that is proved of the margin, apart from edges
    nearest: Mapping[str, float] = field(default_factory=dict)
    unproved: list[Box] = field(default_factory=list)
    refuted: Mapping[str, float] | None = None  # where the margin is surely negative
    _share: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the inequality is proved on all of the box."""
        return self.refuted is None and not self.unproved


def prove(sides: Sides, box: Box, edges: Sequence[Edge] = (), depth: int = 40, most: int = 20000) -> Proof:
    """Prove that the first side is at most the second on a box, within so many cuts and so many boxes."""
    proof = Proof()
    queue: list[tuple[Box, int]] = [(box, 0)]
    for edge in edges:
        # Cut at edges first: a box that holds an edge inside has both signs of an odd power in it.
        queue = [(part, 0) for whole, _ in queue for part in _cut(whole, edge.parameter, edge.at)]
    boxes_tried = 0
    with precision():
        # Corners are where an inequality fails first, if it does; and they give a nearest point at no cost.
        for corner in product(*box.values()):
            place = dict(zip(box, corner, strict=True))
            small, large = sides(**{name: ball(value) for name, value in place.items()})
            # True of balls only if surely so: such a corner is a counterexample, not a doubt.
            if large - small < 0:
                proof.refuted = place
            _note(proof, place, small, large)
        while queue and proof.refuted is None:
            part, cuts = queue.pop()
            boxes_tried += 1
            slopes = _settled(sides, part, edges, proof)
            if slopes is None or proof.refuted is not None:
                continue
            # What is left is unproved, never taken for proved.
            if cuts >= depth or boxes_tried >= most:
                proof.unproved.append(part)
            else:
                queue += [(half, cuts + 1) for half in _halves(part, slopes, box)]
    return proof


def _settled(sides: Sides, box: Box, edges: Sequence[Edge], proof: Proof) -> Mapping[str, float] | None:
    """Decide a box and note it; otherwise return how much the margin may change along each parameter."""
    wide = {name: ball(*interval) for name, interval in box.items()}
    centre = {name: (low + high) / 2 for name, (low, high) in box.items()}
    small, large = sides(**{name: ball(value) for name, value in centre.items()})
    middle = large - small
    if middle < 0:
        proof.refuted = centre
        return {}
    # At an edge the margin is 0, and no interval around it can be positive: its series decides.
    touched = [edge for edge in edges if edge.at in box[edge.parameter]]
    if any(_by_series(sides, wide, box, edge) for edge in touched):
        proof.by_series += 1
        return None
    small_wide, large_wide = sides(**wide)
    least = large_wide - small_wide
    changes = {}
    if not least >= 0:
        mean = middle
        for name, interval in wide.items():
            # The mean value theorem: slopes over the box times distances from the centre. Sharper than
            # intervals on small boxes.
            slope = _coefficients(sides, wide, name, 2)[1] if box[name][0] < box[name][1] else ball(0)
            change = slope * (interval - centre[name])
            mean += change
            changes[name] = upper(abs(change)) if change.is_finite() else math.inf
        least = mean
    if not least >= 0:
        # A box at an edge is cut where it is widest: its slopes vanish there and say nothing.
        return {} if touched else changes
    proof.boxes += 1
    proof.smallest = min(proof.smallest, lower(least))
    _note(proof, centre, small, large)
    return None


def _note(proof: Proof, place: Mapping[str, float], small: Ball, large: Ball) -> None:
    """Keep a place if the sides are nearer there than anywhere before, and if they do not meet."""
    size, margin = max(abs(near(small)), abs(near(large))), near(large - small)
    if math.isfinite(size) and _ZERO * size < margin < proof._share * size:
        proof._share, proof.nearest = margin / size, place


def _coefficients(sides: Sides, where: Mapping[str, Ball], name: str, terms: int) -> list[Ball]:
    """Return Taylor coefficients of the margin along a parameter, each good for all points of a box."""
    package = flint()
    with precision(BITS, terms):
        try:
            small, large = sides(**{**where, name: package.arb_series([where[name], 1])})
            margin = large - small
        except (ValueError, ZeroDivisionError):  # something is divided by a series that may be 0
            return [package.arb.nan()] * terms
        # A constant in this parameter: its other coefficients are 0 in truth.
        if not isinstance(margin, package.arb_series):
            margin = package.arb_series([margin])
        elif margin.prec < terms:
            raise AssertionError("a series lost terms, whose coefficients would pass for 0")
        return [margin[k] for k in range(terms)]


def _by_series(sides: Sides, wide: Mapping[str, Ball], box: Box, edge: Edge) -> bool:
    """Return whether the first coefficient that does not vanish gives the margin's sign at an edge."""
    # That coefficients vanish at the edge is stated by whoever names it; three places catch a wrong
    # statement.
    for share in _PLACES:
        place = {name: ball(low + share * (high - low)) for name, (low, high) in box.items()}
        at_edge = _coefficients(sides, place | {edge.parameter: ball(edge.at)}, edge.parameter, edge.order)
        if not all(upper(abs(coefficient)) <= _ZERO for coefficient in at_edge):
            return False
    next_one = _coefficients(sides, wide, edge.parameter, edge.order + 1)[edge.order]
    below = box[edge.parameter][1] == edge.at  # the box lies below the edge, where an odd power is negative
    return bool((-next_one if below and edge.order % 2 else next_one) >= 0)


def _halves(part: Box, changes: Mapping[str, float], whole: Box) -> list[Box]:
    """Cut a box where the margin may change most, at an edge where it is widest; nothing narrow is cut."""

    def extent(interval: Sequence[float]) -> float:
        low, high = interval
        return math.log(high / low) if low > 0 else high - low

    widths = {
        name: extent(part[name]) / extent(whole[name]) for name in part if part[name][0] < part[name][1]
    }
    name = max(widths, key=lambda parameter: (changes.get(parameter, math.inf), widths[parameter]))
    widest = max(widths, key=lambda parameter: widths[parameter])
    # Otherwise one parameter would be cut for ever while another keeps the margin undecided.
    if widths[widest] > _NARROW * widths[name]:
        name = widest
    low, high = part[name]
    # At the geometric middle where the ends lie orders apart, as rates and levels do.
    return _cut(
        part, name, math.sqrt(low) * math.sqrt(high) if low > 0 and high > 2 * low else (low + high) / 2
    )


def _cut(box: Box, name: str, at: float) -> list[Box]:
    """Cut a box in two at a value of a parameter, if that lies inside."""
    low, high = box[name]
    return [{**box, name: (low, at)}, {**box, name: (at, high)}] if low < at < high else [box]


def over_box(where: Mapping[str, Any], sides: Sides, box: Box, **options: Any) -> Point:
    """Return the evidence for an inequality on a box: both sides where nearest, and what was proved."""
    proof = prove(sides, box, **options)
    at = proof.refuted or proof.nearest or {name: (low + high) / 2 for name, (low, high) in box.items()}
    with precision():
        small, large = sides(**{name: ball(value) for name, value in at.items()})
    notes = {
        "boxes": proof.boxes,
        "by_series": proof.by_series,
        "smallest_margin": proof.smallest,
        "nearest_at": _described({name: (value, value) for name, value in at.items()}),
        "unproved": len(proof.unproved),
        "unproved_boxes": "; ".join(_described(box) for box in proof.unproved[:3]),
    }
    place = {**where, "box": _described(box)}
    # Neither proved nor refuted: an upper end of infinity makes the point undecided.
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
    lazy: float | None = None,
) -> Point:
    """Return the evidence that a ball is at most, or at least, another; certainty survives in floats."""
    value, bound = ball(value), ball(bound)
    sign = 1 if sense == "<=" else -1
    margin, limit = sign * (bound - value), near(bound)
    least, most = lower(margin), upper(margin)
    if margin >= 0:
        # Rounded outwards a certain margin may fall below 0: what balls have decided is kept.
        least, most = max(least, 0.0), max(most, 0.0)
    elif margin < 0:
        least, most = min(least, -_LEAST), min(most, -_LEAST)
    else:  # undecided, however small the balls
        least, most = min(least, -_LEAST), max(most, 0.0)
    low, high = sorted(_beside(limit, sign * margin) for margin in (least, most))
    middle = min(max(near(value), low), high)
    return Point(
        where, middle, limit, low, high, sense, dict(notes or {}), trivial, certified=True, lazy=lazy
    )


def _beside(limit: float, margin: float) -> float:
    """Return the float that lies a margin below a limit, and surely on the right side of it."""
    beside = limit - margin
    # A margin below the last bit of the limit: the next float keeps the right side.
    if margin != 0 and beside == limit:
        beside = math.nextafter(limit, -math.copysign(math.inf, margin))
    return beside


def agreement(where: Mapping[str, Any], computed: float, true: Ball, tolerance: float) -> Point:
    """Return the evidence that a computed number is within a relative tolerance of the true one."""
    error = abs(ball(float(computed)) - true)
    scale = abs(true) if abs(true) > 0 else ball(1)
    return at_point(where, error / scale, ball(tolerance))


def widened(low: float, high: float) -> list[float]:
    """Return an interval of numbers of one sign with both ends moved outwards by a few roundings."""
    return [low * (1 - 1e-15), high * (1 + 1e-15)]


def _described(box: Box) -> str:
    """Return a box in words."""
    return ", ".join(
        f"{name} {low:.6g}" if low == high else f"{name} {low:.6g} to {high:.6g}"
        for name, (low, high) in box.items()
    )
