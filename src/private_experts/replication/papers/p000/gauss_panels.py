"""Gauss's rule on panels, for normal densities times bounded functions that are smooth on the same scale.

The integrand is ``q W``: q is a mixture of normal densities of deviation 1 or more and mass 1 or less, and W
is entire with ``|W(x + iv)| <= e^(v^2 / 2)``, such as a mean of values in [-1, 1] under normal noise of
deviation 1 or more. So it is at most ``e^(v^2) / sqrt(2 pi)``, and the length of a panel alone says how far
the rule may be off.
"""

import functools
import math

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, pi, precision, sqrt
from private_experts.replication.balls.gauss import rule
from private_experts.replication.balls.sums import floats, gamma

OFF = 1e-12  # how far the rule is off on a panel, at most, relative to the mass of q
RULE_STEPS = 3  # roundings of a weight
_COUNTS = range(4, 65, 2)  # of nodes
_SLOPE = 0.57  # that of the integrand is at most 1 / sqrt(2 pi e) + 1 / pi


def panels(low: float, high: float, deviation: float = 1.0) -> tuple[Array, Array, int]:
    """Return nodes, increasing, weights on an interval, and the number of panels, for a least deviation.

    Nodes are off by their rounding (`misplaced`), weights by `RULE_STEPS` roundings at most, and the sum by
    ``count * OFF`` times the mass of q.
    """
    # A little more, so that rounding makes no panel longer than its nodes allow.
    half = 1.0001 * (high - low) / 2 / deviation  # more than it is, in standard deviations
    lengths = _longest()
    count = math.ceil(half / lengths[-1])
    nodes, weights = legendre(_COUNTS[int(np.searchsorted(lengths, half / count))])
    ends = np.linspace(low, high, count + 1)
    left, halves = ends[:-1, None], np.diff(ends)[:, None] / 2
    return (left + halves * (1 + nodes)).ravel(), (halves * weights).ravel(), count


def misplaced(length: float, furthest: float) -> Ball:
    """Return what the rounding of nodes changes, at most, on a length, up to a furthest node, in deviations.

    A node has five roundings, of numbers up to twice the largest. The slope of q is at most ``1 / sqrt(2 pi
    e)``; that of W, where q is at most ``1 / sqrt(2 pi)``, the mean size of a normal number.
    """
    return ball(length) * _SLOPE * 2 * furthest * gamma(6)


@functools.cache
def legendre(count: int) -> tuple[Array, Array]:
    """Return Gauss's nodes, increasing, and weights on [-1, 1], each the float next to the true number."""
    with precision():
        (nodes, _), (weights, _) = map(floats, rule(count))
    return nodes, weights


@functools.cache
def _longest() -> Array:
    """Return half the length of the longest panel for which each number of nodes will do; it increases."""
    halves = []
    with precision():
        for count in _COUNTS:
            low, high = 0.0, float(count)
            for _ in range(30):
                half = (low + high) / 2
                low, high = (half, high) if _log_remainder(count, half) <= math.log(OFF) else (low, half)
            # Found in floats and then proved in balls: the search need not be exact.
            halves.append(low * (1 - 1e-9))
            if not remainder(count, halves[-1]) <= OFF:
                raise AssertionError("a panel is too long for its nodes")
    return np.array(halves)


def _log_remainder(count: int, half: float) -> float:
    """Return the logarithm of `remainder`, in floats."""
    rho = _ellipse(count, half)
    height = half * (rho - 1 / rho) / 2
    factor = 64 / 15 * half / math.sqrt(2 * math.pi) / (1 - rho**-2)
    return math.log(factor) + height**2 - (2 * count - 2) * math.log(rho)


def remainder(count: int, half: float) -> Ball:
    """Return how far a rule of so many nodes is off on a panel of half this length, at most.

    On [-1, 1] that is ``64/15 M rho^(2 - 2 count) / (1 - rho^-2)`` for an integrand of at most M in the
    ellipse with sum rho of its half-axes [Trefethen, Approximation Theory, Theorem 19.3], here ``half (rho -
    1 / rho) / 2`` high.
    """
    rho = ball(_ellipse(count, half))
    height = half * (rho - 1 / rho) / 2
    size = exp(height * height) / sqrt(2 * pi())
    return ball(64) / 15 * half * size / (rho ** (2 * count - 2) * (1 - 1 / (rho * rho)))


def _ellipse(count: int, half: float) -> float:
    """Return the sum of half-axes at which the bound is least, but for its last factor."""
    about = (2 * count - 2) / half**2
    return math.sqrt(about + math.hypot(about, 1.0))
