"""Lemmas that proofs quote or leave to the reader, in one claim. [001, Lemmas C.2 and D.3, Appendix C]"""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.losses import random_slopes
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, flint, largest, log, precision, smallest, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import Matrix
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p001.partition import partition

_BITS = 80  # of what Lemma C.2 needs


def quoted(grid: Grid, seed: int) -> list[Point]:
    """Each fact holds on its cells; a row names the fact that it is about. [mathematics/001.md#lemma-c2]"""
    facts = {
        "Lemma C.2": variation(grid["Lemma C.2"], seed),
        "Lemma D.3": partition(grid["Lemma D.3"]),
        "shrunk set": shrunk_set(grid["shrunk set"], seed),
    }
    return labelled("fact", facts)


@precision(_BITS)
def variation(cells: Grid, seed: int) -> list[Point]:
    """|E_p f - E_q f| is at most 2 TV(p, q) max |f|, attained by sign(p-q). [mathematics/001.md#lemma-c2]"""
    points = []
    for n in cells["n"]:
        rng, shares, attained = rng_for(seed, "variation", n), [], []
        for _ in range(cells["instances"]):
            # Few large masses, so that laws lie far apart.
            p, q = rng.dirichlet(np.full(n, 0.3), 2)
            apart = [ball(one) - other for one, other in zip(p.tolist(), q.tolist(), strict=True)]
            twice = sum(map(abs, apart), ball(0))
            f = rng.standard_normal(n)
            shares.append(_moved(apart, f) / (twice * float(np.abs(f).max())))
            attained.append(_moved(apart, np.sign(p - q)) / twice)
        points.append(at_point({"n": n, "functions": "random"}, largest(shares), 1 + ball(1e-12)))
        at_sign = {"n": n, "functions": "sign"}
        points.append(at_point(at_sign, smallest(attained), 1 - ball(1e-12), sense=">="))
    return points


def _moved(apart: Sequence[Ball], f: Array) -> Ball:
    """Return how far the expectation of a function moves between two laws."""
    return abs(sum((mass * value for mass, value in zip(apart, f.tolist(), strict=True)), ball(0)))


def _shrunk(corners: Array, horizon: int) -> Array:
    """Return a simplex (d + 1, d) shrunk towards its first corner to 1/T of its size."""
    return (horizon - 1) * corners[0] / horizon + corners / horizon


def _volume(corners: Array) -> Ball:
    """Return the volume of a simplex, as a multiple of that of the standard one."""
    return abs(flint().arb_mat((corners[1:] - corners[0]).tolist()).det())


def _homogeneous(corners: Array) -> Matrix:
    """Return points as columns, with a last row of ones."""
    return flint().arb_mat([*corners.T.tolist(), [1] * len(corners)])


@precision()
def shrunk_set(cells: Grid, seed: int) -> list[Point]:
    """The uniform law on (1 - 1/T) x* + K/T lies in K, has KL d log T, and costs at most G D / T a round.

    The sets K are random simplices. Volumes come from determinants, and barycentric coordinates show what
    lies inside, all in ball arithmetic. x* is a vertex, where linear losses have their minimum.
    [mathematics/001.md#shrunk-set]
    """
    points = []
    for dimension, horizon in product(cells["d"], cells["T"]):
        rng, gaps, outside, costs = rng_for(seed, "shrunk set", dimension, horizon), [], [], []
        for _ in range(cells["instances"]):
            corners = np.vectorize(ball, otypes=[object])(rng.standard_normal((dimension + 1, dimension)))
            small = _shrunk(corners, horizon)
            # The KL divergence of uniform laws on nested sets is the logarithm of the quotient of volumes.
            gaps.append(abs(log(_volume(corners) / _volume(small)) - dimension * log(horizon)))
            # Barycentric coordinates are negative outside of the simplex, and only there.
            coordinates = _homogeneous(corners).solve(_homogeneous(small))
            outside += [-coordinate for coordinate in coordinates.entries()]
            slope = random_slopes(1, dimension, 1.0, rng)[0]
            diameter = sqrt(largest(((one - other) ** 2).sum() for one, other in combinations(corners, 2)))
            # A linear loss is largest at a corner.
            costs.append(largest((small - corners[0]) @ slope) * horizon / diameter)
        where = {"d": dimension, "T": horizon}
        points.append(at_point({**where, "quantity": "KL - d log T"}, largest(gaps), ball(1e-9)))
        points.append(at_point({**where, "quantity": "outside of K"}, largest(outside), ball(1e-9)))
        points.append(at_point({**where, "quantity": "cost / (G D / T)"}, largest(costs), 1 + ball(1e-9)))
    return points
