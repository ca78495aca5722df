"""Laws and bounds of paper 000 on balls: changes of the leader, gaps that batches need, gap of n normals.

Written from the formulas of the documents, and not from the library, whose numbers are compared with them.
[mathematics/000.md#gap] [mathematics/000.md#theorem-1] [mathematics/000.md#sure-batches]
"""

import math
from collections.abc import Callable

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    erf,
    erfc,
    exp,
    integral,
    log,
    near,
    normal_cdf,
    normal_density,
    pi,
    sqrt,
    square,
)
from private_experts.walks.leader_change import solve

_NEAR = 1e-15  # how close, relative, an argument of Theorem 1's bound is enclosed
_REACH = 14  # of integrals, in standard deviations; what lies beyond is bounded and added


def gaussian_delta(epsilon: float, mu: float) -> Ball:
    """Return delta at epsilon of mu-GDP."""
    level, e = ball(mu), ball(epsilon)
    return normal_cdf(level / 2 - e / level) - exp(e) * normal_cdf(-level / 2 - e / level)


def theorem_1(beta: Ball) -> Ball:
    """Return P(beta), Theorem 1's bound on a change of leader."""
    return erfc(beta) + sqrt(2) * exp(-square(beta) / 2) * erf(beta / sqrt(2))


def gap_survival(e: Ball, n: int) -> Ball:
    """Return P(gap > e) for n standard normals. [000, Equation (1)]"""
    return n * _line_integral(lambda x: normal_density(x) * normal_cdf(x - e) ** (n - 1))


def _line_integral(function: Callable[[Ball], Ball]) -> Ball:
    """Return the integral over the line of a function between 0 and the normal density."""
    # What lies beyond is between 0 and the normal tails, and added as a ball.
    return integral(function, -_REACH, _REACH) + ball(0, 2 * normal_cdf(ball(-_REACH)).upper())


def gap_survival_by_second(e: Ball, n: int) -> Ball:
    """Return the same by the law of the second largest, and that the largest is above it by more than e."""
    return (
        n
        * (n - 1)
        * _line_integral(lambda y: normal_density(y) * normal_cdf(y) ** (n - 2) * normal_cdf(-y - e))
    )


def gap_density(e: Ball, n: int) -> Ball:
    """Return the density of the gap of n normals: equation (1) with x = u + e / 2, two factors that fall."""
    inside = integral(lambda u: exp(-u * u) * normal_cdf(u - e / 2) ** (n - 2), -_REACH, _REACH)
    beyond = ball(0, (sqrt(pi()) * erfc(ball(_REACH))).upper())
    return n * (n - 1) * exp(-square(e) / 4) / (2 * pi()) * (inside + beyond)


def gap_density_printed(e: Ball, n: int) -> Ball:
    """Return the density of the gap of n normals, by the integral of equation (1) as it stands. [000]"""

    def integrand(x: Ball) -> Ball:
        return normal_density(x) * normal_density(x - e) * normal_cdf(x - e) ** (n - 2)

    return n * (n - 1) * _line_integral(integrand)


def least_gaps(horizon: int, eta: float, alpha: float) -> list[list[Ball]]:
    """Return balls around the least gaps; ``[s][b - 1]`` is for batches of b rounds, begun after s rounds.

    If it ends after r rounds, Corollary 1 asks for ``P(beta) <= alpha sqrt(log 2 / r)``, ``beta = (gap - b) /
    (eta sqrt(2 b)) - sqrt(log 2)``.
    """
    root = sqrt(log(ball(2)))
    beta = [_argument(ball(alpha) * root / sqrt(ball(end))) for end in range(2, horizon + 1)]
    least = []
    for start in range(horizon):
        gaps = [ball(0)]
        for size in range(2, horizon - start + 1):
            gap = eta * sqrt(ball(2 * size)) * (beta[start + size - 2] + root) + size
            # Least gaps may cross where tolerances are large.
            gaps.append(gap.max(gaps[-1]))  # a larger batch needs the larger gap
        least.append(gaps)
    return least


def _argument(tolerance: Ball) -> Ball:
    """Return a ball around the beta at which Theorem 1's bound P is a tolerance below 1; P falls."""
    guess = ball(float(solve(math.log(near(tolerance)))))
    slope = -sqrt(2) * guess * exp(-square(guess) / 2) * erf(guess / sqrt(2))
    # One step from the library's float: afterwards only signs at both ends are looked at, which is the proof.
    nearer = near(guess + (tolerance - theorem_1(guess)) / slope)  # Newton's step
    low, high = (ball(nearer * (1 + side * _NEAR)) for side in (-1, 1))
    if not (theorem_1(low) > tolerance and theorem_1(high) < tolerance):
        raise ArithmeticError(f"no ball around the argument of a tolerance of {near(tolerance)}")
    return low.union(high)
