"""The set where the gap is small: how its Gaussian measure moves with the means, and its shape.

[mathematics/000.md#theorem-2]
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.walks.gap import leading_gap, shifted_distribution

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def slope(v: Array, i: int, e: float) -> float:
    """Return the derivative of P(gap(v + N) > e) with respect to v_i, by the formula of the proof.

    It is a sum over the other coordinates j of integrals of ``[phi(x - v_i) phi(x - e - v_j) - phi(x - v_j)
    phi(x - e - v_i)] prod_{l != i, j} Phi(x - e - v_l)``, here by the trapezoidal rule.
    [mathematics/000.md#theorem-2-derivative]
    """
    x, step = np.linspace(v.max() - 9.0, v.max() + 9.0 + e, 1201, retstep=True)
    others = np.delete(v, i)[:, None]
    below = log_ndtr(x - e - v[:, None])
    rest = below.sum(axis=0) - below[i] - np.delete(below, i, axis=0)
    leads = -((x - v[i]) ** 2 + (x - e - others) ** 2) / 2
    trails = -((x - others) ** 2 + (x - e - v[i]) ** 2) / 2
    return float(step / (2 * np.pi) * (np.exp(leads + rest) - np.exp(trails + rest)).sum())


def _means(n: int, instances: int, seed: int) -> Iterator[tuple[str, Array]]:
    """Yield mean vectors, random ones and some with ties."""
    for number in range(instances):
        yield f"random {number}", rng_for(seed, "slope", n, number).normal(0, 0.3 * 3 ** (number % 4), n)
    yield "one ahead", np.eye(n)[0]
    yield "one behind", -np.eye(n)[0]
    yield "ladder", np.arange(n) / 2.0


def theorem_2_derivative(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Raising a largest mean never makes a large gap less likely.

    The derivative is compared with a central difference of the distribution, and its sign is looked at.
    """
    points, h = [], 1e-3
    for n, e in product(grid["n"], grid["e"]):
        for name, v in _means(n, grid["instances"], seed):
            i = int(v.argmax())
            value = slope(v, i, e)
            up, down = (float(shifted_distribution(e, v + sign * h * np.eye(n)[i])) for sign in (1, -1))
            where = {"n": n, "e": e, "v": name}
            points.append(Point({**where, "what": "difference"}, abs(value - (down - up) / (2 * h)), grid["tolerance"]))
            points.append(Point({**where, "what": "sign"}, value, -grid["rounding"], sense=">="))
    return points


def remark_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The set of vectors with gap at most e is convex for two coordinates, and neither convex nor Schur-concave beyond.

    All vectors with entries 0, 2, ..., 2 (size - 1) are tried. The value counts pairs in which a midpoint, or a vector
    that a member majorises, lies outside the set. For two coordinates there may be none, beyond there must be some.
    """
    points = []
    for n, e in product(grid["n"], grid["e"]):
        vectors = 2 * np.indices([grid["size"]] * n).reshape(n, -1).T
        members = vectors[_inside(vectors, e)]
        midpoints = (members[:, None] + members[None, :]) / 2
        ordered = np.sort(vectors, axis=1)[:, ::-1].cumsum(axis=1)
        theirs = np.sort(members, axis=1)[:, ::-1].cumsum(axis=1)[:, None]
        majorised = (ordered <= theirs).all(axis=2) & (ordered[:, -1] == theirs[..., -1])
        outside = {
            "convex": int((~_inside(midpoints, e)).sum()),
            "Schur-concave": int((majorised & ~_inside(vectors, e)).sum()),
        }
        for shape, count in outside.items():
            where = {"n": n, "e": e, "shape": shape}
            points.append(Point(where, float(count), 0.0 if n == 2 else 1.0, sense="<=" if n == 2 else ">="))
    return points


def _inside(vectors: NDArray[Any], e: float) -> NDArray[np.bool_]:
    """Tell of each vector whether its gap is at most e."""
    return leading_gap(vectors) <= e
