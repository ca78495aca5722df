"""Integrals of waves over piecewise Gaussian densities, by Gauss's rule with a proved error. [001, Lemma 3.2]

With ``y = sqrt(c) x`` a density is ``e^(height + slope y - y^2 / 2)`` on each piece, and a wave is ``e^(r y)
v``. A panel is halved until bounds on a disc around it leave out little, or v is so small that ``v^2 log
v^2`` adds little.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise

from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, sqrt, square
from private_experts.replication.balls.gauss import rest, rule
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian
from private_experts.replication.balls.piecewise_linear import exact, line

Sums = list[Ball]  # the integrals of g^2, of g^2 log g^2 and of g'^2

_NODES = 10  # of a panel, or a multiple
_REACH = 2.0  # of the discs, in half-widths of a panel
_PANEL = 0.02  # of the tolerance: what a panel may have of it
# times what a panel may have: nodes leave out less where the integrand is 1, so that panels are not short
_LONG = 30.0


@dataclass(frozen=True)
class Wave:
    """The function ``e^(rise y) v`` with ``v = 1 + size sin(wave y + shift)``."""

    rise: Ball
    wave: Ball
    shift: Ball
    size: Ball

    def parts(self, y: Ball) -> tuple[Ball, Ball]:
        """Return ``v - 1``, and v's slope over `wave`."""
        sine, cosine = (self.wave * y + self.shift).sin_cos()
        return self.size * sine, self.size * cosine

    def around(self, middle: Ball, radius: Ball) -> tuple[Ball, Ball, Ball]:
        """Return v's size at a disc's middle, how far it moves, and the most of g' over ``e^(rise y)``."""
        apart, slope = self.parts(middle)
        sinh, cosh = (abs(self.wave) * radius).sinh_cosh()
        value, moved = abs(1 + apart), abs(apart) * (cosh - 1) + abs(slope) * sinh
        return value, moved, abs(self.rise) * (value + moved) + abs(self.wave * self.size) * cosh

    @cached_property
    def largest(self) -> tuple[Ball, Ball]:
        """Bounds on the sizes of v, and of the slope of the wave over ``e^(rise y)``, for real arguments."""
        most = 1 + abs(self.size)
        return most, abs(self.rise) * most + abs(self.size * self.wave)


@dataclass(frozen=True)
class _Panel:
    """A part of the line on which the density is ``e^(slope y - y^2 / 2 + height)``."""

    start: Ball
    end: Ball
    slope: Ball
    height: Ball

    @cached_property
    def middle(self) -> Ball:
        return (self.start + self.end) / 2

    @cached_property
    def half(self) -> Ball:
        return (self.end - self.start) / 2

    def exponent(self, y: Ball) -> Ball:
        return self.height + y * (self.slope - y / 2)

    def size(self, radius: Ball) -> Ball:
        """Return a bound on the density's size on a disc around the middle."""
        return exp(self.exponent(self.middle) + abs(self.slope - self.middle) * radius + square(radius) / 2)

    def halves(self) -> "list[_Panel]":
        ends = pairwise((self.start, self.middle, self.end))
        return [_Panel(start, end, self.slope, self.height) for start, end in ends]


def integrals(law: PiecewiseGaussian, wave: Wave, tolerance: float) -> Sums:
    """Return balls around the integrals of ``g^2``, ``g^2 log g^2`` and ``g'^2``, to a share of the last."""
    root, knots = sqrt(ball(law.curvature)), law.exponent.knots
    tilted = PiecewiseGaussian(
        law.curvature, law.exponent + line(1.0, knots[0], knots[-1]) * (2 * wave.rise * root)
    )
    top, low, high = _where(tilted, near(root), 8 - math.log(tolerance))
    total = [ball(0)] * 3
    limit = _PANEL * tolerance * near(square(wave.largest[1]) / square(wave.largest[0]))
    nodes = next(many for many in count(_NODES, _NODES) if rest(many, _REACH) <= _LONG * limit)
    stack = list(_panels(PiecewiseGaussian(law.curvature, tilted.exponent.within(low, high)), top))
    while stack:
        panel = stack.pop()
        rests = _rests(panel, wave, limit, nodes)
        if rests is None:
            # Only panels whose bound is too large are halved.
            stack += panel.halves()
        else:
            total = [one + two for one, two in zip(total, _by_rule(panel, wave, nodes, *rests), strict=True)]
    return [
        exp(ball(top)) * one + two for one, two in zip(total, _tails(tilted, wave, low, high), strict=True)
    ]


