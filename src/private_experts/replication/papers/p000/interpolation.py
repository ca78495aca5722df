"""ComputeDelay with an interpolated inverse of Theorem 1's bound. [000, Appendix A.3]

[mathematics/000.md#interpolation]
"""

import functools
import math
from collections.abc import Callable
from itertools import product

import numpy as np

from private_experts.arrays import Array, Bools, Ints
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, log, near, precision, sqrt, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.normal_tables import Table, table
from private_experts.replication.balls.sums import floats, gamma
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_laws import theorem_1
from private_experts.walks.delay import compute_delay, log_tolerance
from private_experts.walks.leader_change import argument, look_up

Inverse = Callable[[Array], Array]
LARGEST = 2**20
_END = 10.0  # of the pairs' arguments: the bound is 3e-22 there
_OFF = 100 * 2.0**-53  # how far an argument of the bound is off, at most


@functools.cache
def by_pairs(count: int) -> Inverse:
    """Return the paper's inverse: a monotone cubic in P through pairs of many digits, evenly spaced."""
    from scipy.interpolate import PchipInterpolator

    beta = np.linspace(_END, 0.0, count)
    with precision():
        # Many digits, as the paper says of its pairs: what is tested is the interpolation, not the pairs.
        p = [near(theorem_1(ball(b))) for b in beta.tolist()]
    cubic = PchipInterpolator(p, beta)
    return lambda log_p: np.asarray(cubic(np.exp(np.minimum(log_p, 0.0))))


def interpolated_delay(
    gap: Array, eta: float, n: int, alpha: float, completed: Array, rho: float, inverse: Inverse
) -> Ints:
    """Return the largest batch size that an inverse allows, by bisection; no value of the bound is used."""
    low = np.ones(gap.shape, dtype=np.int64)
    high = np.full(gap.shape, LARGEST + 1)
    for _ in range(math.ceil(math.log2(LARGEST + 1))):
        middle = (low + high) // 2
        fits = argument(gap, eta, middle, n, rho) >= inverse(log_tolerance(n, alpha, completed + middle))
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low


def surely_largest(
    sizes: Ints, gap: Array, eta: float, n: int, alpha: float, completed: Array, rho: float
) -> Bools:
    """Return whether each batch size is surely Corollary 1's largest: it fits, the next does not."""
    fits, _ = _surely(sizes, gap, eta, n, alpha, completed, rho)
    _, too_large = _surely(sizes + 1, gap, eta, n, alpha, completed, rho)
    # At both ends of the range there is no neighbour that could be tried.
    return (fits | (sizes == 1)) & (too_large | (sizes == LARGEST))


def _surely(
    sizes: Ints, gap: Array, eta: float, n: int, alpha: float, completed: Array, rho: float
) -> tuple[Bools, Bools]:
    """Tell of each size whether it surely fits, and whether it surely does not."""
    with precision():
        numbers, off = floats([sqrt(log(2 * n - 2)), log(n)])
        allowed = upper((1 + off) * (1 + gamma(5)) - 1)
    root, entropy = numbers.tolist()
    beta = (gap - rho * sizes) / (eta * np.sqrt(2.0 * sizes)) - root
    tolerance = alpha * np.sqrt(entropy / (completed + sizes))
    # Of what is subtracted, the first number has four roundings and is below 12 where it matters, the second
    # has one.
    ends = (
        np.where(beta + side * _OFF <= 0, 1.0, _bound()(np.clip(beta + side * _OFF, 0, 7.99)))
        for side in (-1, 1)
    )
    most, least = (
        end * (1 + side * 2 * upper(_bound().off)) for side, end in zip((1, -1), ends, strict=True)
    )
    return most <= tolerance * (1 - 2 * allowed), least > tolerance * (1 + 2 * allowed)


@functools.cache
def _bound() -> Table:
    """Return Theorem 1's bound from 0 to 8, where it falls; beyond, it is below every tolerance tried."""
    return table(theorem_1, 0.0, 8.0)


def _excess(size: int, gap: float, eta: float, n: int, alpha: float, completed: float, rho: float) -> Ball:
    """Return by which share the bound of a batch exceeds its tolerance."""
    beta = (gap - ball(rho) * size) / (eta * sqrt(ball(2 * size))) - sqrt(log(2 * n - 2))
    return theorem_1(beta) / (ball(alpha) * sqrt(log(n) / (ball(completed) + size))) - 1


def interpolation(cells: Grid, seed: int) -> list[Point]:
    """Batch sizes from an interpolated inverse are those of the exact one, but for a share of the decisions.

    Gaps are 1 to 400 noise scales, on a log scale, and completed rounds up to 10000. A size that is not
    surely the largest counts for wrong at one end of the share alone. Where sizes are too large, `excess` is
    by which share the bound exceeds its tolerance.
    """
    points = []
    for n, eta, rho, alpha in product(cells["n"], cells["eta"], cells["rho"], cells["alpha"]):
        rng = rng_for(seed, "interpolation", n, eta, rho, alpha)
        gap = eta * np.exp(rng.uniform(0, 6, cells["decisions"]))
        completed = np.asarray(rng.integers(0, 10_000, cells["decisions"]), dtype=np.float64)
        exact = compute_delay(gap, eta, n, alpha, completed, rho, exact=True, largest=LARGEST)
        sure = surely_largest(exact, gap, eta, n, alpha, completed, rho)
        for table_of, most in cells["share"].items():
            inverse = look_up if table_of == "library" else by_pairs(int(table_of))
            sizes = interpolated_delay(gap, eta, n, alpha, completed, rho, inverse)
            wrong, over = sizes != exact, np.flatnonzero(sizes > exact)
            where = {"table": table_of, "n": n, "eta": eta, "rho": rho, "alpha": alpha}
            notes = {"largest": int(exact.max()), "unsure": int((~sure).sum()), "wrong": int(wrong.sum())}
            with precision():
                # Undecided sizes count for and against: the ball holds both shares.
                share = ball(int((wrong & sure).sum()), int((wrong | ~sure).sum())) / cells["decisions"]
                points.append(at_point({**where, "what": "share"}, share, ball(most), notes))
                rows = zip(*(values[over].tolist() for values in (sizes, gap, completed)), strict=True)
                excess = largest(
                    [ball(0), *(_excess(size, lead, eta, n, alpha, t, rho) for size, lead, t in rows)]
                )
                points.append(at_point({**where, "what": "excess"}, excess, ball(cells["excess"])))
    return points
