"""Balls around sums that were computed in floats: what rounding may have done to them is bounded, and added.

After k operations an input's share of a sum of products is off by at most ``gamma_k = k u / (1 - k u)``, u =
2^-53: of the whole sum if no number is negative, else of the sum of magnitudes. In n numbers each is added at
most n - 1 times, in any order. [Higham 2002, Lemma 3.1 and Section 4.2] Functions such as exp are inputs,
which `floats` rounds from balls. A number below the least normal float may be lost altogether: `NORMAL` times
the number of such products bounds that.
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
    # From 2^53 roundings on the bound says nothing, and the quotient would be negative.
    if not rounded_away < 1:
        raise ValueError(f"{steps} roundings leave nothing")
    return rounded_away / (1 - rounded_away)


def compound(error: Ball, times: int) -> Ball:
    """Return the relative error of a product of so many inputs that each have this one."""
    return (1 + ball(error)) ** times - 1


def floats(balls: Sequence[Ball]) -> tuple[Array, Ball]:
    """Return the float next to each ball and the largest relative error; what is below `NORMAL` becomes 0."""
    nearest = np.array([near(value) for value in balls])
    small = np.array([bool(abs(value) < NORMAL) for value in balls])
    # Below the least normal float the relative error is not bounded; 0 with an absolute loss is.
    nearest[small] = 0.0
    errors = [
        abs(value / exact - 1)
        for value, exact, lost in zip(nearest.tolist(), balls, small, strict=True)
        if not lost
    ]
    return nearest, largest([ball(0), *errors]).upper()


def rounded(value: float, steps: int, inputs: Ball = 0, lost: Ball = 0) -> Ball:
    """Return a ball around a sum of products that are not negative, from the sum as computed.

    `steps` are the most roundings from an input to the sum, `inputs` is the relative error of all factors of
    a product together (`compound`), and `lost` is what all products may have lost because they were too small
    for a float.
    """
    off, input_error = gamma(steps), ball(inputs)
    least, most = (
        (ball(float(value)) - lost) * (1 - off) / (1 + input_error),
        (ball(float(value)) + lost) * (1 + off),
    )
    return least.union(most / (1 - input_error)) if input_error < 1 else ball("nan")


def signed(value: float, magnitude: float, steps: int, inputs: Ball = 0, lost: Ball = 0) -> Ball:
    """Return a ball around a sum of products of either sign, from float sums of these and of magnitudes."""
    # Relative to the sum of magnitudes: terms of both signs cancel, their errors do not.
    off = ((1 + gamma(steps)) * (1 + ball(inputs)) - 1) * rounded(magnitude, steps, inputs, lost) + lost
    return ball(float(value)) + ball(-off.upper(), off.upper())
