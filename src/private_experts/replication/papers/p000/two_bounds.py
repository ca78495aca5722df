"""Theorem 1's bound on a change of leader: its closed form, and where Levy's bound is smaller.

[mathematics/000.md#equation-6] [mathematics/000.md#theorem-1-sharper]
"""

import math
from itertools import product

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    erfc,
    exp,
    integral,
    log,
    normal_density,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point, over_box, widened
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


def levy_is_smaller(grid: Grid) -> list[Point]:
    """Levy's bound is below Theorem 1's for up to 16 experts, and for any number from mid-range on.

    With ``a = sqrt(log(2n - 2))`` the two are ``(n - 1) erfc((beta + a) / sqrt 2)`` and P(beta). The second
    box begins at beta = a / 2. A point with more experts and a small beta shows that it is not so everywhere.
    """

    def sides(n: Ball, beta: Ball) -> tuple[Ball, Ball]:
        return certified_laws.levy(beta + sqrt(log(2 * n - 2)), n - 1), certified_laws.theorem_1(beta)

    def from_the_middle(a: Ball, s: Ball) -> tuple[Ball, Ball]:
        # In a and s in place of n and beta, so that many n fit into a box of moderate size.
        return certified_laws.levy(s + 3 * a / 2, exp(square(a)) / 2), certified_laws.theorem_1(s + a / 2)

    # Ends are rounded, so the box is widened to hold the true ones.
    few, many = grid["few"], widened(*(math.sqrt(math.log(2 * n - 2)) for n in grid["many"]))
    points = [
        over_box({"what": "few experts"}, sides, {"n": few, "beta": grid["beta"]}),
        over_box({"what": "many experts"}, from_the_middle, {"a": many, "s": grid["beta"]}),
    ]
    with precision():
        for n, beta in grid["larger"]:
            levy, theorem_1 = sides(ball(n), ball(beta))
            points.append(at_point({"what": "larger", "n": n, "beta": beta}, theorem_1, levy))
    return points
