"""Integrals by Gauss's rule, with a proved error, for functions that are analytic and bounded on a disc.

If ``|f| <= M`` where ``|z| <= r``, a polynomial of degree 2n - 1 is within ``2 M rho^(1-2n) / (rho - 1)`` of
f on [-1, 1], for ``rho = r + sqrt(r^2 - 1)``. [Trefethen 2013, Theorem 8.2] The rule is off by at most four
times as much: twice in the integral, and twice in the sum, whose weights are positive and sum to 2.
"""

import functools

from private_experts.replication.balls.balls import Ball, ball, flint, sqrt


def rule(count: int) -> tuple[tuple[Ball, ...], tuple[Ball, ...]]:
    """Return nodes, increasing, and weights of Gauss's rule on [-1, 1], to the precision that is set now."""
    return _rule(count, flint().ctx.prec)


@functools.cache
def _rule(count: int, bits: int) -> tuple[tuple[Ball, ...], tuple[Ball, ...]]:
    """Return the rule to the precision that is set now, which is so many bits."""
    # Arb isolates each root with a bound, so nodes are balls around the true ones.
    both = [flint().arb.legendre_p_root(count, k, weight=True) for k in reversed(range(count))]
    nodes, weights = zip(*both, strict=True)
    return nodes, weights


def rest(count: int, reach: float) -> Ball:
    """Return how far the rule is off on [-1, 1], for a function of size 1 on a disc of radius above 1."""
    if not reach > 1:
        raise ValueError(f"a disc of radius {reach} does not hold an ellipse around [-1, 1]")
    # The largest ellipse with foci -1 and 1 inside the disc: there the polynomial approximation converges.
    rho = ball(reach) + sqrt(ball(reach) ** 2 - 1)
    return 8 * rho ** (-2 * count) / (1 - 1 / rho)
