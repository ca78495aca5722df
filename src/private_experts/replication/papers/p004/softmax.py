"""Algorithm 1 with softmax selections: no factor log T for privacy. [mathematics/004.md#softmax]"""

import math

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.restarting_leader import softmax_allowance
from private_experts.arrays import Array
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, log, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.phases import theorem_3_6
from private_experts.replication.papers.p004.stationary import every_interval

_BITS = 80
_ROUNDING = 1e-9  # of the library's moments and means, relative

GAPS = {
    "equal": lambda n: np.r_[0.0, np.ones(n - 1)],
    "evenly spread": lambda n: np.linspace(0.0, 1.0, n),
    "halving": lambda n: np.r_[0.0, 2.0 ** -np.arange(n - 1.0)],
}


def leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1, which selects an expert with a probability that falls exponentially in its loss."""
    return DyadicLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions, selection="gumbel")


def potential(gaps: Array, rate: Ball) -> Ball:
    """Return ``F(rate)``, the logarithm of the sum of ``exp(-rate gap)``."""
    return log(sum((exp(-rate * gap) for gap in gaps.tolist()), ball(0)))


def mean_gap(gaps: Array, rate: Ball) -> Ball:
    """Return the mean gap under weights ``exp(-rate gap)``."""
    weights = [exp(-rate * gap) for gap in gaps.tolist()]
    return sum((weight * gap for weight, gap in zip(weights, gaps.tolist(), strict=True)), ball(0)) / sum(
        weights, ball(0)
    )


def program(gaps: Array, sizes: Array, epsilon: float) -> tuple[float, float]:
    """Return the logarithm of the exponential moment and the mean of the regret, from the library's laws."""
    algorithm = leader(gaps.size, epsilon, rng_for(0, "unused"), 1)
    laws, regrets = algorithm.law(-np.multiply.outer(sizes / 2, gaps)), sizes[:, None] * gaps
    # Blocks are selected independently, so the moment of their sum is a product.
    moments = (laws * np.exp(epsilon / 8 * regrets)).sum(axis=1)
    return float(np.log(moments).sum()), float((laws * regrets).sum())


@precision(_BITS)
def softmax_potential(grid: Grid) -> list[Point]:
    """Where losses equal their means the regret X of blocks 2, 4, ... has ``E exp(epsilon X / 8) <= N``.

    So its mean is at most ``8 log(N) / epsilon``, whatever the number of rounds. The library's moments and
    means are compared. Lazy is to draw an expert uniformly in every block.
    """
    points = []
    for where, n, gaps_are, epsilon, horizon in cells_of(grid, "N", "gaps", "epsilon", "T"):
        gaps = GAPS[gaps_are](n)
        sizes: Array = np.exp2(np.arange(1.0, int(math.log2(horizon))))
        rates = [ball(epsilon) * size / 4 for size in sizes.tolist()]
        # e^(eps X / 8) at half the rate: the moment of a block is a quotient of two partition functions,
        # which telescopes.
        moment = sum((potential(gaps, rate / 2) - potential(gaps, rate) for rate in rates), ball(0))
        mean = sum(
            (size * mean_gap(gaps, rate) for size, rate in zip(sizes.tolist(), rates, strict=True)), ball(0)
        )
        uniform = float(np.log(np.exp(epsilon / 8 * np.outer(sizes, gaps)).mean(axis=1)).sum())
        lost, rounds = float(sizes.sum() * gaps.mean()), float(sizes.sum())
        most = {"moment": log(ball(n)), "mean": 8 * log(ball(n)) / ball(epsilon)}
        trivial, lazy = {"moment": epsilon / 8 * rounds, "mean": rounds}, {"moment": uniform, "mean": lost}
        for what, value, computed in zip(most, (moment, mean), program(gaps, sizes, epsilon), strict=True):
            place = {**where, "what": what}
            points.append(at_point(place, value, most[what], trivial=trivial[what], lazy=lazy[what]))
            points.append(agreement({**where, "what": f"{what}, library"}, computed, value, _ROUNDING))
    return points


def softmax_intervals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With chance 1 - beta no interval of n rounds has a regret above ``16 L / epsilon + 19 sqrt(n L)``."""

    def allowed(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
        # Algorithm 2 gives half of its level to Algorithm 1.
        # which is called with Algorithm 2's level
        return softmax_allowance(rounds, n, horizon, 2 * epsilon, beta)

    return every_interval(grid, repetitions, seed, leader, allowed)


def softmax_tracking(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 2 with softmax selections and proved allowance has its proved dynamic regret."""
    return theorem_3_6(grid, repetitions, seed, proved_bound, {"selection": "gumbel", "allowance": "proved"})


def proved_bound(n: int, horizon: int, shifts: int, epsilon: float, beta: float) -> float:
    """Return a bound on mean dynamic regret with softmax selections. [mathematics/004.md#softmax-tracking]"""
    level = math.log(n * horizon / beta)
    alpha = 32 * (2 * math.log(horizon) + math.log(2 / beta)) / epsilon
    pieces = 2 * shifts + 1
    spread = (16 + 2 * math.sqrt(2)) * math.sqrt(pieces * horizon * level)
    return spread + pieces * (32 * level / epsilon + 2 * alpha + 1) + shifts + 2 * (shifts + 1)
