"""Equation (6): the bound of Theorem 1 is the integral that the proof of Appendix A.5 ends in.

[mathematics/000.md#equation-6]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import mpmath

from private_experts.replication.claims.evidence import Point
from private_experts.walks.leader_change import argument, bound


def equation_6(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The closed form equals the sum of the proof's two terms, relative to its size.

    Second route: the terms by quadrature with 30 digits (mpmath). The gap lies c standard deviations above the mean
    that Lemma 5 gives for the challengers' maximum.
    """
    points = []
    for n, steps, c in product(grid["n"], grid["B"], grid["c"]):
        spread = math.sqrt(steps)
        gap = spread * (math.sqrt(2 * math.log(2 * n - 2)) + c)
        closed = float(bound(argument(gap, 1.0, steps, n)))
        terms = proof_terms(c)
        points.append(Point({"n": n, "B": steps, "c": c}, abs(closed / terms - 1), grid["tolerance"]))
    return points


def proof_terms(c: float) -> float:
    """Return the probability that the leader falls by c, plus that a challenger makes up what is left of c.

    The leader's fall is half-normal. A challenger's rise has the tail of Lemma 4.
    """
    with mpmath.workdps(30):
        falls = 2 * mpmath.ncdf(-c)
        overtaken = mpmath.quad(
            lambda x: 2 * mpmath.npdf(x) * mpmath.exp(-((c - x) ** 2) / 2), mpmath.linspace(0, c, 5)
        )
        return float(falls + overtaken)
