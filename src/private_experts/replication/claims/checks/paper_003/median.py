"""The median trick after Theorem 6: from a small mean to a small error with high probability.

[mathematics/003.md#median-trick]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from private_experts.distributions.classes import dirichlet
from private_experts.distributions.risk import total_variation
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def central(estimates: Array) -> int:
    """Return which of the distributions (k, M) has the least median distance to all of them."""
    apart = total_variation(estimates[:, None], estimates)
    return int(np.sort(apart, axis=1)[:, len(estimates) // 2].argmin())


def _near(truth: Array, radius: float, number: int, rng: np.random.Generator) -> Array:
    """Return distributions within a total variation of `radius` of the truth, each at most this far away."""
    others = dirichlet(number, truth.size, 0.3, rng)
    apart = total_variation(others, truth)
    share = np.minimum(radius * rng.choice([0.5, 1.0], size=number) / np.maximum(apart, 1e-300), 1.0)
    return truth + share[:, None] * (others - truth)


def _line(radius: float, runs: int) -> tuple[Array, Array]:
    """Return the truth, and runs over two labels that are nearly the worst: good ones on both sides, bad ones beyond.

    Just over half are good. Half of these lie at ``-radius``, the others at ``radius``. All others are bad, and lie
    together a little below ``3 radius``.
    """
    good = runs // 2 + 1
    at = np.concatenate([np.full(runs - good, 3 - 1e-6), np.full(good // 2, -1.0), np.full(good - good // 2, 1.0)])
    mass = 0.5 + radius * at
    return np.array([0.5, 0.5]), np.stack([mass, 1 - mass], axis=1)


def median_trick(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """If more than half of k runs are within r of the truth, the central one is within 3r; that fails with e^(-k/18).

    A run is good with probability at least 2/3, by Markov's inequality at r = 3 alpha. At most half of k runs are good
    with a binomial probability, which is computed. The distance is that of the worst of random instances, and of
    one in which good and bad runs lie on a line.
    """
    points = []
    for runs in grid["k"]:
        # P(Bin(k, 2/3) <= k/2) is a regularised incomplete beta function.
        most = runs // 2
        fails = float(betainc(runs - most, most + 1, 1 / 3))
        points.append(Point({"k": runs, "quantity": "P(half are bad)"}, fails, math.exp(-runs / 18), trivial=1.0))
    for runs, radius in product(grid["k"], grid["r"]):
        rng = rng_for(seed, "median", runs, radius)
        worst = 0.0
        for instance in range(grid["instances"]):
            truth = dirichlet(1, grid["M"], 1.0, rng)[0]
            good = _near(truth, radius, runs // 2 + 1, rng)
            bad = dirichlet(runs - len(good), grid["M"], 0.3, rng)
            if instance % 2:  # bad runs that agree with each other, just beyond the good ones
                bad = np.repeat(_near(truth, 3.2 * radius, 1, rng), len(bad), axis=0)
            estimates = np.concatenate([bad, good])
            worst = max(worst, float(total_variation(truth, estimates[central(estimates)])))
        truth, estimates = _line(radius, runs)
        line = float(total_variation(truth, estimates[central(estimates)]))
        points.append(Point({"k": runs, "r": radius, "quantity": "distance / r"}, worst / radius, 3.0))
        points.append(Point({"k": runs, "r": radius, "quantity": "distance / r on a line"}, line / radius, 3.0))
    return points
