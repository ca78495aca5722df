"""An adversary that sees the plays breaks the guarantee that RW-AdaBatch gives in advance. [000, Remark 2]

[mathematics/000.md#remark-2]
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import privatize
from private_experts.randomness import rng_for
from private_experts.replication.intervals import clopper_pearson
from private_experts.replication.ledger.evidence import Point
from private_experts.walks.batch_size import proxy_survival

ALPHA = 0.01


def against_the_leader(actions: Indices, n: int) -> Array:
    """Return gains (repetitions, n) of 1 for every expert but the one played last, so that its lead shrinks fastest."""
    return (np.arange(n) != actions[:, None]).astype(np.float64)


def remark_2(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """Against an adversary that sees the past plays, batches are smaller than the proxy law says.

    The gains of a round depend on the play of the round before, and on nothing else.
    """
    cells = list(product(grid["n"], grid["eta"]))
    points = []
    for n, eta in cells:
        guarantee = GaussianDP(1.0, "local")  # of a value that one person moves by eta, so that the noise is eta
        noise = SimulatedNoise(rng_for(seed, "adaptive", n, eta, repetitions))
        algorithm = RWAdaBatch(
            n, guarantee, noise_scale=eta, noise=noise, alpha=ALPHA, repetitions=repetitions, horizon=grid["T"]
        )
        played = np.zeros(repetitions, dtype=np.intp)
        for _ in range(grid["T"]):
            gains = against_the_leader(played, n)
            played = algorithm.predict()
            algorithm.update(privatize(gains, guarantee, eta, noise, repetitions=repetitions))
        sizes = algorithm.containing_sizes()[grid["t"] - 1]
        proxy = proxy_survival(grid["t"], eta, n, ALPHA, max(grid["b"]))
        counts = np.array([(sizes > b).sum() for b in grid["b"]])
        low, high = clopper_pearson(counts, repetitions, len(cells) * len(grid["b"]))
        for b, count, least, most in zip(grid["b"], counts, low, high, strict=True):
            where = {"n": n, "eta": eta, "t": grid["t"], "b": b}
            points.append(Point(where, count / repetitions, float(proxy[b]), float(least), float(most)))
    return points
