"""How much a noisy leader's expected gain can bend: the second-order term of RW-FTPL's regret, halved.

[mathematics/000.md#half-divergence]
"""

import functools
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from private_experts.algorithms import fresh_scales
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    largest,
    near,
    normal_cdf,
    normal_density,
    precision,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.gap_law import mean_of_largest

# Experts of one mean on one side of a cut: their number and mean, and whether they are on the side that
# gains.
Group = tuple[int, float, bool]

_BITS = 80
_REACH = 14  # of integrals, in standard deviations; what lies beyond is bounded and added


def bend(groups: Sequence[Group]) -> Ball:
    """Return ``v' H v`` for v = 1 on one side of a cut and 0 on the other, at noise of scale 1.

    It is the density at 0 of the largest of one side less the largest of the other.
    """
    sides = [[group for group in groups if group[2] == side] for side in (True, False)]
    means = [group[1] for group in groups]
    inside = integral(
        lambda x: _density_of_largest(sides[0], x) * _density_of_largest(sides[1], x),
        ball(min(means)) - _REACH,
        ball(max(means)) + _REACH,
        digits=12,
    )
    # Each density is at most that of one normal times their number.
    sizes = [sum(count for count, *_ in side) for side in sides]
    beyond = sizes[0] * sizes[1] * normal_density(ball(0)) * 2 * normal_cdf(ball(-_REACH))
    return inside + ball(0, beyond.upper())


def _density_of_largest(groups: list[Group], x: Ball) -> Ball:
    below = [normal_cdf(x - mean) for _, mean, _ in groups]
    total = ball(0)
    for i, (count, mean, _) in enumerate(groups):
        term = count * normal_density(x - mean) * below[i] ** (count - 1)
        for j, other in enumerate(groups):
            if j != i:
                term *= below[j] ** other[0]
        total += term
    return total


@functools.cache
def rest() -> Ball:
    """Return c, the integral of the normal density's square over the distribution function."""
    # Where the distribution function may be 0 the quotient is no finite ball, and Arb cuts further.
    inside = integral(lambda x: normal_density(x) ** 2 / normal_cdf(x), -_REACH, _REACH)
    # Beyond, the density is at most |x| + 1/|x| or 2 times the distribution function. (Mills)
    return inside + ball(0, (3 * normal_density(ball(_REACH))).upper())


@functools.cache
def largest_curvature(n: int) -> Ball:
    """Return the bound on `bend`, the smaller one of ``E max N / 2`` and ``(E max N + c) / 4``."""
    with precision(_BITS):
        most = mean_of_largest(n)
        return (most / 2).min((most + rest()) / 4)


def searched(grid: Grid) -> Iterator[tuple[dict[str, Any], list[Group]]]:
    """Yield means and cuts: one side ahead of the other by a shift, and means and sides that are drawn."""
    for n, cut, shift in product(grid["n"], ("one", "half"), grid["shift"]):
        size = 1 if cut == "one" else n // 2
        yield {"n": n, "cut": cut, "shift": shift}, [(size, shift, True), (n - size, 0.0, False)]
    for n, spread, draw in product(grid["drawn"]["n"], grid["drawn"]["spread"], range(grid["drawn"]["each"])):
        rng = rng_for(0, "means and cuts", n, spread, draw)
        means, gains = (spread * rng.standard_normal(n)).tolist(), rng.permutation(n) < rng.integers(1, n)
        where = {"n": n, "cut": "drawn", "shift": spread, "draw": draw}
        yield where, [(1, mean, bool(side)) for mean, side in zip(means, gains, strict=True)]


@precision(_BITS)
def curvature(grid: Grid) -> list[Point]:
    """No cut at any means that are searched bends by more than the bound.

    For even n none bends by more than equal means that are cut evenly: that these are the worst is a
    conjecture. For three experts they are not.
    """
    points, bounds = [], {n: largest_curvature(n) for n in {*grid["n"], *grid["drawn"]["n"]}}
    bends: dict[int, list[Ball]] = {}
    for where, groups in searched(grid):
        value, n = bend(groups), where["n"]
        bends.setdefault(n, []).append(value)
        points.append(
            at_point({"what": "bend", **where}, value, bounds[n], {"share": near(value / bounds[n])})
        )
    for n, values in bends.items():
        even = ball(n) / (n - 1) * mean_of_largest(n) / 4
        if n % 2 == 0:
            cut = bend([(n // 2, 0.0, True), (n // 2, 0.0, False)])
            points.append(at_point({"what": "even cut", "n": n}, abs(cut / even - 1), ball(1e-12)))
            points.append(at_point({"what": "conjecture", "n": n}, largest(values) / even, ball(1 + 1e-12)))
        points.append(
            agreement({"what": "library", "n": n}, fresh_scales.largest_curvature(n), bounds[n], 1e-12)
        )
    odd = [bend([(1, 0.0, True), (2, shift, False)]) for shift in (grid["odd"]["shift"], 0.0)]
    points.append(
        at_point({"what": "three experts", "n": 3}, odd[0] / odd[1], ball(grid["odd"]["ratio"]), sense=">=")
    )
    return points
