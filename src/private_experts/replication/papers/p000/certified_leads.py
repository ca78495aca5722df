"""Probabilities that noisy totals lead, at many leads, with proved errors. [mathematics/000.md#worst-streams]

They are integrals of a normal density and powers of normal tails. The tails come from a table, the integrals
are trapezoidal sums in floats, and the error is bounded (`balls.normal_tables`, `sums`).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, normal_cdf, upper
from private_experts.replication.balls.normal_tables import WIDTH, cdf, density, stride, trapezoidal
from private_experts.replication.balls.sums import NORMAL, compound, gamma, rounded

_REACH = 9.0  # of integrals, in standard deviations
_SURE = 14.0  # further ahead than this, in standard deviations, a lead is as good as sure
_KNOT = 2.0**-7  # between shifts at which `alone` is computed, where there are many
_MANY = 400
_BEND = 0.25  # the slope of the normal density is at most e^(-1/2) / sqrt(2 pi) = 0.242


def power(x: Array, exponent: int) -> Array:
    """Return an integer power by products alone: each factor counts once in its error, and each product."""
    result = np.ones_like(x)
    for bit in bin(exponent)[2:]:
        result = result * result
        if bit == "1":
            result = result * x
    return result


def first_leads(leads: Array, steps: int) -> tuple[Array, Ball]:
    """Return P(N + lead > N') for two normals, and the relative error; leads were rounded so many times."""
    return cdf()(leads / math.sqrt(2)), cdf().error(steps + 2)


def alone(shifts: Array, n: int) -> tuple[Array, float]:
    """Return E Phi(N + shift)^(n-1), that one leads n - 1 equals, and its error; shifts have six roundings.

    Its second derivative in the shift is a mean of slopes of the normal density, so between knots it is a
    straight line to ``h^2 / 8`` times that.
    """
    ahead = np.minimum(shifts, _SURE)  # more than that is lost with a probability below 1e-19
    if shifts.size <= _MANY:
        values, off = _alone(ahead, n)
        return values, off + 1e-14
    knots = np.arange(0.0, ahead.max() + _KNOT, _KNOT)
    values, off = _alone(knots, n)
    return np.interp(ahead, knots, values), off + _BEND * _KNOT**2 / 8 + 1e-14


def _alone(shifts: Array, n: int) -> tuple[Array, float]:
    return _mean(n, [(np.zeros(1), 0), (shifts, n - 1)])


def other_half(shifts: Array, n: int) -> tuple[Array, float]:
    """Return the probability that one of n - n // 2 experts leads, all behind by a shift, and its error."""
    half = n // 2
    values, off = _mean(n, [(np.zeros(1), n - half - 1), (-shifts, half)], n - half)
    return (n - half) * values, (n - half) * off


def _mean(n: int, factors: list[tuple[Array, int]], times: int = 1) -> tuple[Array, float]:
    """Return E prod_j Phi(N + shift_j)^power_j, whose powers sum to n - 1, and its error, over `times`."""
    cells = stride(n)
    count = math.ceil(2 * _REACH / (cells * WIDTH)) + 1
    total = density().rows(np.array([-_REACH]), count, cells)
    # Shifts were rounded six times, and the start of a row once more. Powers and products are n roundings at
    # most.
    for shifts, exponent in factors:
        if exponent:
            total = total * power(cdf().rows(shifts - _REACH, count, cells), exponent)
    values = cells * WIDTH * total.sum(axis=1)
    inputs = (1 + compound(cdf().error(8), n - 1)) * (1 + density().error()) - 1
    rounding = ((1 + gamma(n + count + 8)) * (1 + inputs) - 1) / times
    beyond = 2 * normal_cdf(ball(cells * WIDTH - _REACH)) + 2 * cdf().lost + 4 * count * n * NORMAL
    off = (rounding + beyond + trapezoidal(n, cells, ball(1) / times)) * (1 + 2 * (rounding * times + 1e-9))
    return values, upper(off)


def total_of(values: Array, off: float, often: ArrayLike = 1) -> Ball:
    """Return a ball around a sum of probabilities, each known to an absolute error and counted so often."""
    counts = np.broadcast_to(np.asarray(often, dtype=np.float64), values.shape)
    apart = ball(off) * float(counts.sum())
    return rounded(float(counts @ values), values.size + 1) + ball(-apart.upper(), apart.upper())
