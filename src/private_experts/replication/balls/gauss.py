"""Integrals by Gauss's rule, with a proved error, for functions that are analytic and bounded on a disc.

The interval is cut into panels. Each is moved to [-1, 1], where the rule of n nodes is exact for polynomials of degree
2n - 1, and its weights are positive and sum to 2. Let f be analytic with ``|f| <= M`` on the disc ``|z| <= r``. This
holds the ellipse with foci at -1 and 1 whose half-axes sum to ``rho = r + sqrt(r^2 - 1)``. So a polynomial of that
degree is within ``2 M rho^(1-2n) / (rho - 1)`` of f on [-1, 1]. [Trefethen, Approximation Theory and Approximation
Practice, 2013, Theorem 8.2] The rule is off by at most four times as much: twice in the integral, twice in the sum.
"""

import functools

from private_experts.replication.balls.balls import Ball, ball, flint, sqrt


def rule(count: int) -> tuple[tuple[Ball, ...], tuple[Ball, ...]]:
    """Return nodes and weights of Gauss's rule on [-1, 1], to the precision that is set now.

    - `count`: Of nodes, at least 1.
    """
    return _rule(count, flint().ctx.prec)


@functools.cache
def _rule(count: int, bits: int) -> tuple[tuple[Ball, ...], tuple[Ball, ...]]:
    """Return the rule to the precision that is set now, which is so many bits."""
    both = [flint().arb.legendre_p_root(count, k, weight=True) for k in reversed(range(count))]
    nodes, weights = zip(*both, strict=True)
    return nodes, weights


def rest(count: int, reach: float) -> Ball:
    """Return how far the rule is off on [-1, 1] at most, for a function of size at most 1 on the disc of a radius.

    - `count`: Of nodes.
    - `reach`: The disc's radius, more than 1.
    - raises `ValueError`: When the disc does not reach beyond the interval.
    """
    if not reach > 1:
        raise ValueError(f"a disc of radius {reach} does not hold an ellipse around [-1, 1]")
    rho = ball(reach) + sqrt(ball(reach) ** 2 - 1)
    return 8 * rho ** (-2 * count) / (1 - 1 / rho)
