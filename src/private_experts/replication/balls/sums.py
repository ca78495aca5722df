"""Balls around sums that were computed in floats: what rounding may have done to them is bounded, and added.

Each operation on floats returns the true result times ``1 + d`` with ``|d| <= u = 2^-53``. After k of them on the way
from an input to the result, its share of a sum of products is off by at most ``gamma_k = k u / (1 - k u)``, relative.
This holds for additions, products, quotients and square roots, in any order of summation and with fused operations.
So it holds of a sum of many numbers, of which each has been added at most ``count - 1`` times, and of numpy's ``@`` and
``sum``. If no number is negative, the whole sum is off by at most gamma_k. Otherwise its error is at most gamma_k times
the sum of the magnitudes. [Higham, Accuracy and Stability of Numerical Algorithms, 2002, Lemma 3.1 and Section 4.2]

It does not hold of functions such as exp or the normal tail, for which nobody proves a bound. They are inputs: `floats`
rounds them from balls. A number below the least normal float may be lost altogether, which is no relative error. Of
that, `NORMAL` times the number of such products is a bound, if what they are multiplied with later is at most 1.
"""

from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, largest, near

NORMAL = 2.0**-1022  # the least normal float
_UNIT = 2.0**-53


def gamma(steps: int) -> Ball:
    """Return how far so many roundings move a number, at most and relative."""
    rounded_away = ball(steps) * _UNIT
    if not rounded_away < 1:
        raise ValueError(f"{steps} roundings leave nothing")
    return rounded_away / (1 - rounded_away)


def compound(error: Ball, times: int) -> Ball:
    """Return the relative error of a product of so many inputs that each have this one."""
    return (1 + ball(error)) ** times - 1


def floats(balls: Sequence[Ball]) -> tuple[Array, Ball]:
    """Return the float next to each ball, and how far they are from the true numbers, at most and relative.

    A ball below the least normal float becomes 0. Such numbers are lost, each at most `NORMAL`.
    """
    found = np.array([near(each) for each in balls])
    small = np.array([bool(abs(each) < NORMAL) for each in balls])
    found[small] = 0.0
    errors = [abs(value / each - 1) for value, each, lost in zip(found.tolist(), balls, small, strict=True) if not lost]
    return found, largest([ball(0), *errors]).upper()


def rounded(value: float, steps: int, inputs: Ball = 0, lost: Ball = 0) -> Ball:
    """Return a ball around a sum of products of numbers that are not negative, from the sum as computed.

    - `value`: The sum in floats.
    - `steps`: The most roundings on the way from an input to the sum. More than there are is safe.
    - `inputs`: The relative error of what went in: of all factors of a product together (`compound`).
    - `lost`: What all products together may have lost because they were too small for a float.
    """
    off, given = gamma(steps), ball(inputs)
    least, most = (ball(float(value)) - lost) * (1 - off) / (1 + given), (ball(float(value)) + lost) * (1 + off)
    return least.union(most / (1 - given)) if given < 1 else ball("nan")


def signed(value: float, magnitude: float, steps: int, inputs: Ball = 0, lost: Ball = 0) -> Ball:
    """Return a ball around a sum of products of either sign, from the sum as computed and that of the magnitudes.

    Both were computed with at most so many roundings, and the rest is as for `rounded`.
    """
    off = ((1 + gamma(steps)) * (1 + ball(inputs)) - 1) * rounded(magnitude, steps, inputs, lost) + lost
    return ball(float(value)) + ball(-off.upper(), off.upper())
