"""Two ways to noise that floating point does not betray: sums of draws, and draws on a grid. [000, Appendix A.3]

[mathematics/000.md#secure-noise]
"""

import math
from itertools import product

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    integral,
    largest,
    normal_cdf,
    normal_density,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_laws import gaussian_delta

_REACH = 12  # of sums and integrals, in standard deviations; what lies beyond is below 1e-31


def divisor(draws: int) -> Ball:
    """Return what the sum of so many standard normal draws is divided by, to be standard normal again."""
    return sqrt(ball(draws))


def sum_of_draws(x: float, draws: int) -> Ball:
    """Return the probability that the sum of draws over `divisor` is at most x, by that of the last draw."""
    width = sqrt(ball(draws - 1))  # of the others' sum, as this claim says of one draw less

    def given(y: Ball) -> Ball:
        return normal_density(y) * normal_cdf(divisor(draws) * x - width * y)

    return integral(given, -_REACH, _REACH) + ball(0, 2 * normal_cdf(ball(-_REACH)).upper())


def grid_weight(place: int, step: float) -> Ball:
    """Return the weight of a point of the grid, so many steps from the value; a step is in noise scales."""
    return exp(-square(ball(place) * step) / 2)


def grid_delta(epsilon: float, step: float, apart: int) -> Ball:
    """Return delta at epsilon between two values that are so many steps apart, with noise drawn on the grid."""
    reach = math.ceil(_REACH / step)
    weights = [grid_weight(place, step) for place in range(-reach, reach + 1)]
    factor, none = exp(ball(epsilon)), [ball(0)] * apart
    excess = sum((one - factor * two).max(ball(0)) for one, two in zip(weights + none, none + weights, strict=True))
    return excess / sum(weights)


def secure_noise(grid: Grid) -> list[Point]:
    """Sums of normal draws are normal, and the grid gives away no more than the exact noise, but for its square.

    Of the first the value is the largest difference of the two distributions; of the second, by how much delta is above
    that of exact noise, over several epsilon, in units of mu times the square of the step.
    """
    points = []
    with precision():
        for draws in grid["draws"]:
            off = largest(abs(sum_of_draws(x, draws) - normal_cdf(ball(x))) for x in grid["x"])
            points.append(at_point({"what": "sum", "draws": draws}, off, ball(grid["tolerance"])))
        for step, mu in product(grid["step"], grid["mu"]):
            apart, where = round(mu / step), {"what": "grid", "step": step, "mu": mu}
            excess = largest(grid_delta(each, step, apart) - gaussian_delta(each, mu) for each in grid["epsilon"])
            points.append(at_point(where, excess / (ball(mu) * step * step), ball(grid["excess"])))
    return points
