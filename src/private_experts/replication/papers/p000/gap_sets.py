"""The set where the gap is small: how its Gaussian measure moves with the means, and its shape.

[mathematics/000.md#theorem-2]
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array, Bools
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, largest, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_gaps import slope, survival
from private_experts.walks.gap import leading_gap, shifted_distribution


def _means(n: int, instances: int, seed: int) -> Iterator[tuple[str, Array]]:
    """Yield mean vectors, random ones and some with ties."""
    for number in range(instances):
        yield f"random {number}", rng_for(seed, "slope", n, number).normal(0, 0.3 * 3 ** (number % 4), n)
    yield "one ahead", np.eye(n)[0]
    yield "one behind", -np.eye(n)[0]
    yield "ladder", np.arange(n) / 2.0


def theorem_2_derivative(grid: Grid, seed: int) -> list[Point]:
    """Raising a largest mean never makes a large gap less likely.

    The derivative is compared with a central difference of the distribution and with that of the library's,
    and its sign is looked at.
    """
    points, h = [], 1e-3
    for n, e in product(grid["n"], grid["e"]):
        for name, v in _means(n, grid["instances"], seed):
            i = int(v.argmax())
            where = {"n": n, "e": e, "v": name}
            up, down = (v + sign * h * np.eye(n)[i] for sign in (1, -1))
            with precision():
                value = slope(v, i, e)
                computed = [ball(1 - float(shifted_distribution(e, means))) for means in (up, down)]
                pair = [survival(np.array([e]), means) for means in (up, down)]
                routes = ([ball(float(value)) + ball(-off, off) for [value], off in pair], computed)
                rises = [(above - below) / (ball(float(up[i])) - float(down[i])) for above, below in routes]
                apart = largest(abs(value - rise) for rise in rises)
                points.append(at_point({**where, "what": "difference"}, apart, ball(grid["tolerance"])))
                points.append(at_point({**where, "what": "sign"}, value, ball(-grid["rounding"]), sense=">="))
    return points


def remark_1(grid: Grid) -> list[Point]:
    """The vectors with gap at most e are convex for two coordinates, not convex nor Schur-concave beyond.

    All vectors with entries 0, 2, ..., 2 (size - 1) are tried. The value counts pairs in which a midpoint, or
    a vector that a member majorises, lies outside the set.
    """
    points = []
    for n, e in product(grid["n"], grid["e"]):
        vectors = 2 * np.indices([grid["size"]] * n).reshape(n, -1).T
        members = vectors[_inside(vectors, e)]
        # Even integers: midpoints are exact.
        midpoints = (members[:, None] + members[None, :]) / 2
        ordered = np.sort(vectors, axis=1)[:, ::-1].cumsum(axis=1)
        largest_sums = np.sort(members, axis=1)[:, ::-1].cumsum(axis=1)[:, None]
        # x majorises y if the sums of its k largest entries are at least y's for all k, and all sums are
        # equal.
        majorised = (ordered <= largest_sums).all(axis=2) & (ordered[:, -1] == largest_sums[..., -1])
        outside = {
            "convex": int((~_inside(midpoints, e)).sum()),
            "Schur-concave": int((majorised & ~_inside(vectors, e)).sum()),
        }
        for shape, count in outside.items():
            where = {"n": n, "e": e, "shape": shape}
            points.append(Point(where, float(count), 0.0 if n == 2 else 1.0, sense="<=" if n == 2 else ">="))
    return points


def _inside(vectors: NDArray[Any], e: float) -> Bools:
    """Tell of each vector whether its gap is at most e."""
    return leading_gap(vectors) <= e
