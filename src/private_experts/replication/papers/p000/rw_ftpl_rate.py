"""Table 1, the rate of RW-FTPL: what it promises is reached up to a constant. [000, Table 1 and Section 3]

[mathematics/000.md#table-1]
"""

import math
from itertools import product

import numpy as np

from private_experts.replication.balls.balls import Ball, ball, largest, log, near, precision, sqrt
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_leads import alone, total_of
from private_experts.replication.papers.p000.worst_streams import regret_of_rise

_ROUNDING = 1e-4  # relative: how far the library's regret may be from the ball


def regret_of_leader(n: int, horizon: int, eta: float, gap: float) -> Ball:
    """Return RW-FTPL's regret if one expert gains more by the gap, and leads by gap (t - 1) at round t."""
    t = np.arange(1, horizon + 1)
    leads, off = alone(gap * (t - 1) / (eta * np.sqrt(t)), n)  # six roundings, two of them of eta
    return gap * (horizon - total_of(leads, off))


def rate_attained(grid: Grid) -> list[Point]:
    """On some stream the regret is at least a fixed share of eta sqrt(2 T log n), for every n, T and mu.

    The noise is that of gains in [0, 1] at level mu, eta = sqrt(n) / mu. One better expert's advantage is
    tried at multiples of eta sqrt(log n / T), as far as such gains allow; on the best stream the library's
    regret is compared. Lazy is to follow the leader without noise, which errs in the first round alone.
    """
    points = []
    for n, horizon, mu in product(grid["n"], grid["T"], grid["mu"]):
        eta = math.sqrt(n) / mu
        # The worst gap is of the order of the noise per round: less costs little, and more is soon seen.
        gaps = np.minimum(np.array(grid["multiple"]) * eta * math.sqrt(math.log(n) / horizon), 1.0).tolist()
        with precision():
            rate = sqrt(n) / ball(mu) * sqrt(2 * horizon * log(n))
            shares = {gap: regret_of_leader(n, horizon, eta, gap) / rate for gap in gaps}
            where, gap = {"n": n, "T": horizon, "mu": mu}, max(shares, key=lambda gap: near(shares[gap]))
            # One stream suffices for a lower bound, so the best tried counts.
            share, notes = largest(shares.values()), {"gap": gap}
            lazy = near(max(gaps) * (1 - 1 / ball(n)) / rate)
            points.append(
                at_point({"what": "share", **where}, share, ball(grid["share"]), notes, ">=", lazy=lazy)
            )
            # in units of what is gained in each round
            scales = eta * np.sqrt(np.arange(1, horizon + 1)) / gap
            computed = gap * regret_of_rise(n, scales, horizon)
            points.append(agreement({"what": "library", **where}, computed, shares[gap] * rate, _ROUNDING))
    return points
