"""The law of the gap of normals with any means, at many gaps at once, with a proved error.

As in `certified_leads`, densities and tails come from tables, integrals are trapezoidal sums, and errors are
bounded. [mathematics/000.md#theorem-2]
"""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, expm1, normal_cdf, pi, sqrt, upper
from private_experts.replication.balls.normal_tables import WIDTH, cdf, density, stride, trapezoidal
from private_experts.replication.balls.sums import NORMAL, compound, floats, gamma, rounded

_REACH = 9.0  # of integrals, in standard deviations


def survival(e: Array, v: Array) -> tuple[Array, float]:
    """Return P(gap(v + N) > e) for each e > 0, and its error; it is a sum over leaders i of integrals."""
    n, cells = v.size, stride(v.size)
    start, count = _nodes(float(v.max()), cells)
    leads = density().rows(start - v, count, cells)
    below = cdf().rows((start - v - e[:, None]).ravel(), count, cells).reshape(e.size, n, count)
    # Leader i at x, all others below x - e: a sum over the leaders, whose events exclude each other.
    values = cells * WIDTH * (leads * products_of_others(below)).sum(axis=1).sum(axis=1)
    # The start of a row has two roundings, of numbers up to 30 if any of its entries is neither 0 nor 1.
    inputs = (1 + compound(cdf().error(6), n - 1)) * (1 + density().error(6)) - 1
    rounding = (1 + gamma(2 * n + count + 4)) * (1 + inputs) - 1
    # Outside, the leader or the one with the largest mean is 9 off.
    beyond = 3 * n * normal_cdf(2 * cells * WIDTH - _REACH) + _lost(n, count)
    return values, upper((rounding + beyond + trapezoidal(n, cells)) * (1 + 2 * rounding))


def slope(v: Array, i: int, e: float) -> Ball:
    """Return the derivative of P(gap(v + N) > e) with respect to v_i, by the formula of the proof.

    In its bracket the second product is the first one times ``e^(-e (v_i - v_j))``.
    [mathematics/000.md#theorem-2-derivative]
    """
    n, cells = v.size, stride(v.size)
    start, count = _nodes(float(v[i]), cells)
    others = np.delete(v, i)
    # The bracket of the proof as 1 - e^(...), which keeps its digits for equal means.
    shares, off = floats([-expm1(-ball(e) * (ball(float(v[i])) - mean)) for mean in others.tolist()])
    leads = density().rows(np.array([start - v[i]]), count, cells)[0]
    starts = start - others - e
    follows = density().rows(starts, count, cells) * products_of_others(cdf().rows(starts, count, cells))
    inputs = (1 + compound(cdf().error(6), n - 2)) * (1 + density().error(6)) ** 2 * (1 + off) - 1
    result = ball(0)
    # Each sign by itself, since the error of a sum is relative only where all terms have one sign.
    for sign in (1, -1):
        size = np.maximum(sign * shares, 0.0)
        part = rounded(cells * WIDTH * float((size @ follows) @ leads), 3 * n + count + 6, inputs)
        # A density is at most 0.4, and a product of two has an integral of at most 1 / (2 sqrt(pi)).
        beyond = normal_cdf(2 * cells * WIDTH - _REACH) + _lost(n, count)
        apart = float(size.sum()) * (beyond + trapezoidal(n, cells, 1 / (2 * sqrt(pi()))))
        result += sign * (part + ball(-apart.upper(), apart.upper()))
    return result


def _nodes(middle: float, cells: int) -> tuple[float, int]:
    """Return the first node, a multiple of a cell, and how many there are, for 9 deviations around a mean."""
    return math.floor((middle - _REACH) / WIDTH) * WIDTH, math.ceil(2 * _REACH / (cells * WIDTH)) + 2


def products_of_others(factors: Array) -> Array:
    """Return for each row, along the last axis but one, the product of all other rows."""
    ones = np.ones_like(factors[..., :1, :])
    # From both sides, without division: a factor may be 0.
    before = np.cumprod(np.concatenate([ones, factors[..., :-1, :]], axis=-2), axis=-2)
    after = np.cumprod(np.concatenate([ones, factors[..., :0:-1, :]], axis=-2), axis=-2)[..., ::-1, :]
    return np.asarray(before * after)


def _lost(n: int, count: int) -> Ball:
    """Return what table entries of 0 and products below the least float are worth, at most, in all."""
    return ball(n) * n * count * (cdf().lost + density().lost + 4 * NORMAL)
