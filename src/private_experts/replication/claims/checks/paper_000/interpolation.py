"""ComputeDelay with an interpolated inverse of Theorem 1's bound. [000, Appendix A.3]

[mathematics/000.md#interpolation]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.walks.delay import compute_delay, log_tolerance
from private_experts.walks.leader_change import argument, look_up

Array = NDArray[np.float64]
LARGEST = 2**20


def interpolated_delay(gap: Array, eta: float, n: int, alpha: float, completed: Array, rho: float) -> NDArray[np.int64]:
    """Return the largest batch size that a table of the inverse allows, by bisection; no value of the bound is used."""
    low = np.ones(gap.shape, dtype=np.int64)
    high = np.full(gap.shape, LARGEST + 1)
    for _ in range(math.ceil(math.log2(LARGEST + 1))):
        middle = (low + high) // 2
        fits = argument(gap, eta, middle, n, rho) >= look_up(log_tolerance(n, alpha, completed + middle))
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low


def interpolation(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """Batch sizes from the interpolated inverse are those of the exact one, but for a share of the decisions.

    Gaps are drawn from 1 to 400 noise scales, evenly on a log scale, and completed rounds up to 10000.
    """
    points = []
    for n, eta, rho, alpha in product(grid["n"], grid["eta"], grid["rho"], grid["alpha"]):
        rng = rng_for(seed, "interpolation", n, eta, rho, alpha)
        gap = eta * np.exp(rng.uniform(0, 6, grid["decisions"]))
        completed = rng.integers(0, 10_000, grid["decisions"]).astype(np.float64)
        exact = compute_delay(gap, eta, n, alpha, completed, rho, exact=True, largest=LARGEST)
        wrong = interpolated_delay(gap, eta, n, alpha, completed, rho) != exact
        where = {"n": n, "eta": eta, "rho": rho, "alpha": alpha}
        points.append(Point(where, float(wrong.mean()), grid["share"], notes={"largest": int(exact.max())}))
    return points
