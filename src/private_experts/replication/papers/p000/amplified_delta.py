"""What batches of RW-AdaBatch guarantee a late datum: its delta falls like the root of log t / t.

[mathematics/000.md#amplified-delta]
"""

import math

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.privacy.gaussian_mixtures import mixture_delta
from private_experts.replication.balls.balls import Ball, ball, log, pi, precision, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p000.certified_laws import gap_density, gaussian_delta
from private_experts.walks.batch_size import proxy_survival
from private_experts.walks.lead_tolerance import LeadTolerance


def levels(mu: float, sizes: Ints) -> Array:
    """Return a datum's level in batches of these sizes."""
    return np.asarray(mu / np.sqrt(sizes))


def bound(t: int, n: int, mu: float, alpha: float, terms: int) -> Ball:
    """Return the theorem's bound on delta(mu) in round t, summed over so many sizes and the rest."""
    eta, pairs = sqrt(ball(n)) / ball(mu), ball(2 * n - 2)
    deltas = [gaussian_delta(mu, mu / math.sqrt(b)) for b in range(1, terms + 2)]
    roots = sum(((sqrt(ball(b)) - sqrt(ball(b - 1))) * deltas[b - 1] for b in range(1, terms + 1)), ball(0))
    widest = sqrt(log(ball("8.75") * t / (ball(alpha) * ball(alpha) * log(ball(n)))))
    # The mean of the variable with Theorem 1's bound as its tail.
    mean = 1 / sqrt(pi()) + sqrt(pi()) / 2
    steps = 2 * widest + (2 + sqrt(ball(2))) * sqrt(log(pairs)) + sqrt(ball(2)) * mean
    drift = 2 / eta * sum(deltas[:terms], ball(0))
    return gap_density(ball(0), n) * sqrt(ball(2) / t) * (steps * roots + drift) + deltas[terms]


@precision()
def late_data(grid: Grid) -> list[Point]:
    """What each rule's proxy law guarantees a datum is at most the bound, at epsilon = mu."""
    points = []
    sizes = np.arange(1, grid["terms"] + 2)
    for where, n, mu, t in cells_of(grid, "n, mu", "t"):
        most, alone = bound(t, n, mu, grid["alpha"], grid["terms"]), float(gaussian_delta(mu, mu))
        for rule in grid["rule"]:
            eta, largest = math.sqrt(n) / mu, grid["terms"]
            if rule == "paper":
                larger = proxy_survival(t, eta, n, grid["alpha"], largest)
            else:
                larger = LeadTolerance(rule, eta, n, grid["alpha"]).proxy_survival(t, largest)
            delta = float(mixture_delta(mu, -np.diff(larger, append=0.0), levels(mu, sizes)))
            points.append(at_point({**where, "rule": rule}, delta, most, trivial=alone))
    return points
