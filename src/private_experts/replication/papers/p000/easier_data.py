"""Amplification grows as data get easier, and hardly depends on the tolerance. [000, 3.1 and A.2]

[mathematics/000.md#easier-data]
"""

import math
from itertools import pairwise, product

import numpy as np

from private_experts.algorithms.rw_adabatch import simulate_batches
from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.study.batching.batch_size_laws import (
    containing_sizes,
    draw_walks,
    noise_scale,
)
from private_experts.walks.batch_size import proxy_pmf

_ALPHA = 0.01


def _inverse_sizes(n: int, gap: float, grid: Grid, repetitions: int, seed: int) -> Array:
    """Return 1/B (repetitions,) of round t's batch, when one expert gains `gap` more in every round."""
    rng, drift = rng_for(seed, "easier data", n, gap, _ALPHA, repetitions), gap * np.eye(n)[0]
    eta, t = noise_scale(n, grid["mu"]), grid["t"]
    return 1 / simulate_batches(n, eta, grid["T"], repetitions, _ALPHA, rng, drift=drift, rounds=[t])[0]


def easier_data(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The mean of 1/B, the share left of a datum's squared level, falls as the leader's advantage grows.

    Neighbouring advantages are compared; their games are independent, so single differences are too.
    """
    pairs = list(product(grid["n"], pairwise(grid["gap"])))
    points = []
    for n, (smaller, larger) in pairs:
        less, more = (_inverse_sizes(n, gap, grid, repetitions, seed) for gap in (smaller, larger))
        where = {"n": n, "gap": larger, "than": smaller}
        notes = {"root mean 1/B": float(more.mean() ** 0.5)}
        # The two games are independent, so differences of repetitions are a valid sample.
        points.append(mean_point(where, more - less, 0.0, len(pairs), notes=notes))
    return points


def tolerance_matters_little(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Between two tolerances, the root of the mean of 1/B changes by a share at most.

    It is the root of the mean of 1/B on data without gains, under the proxy law and in simulation of
    the same walks. It falls by at most c if the mean of 1/B at the larger tolerance is at least (1 - c)^2
    times that at the smaller one.
    """
    points = []
    t, horizon, least = grid["t"], grid["T"], (1 - grid["change"]) ** 2
    for n in grid["n"]:
        eta = noise_scale(n, grid["mu"])
        gaps = draw_walks(n, t, repetitions, rng_for(seed, "tolerance", n, repetitions)).gaps(eta)
        pair = [1 / containing_sizes(gaps, eta, n, alpha, horizon, [t])[0] for alpha in grid["alpha"]]
        notes = {"change": 1 - math.sqrt(pair[1].mean() / pair[0].mean())}
        # As a difference with a constant factor, so that one mean decides and no ratio needs an interval.
        where, sample = {"n": n, "law": "simulation"}, pair[1] - least * pair[0]
        points.append(mean_point(where, sample, 0.0, len(grid["n"]), ">=", notes))
        laws = [proxy_pmf(t, eta, n, alpha, horizon - t) for alpha in grid["alpha"]]
        small, large = (float((law / np.arange(1, law.size + 1)).sum()) for law in laws)
        notes = {"change": 1 - math.sqrt(large / small)}
        points.append(Point({"n": n, "law": "proxy"}, large - least * small, 0.0, sense=">=", notes=notes))
    return points
