"""Algorithm 1 with softmax selections: its regret for privacy has no factor log T. [mathematics/004.md#softmax]"""

import math

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.restarting_leader import softmax_allowance
from private_experts.arrays import Array
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.phases import theorem_3_6
from private_experts.replication.papers.p004.stationary import theorem_3_1

GAPS = {
    "equal": lambda n: np.r_[0.0, np.ones(n - 1)],
    "evenly spread": lambda n: np.linspace(0.0, 1.0, n),
    "halving": lambda n: np.r_[0.0, 2.0 ** -np.arange(n - 1.0)],
}


def leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1, which selects an expert with a probability that falls exponentially in its loss."""
    return DyadicLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions, selection="gumbel")


def _spent(laws: Array, gaps: Array, sizes: Array, rate: float) -> tuple[float, float]:
    """Return the logarithm of the exponential moment of the regret at this rate, and its mean, over all blocks."""
    regrets = sizes[:, None] * gaps
    moments = (laws * np.exp(rate * regrets)).sum(axis=1)
    return float(np.log(moments).sum()), float((laws * regrets).sum())


def softmax_potential(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Where losses equal their means the regret X of blocks 2, 4, ... has ``E exp(epsilon X / 8) <= N``.

    So its mean is at most ``8 log(N) / epsilon``, whatever the number of rounds. The laws of the selections are the
    library's. Lazy is to draw an expert uniformly in every block.
    """
    points = []
    for where, n, gaps_are, epsilon, horizon in cells_of(grid, "N", "gaps", "epsilon", "T"):
        gaps = GAPS[gaps_are](n)
        sizes: Array = np.exp2(np.arange(1.0, int(math.log2(horizon))))
        laws = leader(n, epsilon, rng_for(seed, "unused"), 1).law(-np.multiply.outer(sizes / 2, gaps))
        uniform = np.full_like(laws, 1 / n)
        found, lazy = (_spent(each, gaps, sizes, epsilon / 8) for each in (laws, uniform))
        bounds = {"moment": math.log(n), "mean": 8 * math.log(n) / epsilon}
        trivial = {"moment": epsilon / 8 * float(sizes.sum()), "mean": float(sizes.sum())}
        for what, value, by_lazy in zip(bounds, found, lazy, strict=True):
            points.append(Point({**where, "what": what}, value, bounds[what], trivial=trivial[what], lazy=by_lazy))
    return points


def softmax_intervals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With probability 1 - beta no interval of n rounds has a regret above ``16 L / epsilon + 19 sqrt(n L)``."""

    def allowed(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
        return softmax_allowance(rounds, n, horizon, 2 * epsilon, beta)  # which is called with Algorithm 2's level

    return theorem_3_1(grid, repetitions, seed, leader, allowed)


def softmax_tracking(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 2 with softmax selections and their proved allowance has the dynamic regret that is proved for it."""
    return theorem_3_6(grid, repetitions, seed, proved_bound, selection="gumbel", allowance="proved")


def proved_bound(n: int, horizon: int, shifts: int, epsilon: float, beta: float) -> float:
    """Return the bound on the mean dynamic regret with softmax selections. [mathematics/004.md#softmax-tracking]"""
    level = math.log(n * horizon / beta)
    alpha = 32 * (2 * math.log(horizon) + math.log(2 / beta)) / epsilon
    pieces = 2 * shifts + 1
    spread = (16 + 2 * math.sqrt(2)) * math.sqrt(pieces * horizon * level)
    return spread + pieces * (32 * level / epsilon + 2 * alpha + 1) + shifts + 2 * (shifts + 1)
