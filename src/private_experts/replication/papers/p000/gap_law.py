"""The law of the gap of n normals, and the mean of the largest, by integrals in ball arithmetic.

[mathematics/000.md#gap] [mathematics/000.md#lemma-5]
"""

import math
from itertools import pairwise, product

from private_experts.replication.balls.balls import Ball, ball, erf, largest, log, near, precision, sqrt
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000 import certified_laws
from private_experts.walks.gap import density, distribution

_BITS = 80


def mean_of_largest(n: int) -> Ball:
    """Return the mean of the largest of n standard normals, which is the density of their gap at 0."""
    return certified_laws.gap_density(ball(0), n)


def lemma_5(cells: Grid) -> list[Point]:
    """The mean of the largest of N Gaussians, dependent or not, is at most sigma sqrt(2 log N).

    Equally correlated ones are sqrt(1 - r) times independent ones plus a common term. The mean grows with N,
    so for all N between two numbers that of the larger one is compared with the bound of the smaller one.
    """
    points = []
    with precision(_BITS):
        for n, correlation in product(cells["N"], cells["correlation"]):
            value = sqrt(1 - ball(correlation)) * mean_of_largest(n)
            where = {"N": str(n), "correlation": correlation}
            points.append(at_point(where, value, sqrt(2 * log(n))))
        # The mean grows with N: the larger number against the bound of the smaller one covers all in between.
        for least, most in pairwise(cells["between"]):
            where = {"N": f"{least} to {most}", "correlation": 0.0}
            points.append(at_point(where, mean_of_largest(most), sqrt(2 * log(least))))
    return points


def gap_distribution(grid: Grid) -> list[Point]:
    """The gap of n standard normals has equation (1)'s distribution, by the law of the second largest.

    Equation (1) sums over the largest. The library's number is compared with the second integral.
    [mathematics/000.md#gap-distribution]
    """
    points = []
    with precision(_BITS):
        for n, e in product(grid["n"], grid["e"]):
            true, where = 1 - certified_laws.gap_survival_by_second(ball(e), n), {"n": n, "e": e}
            apart = abs((1 - certified_laws.gap_survival(ball(e), n)) / true - 1)
            points.append(at_point({**where, "what": "equation (1)"}, apart, ball(1e-15)))
            points.append(agreement({**where, "what": "library"}, float(distribution(e, n)), true, 1e-11))
    return points


def gap_density(cells: Grid) -> list[Point]:
    """The density is the slope of the distribution, and falls in e. For n = 2 both have closed forms.

    The library's numbers are compared with integrals in balls, and a central difference of the distribution
    with the density. The density is a product of two factors that fall at every e by algebra, and is compared
    with equation (1) as it stands. [mathematics/000.md#gap-density]
    """
    points = []
    for n in cells["n"]:
        with precision(_BITS):
            exact = {e: certified_laws.gap_density(ball(e), n) for e in cells["e"]}
            # At the points of the grid only; that it falls between them as well is algebra.
            rise = largest(after - before for before, after in pairwise(exact.values()))
            points.append(at_point({"n": n, "e": "all", "what": "rise"}, rise, ball(0)))
            printed = [certified_laws.gap_density_printed(ball(e), n) / true for e, true in exact.items()]
            apart = largest(abs(ratio - 1) for ratio in printed)
            points.append(at_point({"n": n, "e": "all", "what": "equation (1)"}, apart, ball(1e-15)))
            for e, true in exact.items():
                points.append(
                    agreement({"n": n, "e": e, "what": "density"}, float(density(e, n)), true, 1e-12)
                )
            for e in cells["slope_at"]:
                step, where = ball(2) ** -13, {"n": n, "e": e}
                below, above = (certified_laws.gap_survival(ball(e) + side * step, n) for side in (-1, 1))
                slope = (below - above) / (2 * step)
                points.append(at_point({**where, "what": "slope"}, abs(slope - exact[e]), ball(1e-6)))
                true = 1 - certified_laws.gap_survival(ball(e), n)
                points.append(
                    agreement({**where, "what": "distribution"}, float(distribution(e, n)), true, 1e-12)
                )
    with precision(_BITS):
        for e in cells["slope_at"]:
            where, closed = {"n": 2, "e": e, "what": "closed form"}, erf(ball(e) / 2)
            points.append(agreement(where, float(distribution(e, 2)), closed, 1e-12))
    return points


def conversion(cells: Grid) -> list[Point]:
    """The gap of n normals is below e with at most n (n - 1) / 2 times the probability for two.

    Points where the bound is 1 or more are left out. For n = 2 both sides are equal.
    """
    points = []
    for n, e in product(cells["n"], cells["e"]):
        with precision(_BITS):
            bound = math.comb(n, 2) * erf(ball(e) / 2)
            if not bound < 1:
                continue
            where, exact = {"n": n, "e": e}, 1 - certified_laws.gap_survival(ball(e), n)
            if n > 2:
                points.append(at_point({**where, "what": "bound"}, exact, bound))
            else:
                points.append(agreement({**where, "what": "equality"}, near(bound), exact, 1e-12))
            computed = float(distribution(e, n))
            points.append(agreement({**where, "what": "distribution"}, computed, exact, 1e-11))
    return points
