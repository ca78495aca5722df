"""Laws on an interval with piecewise Gaussian densities, and piecewise linear functions of their points.

The logarithm of the density is ``-c x^2 / 2`` plus a piecewise linear function. Where that is ``p x + q``,
the integral from a to b is ``exp(p^2 / (2 c) + q) sqrt(2 pi) / t (Phi(t b - p/t) - Phi(t a - p/t))`` with t
the root of c, and its derivatives in p give means. No place is cut off: knots are fractions, and what is
bounded is rounding alone.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from private_experts.replication.balls.balls import Ball, ball, exp, log, normal_cdf, pi, sqrt, square
from private_experts.replication.balls.piecewise_linear import (
    Fraction,
    PiecewiseLinear,
    exact,
    on_common_knots,
)


@dataclass(frozen=True)
class PiecewiseGaussian:
    """The law with density ``exp(exponent(x) - curvature x^2 / 2)``, up to a factor, on its interval."""

    curvature: Fraction
    exponent: PiecewiseLinear

    @cached_property
    def weights(self) -> tuple[Ball, ...]:
        """The integrals of the density over the pieces, before it is normalised."""
        return tuple(
            self.weight(k, start, end) for k, (start, end) in enumerate(pairwise(self.exponent.knots))
        )

    def weight(self, piece: int, low: Any, high: Any) -> Ball:
        """Return the integral over any interval of the density of one piece, before it is normalised."""
        slope, height = self.exponent.slopes[piece], self.exponent.heights[piece]
        middle = ball(slope) / self._root
        low, high = (self._root * end - middle for end in (low, high))
        if low + high > 0:  # both ways are right; this one is accurate
            low, high = -high, -low
        mass = normal_cdf(high) - normal_cdf(low)
        # A mass is not negative: cutting the ball there loses nothing true.
        return exp(square(middle) / 2 + height) * self._unit * mass.nonnegative_part()

    def height(self, piece: int, x: Any) -> Ball:
        """Return what the density is on one piece, at any place, before it is normalised."""
        line = ball(self.exponent.slopes[piece]) * x + self.exponent.heights[piece]
        return exp(line - self.curvature * square(ball(x)) / 2)

    @cached_property
    def _root(self) -> Ball:
        return sqrt(ball(self.curvature))

    @cached_property
    def _unit(self) -> Ball:
        return sqrt(2 * pi()) / self._root

    @cached_property
    def total(self) -> Ball:
        """The integral of the density over the interval, before it is normalised."""
        return sum(self.weights, ball(0))

    @property
    def log_total(self) -> Ball:
        """The logarithm of that integral."""
        return log(self.total)

    def mass(self, low: Any, high: Any) -> Ball:
        """Return the probability of an interval; 0 outside the law's, or if it ends before it begins."""
        return sum((self._part(k, low, high) for k in range(len(self.weights))), ball(0)) / self.total

    def _part(self, piece: int, low: Any, high: Any) -> Ball:
        """Return the integral over what lies between two places and on one piece."""
        start, end = self.exponent.knots[piece : piece + 2]
        low, high = ball(low), ball(high)
        if low <= start and end <= high:
            return self.weights[piece]
        if end <= low or high <= start or high < low:
            return ball(0)
        # Cut to the piece, so that a place that may lie on either side of a knot gives a ball that holds both
        # answers.
        low = low.max(ball(start)).min(ball(end))
        return self.weight(piece, low, high.min(ball(end)).max(low))

    def below(self, x: Any) -> Ball:
        """Return the probability of what lies below a place, with an accurate lower tail."""
        return self.mass(self.exponent.knots[0], x)

    def above(self, x: Any) -> Ball:
        """Return the probability of what lies above a place, with an accurate upper tail."""
        return self.mass(x, self.exponent.knots[-1])

    def of(self, function: PiecewiseLinear) -> "Variable":
        """Return a piecewise linear function of a point that is drawn from the law."""
        # Each piece must have one slope of both, or no closed form holds on it.
        exponent, refined = on_common_knots(self.exponent, function)
        return Variable(
            self if exponent is self.exponent else PiecewiseGaussian(self.curvature, exponent), refined
        )

    def log_ratio(self, other: "PiecewiseGaussian") -> tuple[PiecewiseLinear, Ball]:
        """Return log of this density over one of equal curvature, normalised: a function and a constant."""
        # Otherwise a square remains, and its mean has another formula.
        if self.curvature != other.curvature:
            raise ValueError("laws of different curvatures have no piecewise linear log-ratio")
        return self.exponent - other.exponent, other.log_total - self.log_total


def gibbs(loss: PiecewiseLinear, beta: float, lam: float) -> PiecewiseGaussian:
    """Return the law with density in proportion to ``exp(-beta (loss + lam x^2 / 2))``, beta lam exact."""
    return PiecewiseGaussian(exact(beta) * exact(lam), loss * -exact(beta))


@dataclass(frozen=True)
class Variable:
    """A piecewise linear function F of a point drawn from a law, both with the same knots. See `of`."""

    law: PiecewiseGaussian
    function: PiecewiseLinear

    def mean(self) -> Ball:
        """Return the mean of F; on a piece x times density e has the integral ``(e(a) - e(b) + p W) / c``."""
        law, total = self.law, ball(0)
        for k, (start, end) in enumerate(pairwise(self.function.knots)):
            first = law.height(k, start) - law.height(k, end) + law.exponent.slopes[k] * law.weights[k]
            total += (
                self.function.slopes[k] * first / law.curvature + self.function.heights[k] * law.weights[k]
            )
        return total / law.total

    def log_moment(self, scale: Any) -> Ball:
        """Return the logarithm of the expectation of ``exp(scale F)``."""
        tilted = PiecewiseGaussian(self.law.curvature, self.law.exponent + self.function * ball(scale))
        return tilted.log_total - self.law.log_total

    def at_least(self, level: Any) -> Ball:
        """Return the probability that F is at least a number, a fraction or a ball."""
        return self._beyond(level, 1)

    def at_most(self, level: Any) -> Ball:
        """Return the probability that F is at most a number, fraction or ball. Slopes must be fractions."""
        return self._beyond(level, -1)

    def _beyond(self, level: Any, side: int) -> Ball:
        """Return the probability beyond a level; where a constant F may be either, the ball holds both."""
        total, level = ball(0), ball(level)
        pieces = zip(pairwise(self.function.knots), self.function.slopes, self.function.heights, strict=True)
        for k, ((start, end), slope, height) in enumerate(pieces):
            if slope == 0:
                weight, over = self.law.weights[k], side * (height - level)
                # Balls may be on neither side for certain: then both are allowed.
                total += weight if over >= 0 else 0 if over < 0 else ball(0).union(weight)
            else:
                crossing = (level - height) / slope
                total += (
                    self.law._part(k, crossing, end)
                    if side * slope > 0
                    else self.law._part(k, start, crossing)
                )
        return total / self.law.total


def divergence(one: PiecewiseGaussian, other: PiecewiseGaussian) -> Ball:
    """Return the divergence ``E log(one / other)``, Kullback-Leibler's, of two laws of equal curvature."""
    function, constant = one.log_ratio(other)
    return one.of(function).mean() + constant