def _panels(law: PiecewiseGaussian, top: float = 0.0) -> Iterator[_Panel]:
    """Yield the pieces of a law in units of its curvature, with a number taken from all exponents."""
    root, exponent = sqrt(ball(law.curvature)), law.exponent
    ends = pairwise([root * knot for knot in exponent.knots])
    for (start, end), slope, height in zip(ends, exponent.slopes, exponent.heights, strict=True):
        yield _Panel(start, end, ball(slope) / root, ball(height) - top)


def _where(law: PiecewiseGaussian, root: float, depth: float) -> tuple[float, Ball, Ball]:
    """Return about the largest exponent, and fractions beyond which exponents are about so much smaller."""
    tops, reaches = [], []
    for panel in _panels(law):
        slope, start, end = near(panel.slope), near(panel.start), near(panel.end)
        tops.append(near(panel.exponent(ball(min(max(slope, start), end)))))
        reaches.append((slope, start, end, near(panel.height + square(panel.slope) / 2)))
    top, lows, highs = max(tops), [], []
    for slope, start, end, peak in reaches:
        reach = math.sqrt(max(2 * (peak - top + depth), 0.0))
        if max(start, slope - reach) < min(end, slope + reach):
            lows.append(max(start, slope - reach))
            highs.append(min(end, slope + reach))
    knots = law.exponent.knots
    return top, max(exact(min(lows) / root), knots[0]), min(exact(max(highs) / root), knots[-1])


def _tails(tilted: PiecewiseGaussian, wave: Wave, low: Ball, high: Ball) -> Sums:
    """Return balls around the integrals over all beyond two places; ``t log t`` is at least ``-1/e``."""
    root, knots = sqrt(ball(tilted.curvature)), tilted.exponent.knots
    outside = root * tilted.total * (tilted.below(low) + tilted.above(high))
    furthest = root * largest([abs(ball(knots[0])), abs(ball(knots[-1]))])
    most, steepest = wave.largest
    logs = square(most) * (2 * abs(wave.rise) * furthest + 2 * log(most)) + 1
    return [(outside * size).upper() * ball(-1, 1) for size in (square(most), logs, square(steepest))]


def _rests(panel: _Panel, wave: Wave, limit: float, nodes: int) -> tuple[Sums, bool] | None:
    """Return bounds on what Gauss's rule leaves out, with ``log v^2`` or not; nothing if too large."""
    radius = panel.half * _REACH
    value, moved, steepest = wave.around(panel.middle, radius)
    most, least = value + moved, value - moved
    error = panel.half * rest(nodes, _REACH) * panel.size(radius)
    rests = [error * square(most), error * square(most) * 2 * abs(wave.rise) * (abs(panel.middle) + radius)]
    rests.append(error * square(steepest))
    analytic = bool(least > value / 10)
    if analytic:
        rests[1] += error * square(most) * 2 * (abs(log(least)).max(abs(log(most))) + 4)
    else:
        most = value + abs(wave.size * wave.wave) * panel.half  # between the ends
        # t -> -t log t rises up to 1/e = 0.367, so below v^2 = 0.36 a bound on v gives one on v^2 log v^2.
        if not most < 0.6:
            return None
        rests[1] += 2 * panel.half * panel.size(panel.half) * square(most) * 2 * -log(most)
    return (rests, analytic) if max(map(near, rests)) <= limit else None


def _by_rule(panel: _Panel, wave: Wave, nodes: int, rests: Sums, analytic: bool) -> Sums:
    """Return the integrals over a panel, by Gauss's rule."""
    squares = logs = slopes = ball(0)
    # balls are narrow here, so their own functions are sharp
    for node, weight in zip(*rule(nodes), strict=True):
        y = panel.middle + panel.half * node
        apart, slope = wave.parts(y)
        v, change, mass = (
            1 + apart,
            wave.rise * (1 + apart) + wave.wave * slope,
            weight * panel.exponent(y).exp(),
        )
        squared, logarithm = v * v, 2 * wave.rise * y
        squares += mass * squared
        logs += mass * squared * (logarithm + squared.log() if analytic else logarithm)
        slopes += mass * change * change
    sums = zip((squares, logs, slopes), rests, strict=True)
    return [panel.half * total + off.upper() * ball(-1, 1) for total, off in sums]
