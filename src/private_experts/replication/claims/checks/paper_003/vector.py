"""The exact privacy of Algorithm 1's vector, beside what composition promises. [003, Lemmas 2 and 3]

[mathematics/003.md#vector-privacy]
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from private_experts.distributions.approximate import NoisyVector
from private_experts.distributions.classes import needle
from private_experts.distributions.composition import advanced, composed, coordinate_level
from private_experts.distributions.vector_privacy import composed_delta, coordinates, delta_at, level_at
from private_experts.privacy.guarantees import ApproximateDP
from private_experts.replication.claims.checks.paper_003.named import INSTANCES
from private_experts.replication.claims.evidence import Point

Grid = Mapping[str, Any]

_CLASSES = {**INSTANCES, "sure, K = 2": np.eye(2), "sure, K = 3": np.eye(3), "needle, K = 3": needle(3, 0.9)}
_UP = 1  # of the two bounds of `composed_delta`


def _upper(experts: int, shift: float, epsilon: float) -> float:
    return composed_delta(experts, shift, epsilon)[_UP]


def vector_privacy(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The exact level of Algorithm 1's report is at most that of K Laplace mechanisms, which is far below epsilon.

    The level at delta is computed from a quadrature of the densities of all labels. Twice as many nodes give the same
    level, and all densities integrate to 1. The notes have what basic and advanced composition promise.
    """
    points = []
    delta = grid["delta"]
    for name, horizon, epsilon in product(grid["class"], grid["T"], grid["eps"]):
        classes = _CLASSES[name]
        mechanism = NoisyVector(len(classes), ApproximateDP(epsilon, delta, "local"), horizon=horizon)
        levels, mass = [], 0.0
        for parts in (1, 2):
            densities, weights = coordinates(classes, horizon, mechanism.scaling.noise, parts)
            levels.append(level_at(partial(delta_at, densities, weights), delta, epsilon))
            mass = max(mass, float(np.abs(densities @ weights - 1).max()))
        shift = mechanism.scaling.true_level
        for_all = level_at(partial(_upper, len(classes), shift), delta, epsilon)
        where = {"class": name, "K": len(classes), "T": horizon, "eps": epsilon}
        notes = {
            "basic_or_advanced": composed(len(classes), shift, delta),
            "advanced": advanced(len(classes), shift, delta),
        }
        points += [
            Point({**where, "quantity": "level"}, levels[-1], for_all, notes=notes),
            Point({**where, "quantity": "level of Laplace mechanisms / eps"}, for_all / epsilon, grid["share"]),
            Point({**where, "quantity": "level by half the nodes"}, abs(levels[0] / levels[1] - 1), 1e-6),
            Point({**where, "quantity": "mass - 1"}, mass, 1e-12),
        ]
    return points


def vector_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With the given multiple of the stated noise Algorithm 1 is (epsilon, delta)-LDP for every class.

    The delta of K Laplace mechanisms is bounded from above, by rounding privacy losses up. Rounding them down bounds it
    from below, which says how exact that is.
    """
    points = []
    for experts, epsilon, delta in product(grid["K"], grid["eps"], grid["delta"]):
        shift = coordinate_level(experts, epsilon, delta) / grid["multiple"]
        low, high = composed_delta(experts, shift, epsilon, grid["steps"])
        where = {"K": experts, "eps": epsilon, "delta": delta}
        points.append(Point(where, high, delta, notes={"delta_at_least": low}, trivial=1.0))
    return points
