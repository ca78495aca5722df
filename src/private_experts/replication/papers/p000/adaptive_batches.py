"""An adversary that sees the plays breaks the guarantee that RW-AdaBatch gives in advance. [000, Remark 2]

[mathematics/000.md#remark-2]
"""

from itertools import product

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import privatize
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, batching
from private_experts.replication.papers.p000.sampled_points import share_point
from private_experts.walks.batch_size import proxy_survival

ALPHA = 0.01


def against_the_leader(actions: Indices, n: int) -> Array:
    """Return gains (repetitions, n) of 1 for all but the expert played last: its lead shrinks fastest."""
    return (np.arange(n) != actions[:, None]).astype(np.float64)


def remark_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Against an adversary that sees the past plays, batches are smaller than the proxy law says.

    The gains of a round depend on the play of the round before, and on nothing else.
    """
    cells = list(product(grid["n"], grid["eta"]))
    points = []
    for n, eta in cells:
        noise = SimulatedNoise(rng_for(seed, "adaptive", n, eta, repetitions))
        algorithm = batching(n, eta, noise, repetitions, ALPHA, horizon=grid["T"])
        played = np.zeros(repetitions, dtype=np.intp)
        for _ in range(grid["T"]):
            # Known before the round is played, from plays alone: the adversary sees no noise.
            gains = against_the_leader(played, n)
            played = algorithm.predict()
            algorithm.update(privatize(gains, LOCAL, LOCAL.mu * eta, noise, repetitions=repetitions))
        sizes = algorithm.containing_sizes()[grid["t"] - 1]
        proxy = proxy_survival(grid["t"], eta, n, ALPHA, max(grid["b"]))
        for b in grid["b"]:
            where, intervals = {"n": n, "eta": eta, "t": grid["t"], "b": b}, len(cells) * len(grid["b"])
            points.append(share_point(where, (sizes > b).sum(), repetitions, proxy[b], intervals))
    return points
