"""The least gaps of ComputeDelay's batches for two experts, enclosed by balls. [mathematics/000.md#sure-batches]"""

import math

from private_experts.replication.claims.certified.balls import Ball, ball, erf, exp, log, near, sqrt, square
from private_experts.replication.claims.checks.paper_000.exact_laws import theorem_1
from private_experts.walks.leader_change import solve

_NEAR = 1e-15  # how close, relative, beta is enclosed


def least_gaps(horizon: int, eta: float, alpha: float) -> list[list[Ball]]:
    """Return balls around the least gaps at which batches have so many rounds.

    By Corollary 1 a batch of b rounds that ends after r rounds needs ``P(beta) <= alpha sqrt(log 2 / r)``, where beta
    is ``(gap - b) / (eta sqrt(2 b)) - sqrt(log 2)``. Entry ``[s][b - 1]`` is for batches that begin after s rounds.
    """
    root = sqrt(log(ball(2)))
    beta = [_argument(ball(alpha) * root / sqrt(ball(end))) for end in range(2, horizon + 1)]
    found = []
    for start in range(horizon):
        gaps = [ball(0)]
        for size in range(2, horizon - start + 1):
            gap = eta * sqrt(ball(2 * size)) * (beta[start + size - 2] + root) + size
            gaps.append(gap.max(gaps[-1]))  # a larger batch needs the larger gap
        found.append(gaps)
    return found


def _argument(tolerance: Ball) -> Ball:
    """Return a ball around the beta at which Theorem 1's bound P is a tolerance below 1; P falls."""
    guess = ball(float(solve(math.log(near(tolerance)))))
    slope = -sqrt(2) * guess * exp(-square(guess) / 2) * erf(guess / sqrt(2))
    nearer = near(guess + (tolerance - theorem_1(guess)) / slope)  # Newton's step
    low, high = (ball(nearer * (1 + side * _NEAR)) for side in (-1, 1))
    if not (theorem_1(low) > tolerance and theorem_1(high) < tolerance):
        raise ArithmeticError(f"no ball around the argument of a tolerance of {near(tolerance)}")
    return low.union(high)
