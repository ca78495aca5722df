"""Theorem 1's bound on a change of leader in closed form. [mathematics/000.md#equation-6]"""

import math
from itertools import product

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    erfc,
    exp,
    integral,
    normal_density,
    precision,
    sqrt,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000 import certified_laws
from private_experts.walks.leader_change import argument, bound


def proof_terms(c: Ball) -> Ball:
    """Return the chance that the leader falls by c, half-normal, plus that of Lemma 4 for the rest."""
    # Lemma 4's exponent holds from the challengers' mean on, which is where the leader's fall x < c ends.
    overtaken = integral(lambda x: 2 * normal_density(x) * exp(-(c - x) * (c - x) / 2), 0, c)
    return erfc(c / sqrt(2)) + overtaken


def equation_6(cells: Grid) -> list[Point]:
    """The closed form equals the sum of the proof's two terms, relative to its size.

    The library's number is compared with the sum. The gap lies c standard deviations above the mean that
    Lemma 5 gives for the challengers' maximum.
    """
    points = []
    for c in cells["c"]:
        with precision():
            terms = proof_terms(ball(c))
            difference = abs(certified_laws.theorem_1(ball(c) / sqrt(2)) - terms) / terms
            points.append(at_point({"n": 0, "B": 0, "c": c, "what": "closed form"}, difference, ball(1e-18)))
            for n, steps in product(cells["n"], cells["B"]):
                # Lemma 5's mean of the maximum is what both n and B enter by: the terms depend on c alone.
                gap = math.sqrt(steps) * (math.sqrt(2 * math.log(2 * n - 2)) + c)
                where = {"n": n, "B": steps, "c": c, "what": "library"}
                computed = float(bound(argument(gap, 1.0, steps, n)))
                points.append(agreement(where, computed, terms, cells["tolerance"]))
    return points
