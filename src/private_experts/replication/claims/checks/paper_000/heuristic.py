"""Appendix A.11 beyond two experts: the amplification that follows from the law of the gap.

[mathematics/000.md#a11-many]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.rw_adabatch import simulate_batches
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.replication.intervals import clopper_pearson

ALPHA = 0.01


def amplification_ratio(q: float, t: int, n: int, alpha: float = ALPHA) -> float:
    """Return A.11's estimate of the amplification that the datum of round t gets with probability 1 - q.

    Below 1 it says nothing, because batching never harms. [mathematics/000.md#a11-many]
    """
    spread = math.sqrt(math.log(2 * n - 2)) + math.sqrt(math.log(math.sqrt(t / math.log(n)) / alpha))
    return q * math.sqrt(math.pi * t / 2) / spread / math.comb(n, 2)


def many_experts(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The amplification sqrt(B) is below the estimate with probability at most q, where the estimate is above 1.

    As in the appendix there is no drift, and the noise scale is 1.
    """
    asked = [(n, t, q) for n, t, q in product(grid["n"], grid["t"], grid["q"]) if amplification_ratio(q, t, n) > 1]
    points = []
    for n in grid["n"]:
        rng = rng_for(seed, "A.11", n, repetitions)
        drawn = simulate_batches(n, 1.0, 2 * max(grid["t"]), repetitions, ALPHA, rng, rho=0.0, rounds=grid["t"])
        for t, sizes in zip(grid["t"], drawn, strict=True):
            for q in (q for m, s, q in asked if (m, s) == (n, t)):
                ratio = amplification_ratio(q, t, n)
                count = (np.sqrt(sizes) < ratio).sum()
                low, high = clopper_pearson(count, repetitions, len(asked))
                where, notes = {"n": n, "t": t, "q": q}, {"ratio": ratio}
                points.append(Point(where, count / repetitions, q, float(low), float(high), notes=notes))
    return points
