"""The predecessor for losses that are not smooth: the private shrinking dartboard on a cover. [001, Section 1]"""

from collections.abc import Mapping
from itertools import product
from typing import Any

from private_experts.algorithms.dartboard_law import dartboard_law
from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.convex.domains import Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES
from private_experts.convex.regret import gibbs_parameters
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Grid = Mapping[str, Any]


def dartboard_on_cover(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On n points that cover an interval, the dartboard's regret is at most its own bound plus G D T / (2 n).

    The regret is exact, from the Markov chain with 4 T p draws. The best point is sought on a grid nine times as fine.
    [mathematics/001.md#dartboard-cover]
    """
    points, domain = [], Box((-0.5,), (0.5,))
    for losses_name, horizon, n, (eta, p) in product(grid["losses"], grid["T"], grid["n"], grid["eta_p"]):
        family = GridGibbs(domain.grid(9 * n), **gibbs_parameters(horizon, 1, 1.0)._asdict())
        where = {"losses": losses_name, "T": horizon, "n": n, "eta": eta, "p": p}
        losses = LOSSES[losses_name](family, horizon, 1.0, rng_for(seed, "cover", *where.values()))
        cover = losses[:, 4::9]  # the middles of n cells
        scaled = cover - cover.min(axis=1, keepdims=True)  # in [0, G D] = [0, 1]
        law = dartboard_law(scaled, eta, p, int(4 * horizon * p)).sum(axis=-1)
        value = float((law * cover).sum() - losses.sum(axis=0).min())
        bound = theorem_2_regret(eta, p, horizon, n) + horizon / (2 * n)
        points.append(Point(where, value, bound, trivial=horizon))
    return points
