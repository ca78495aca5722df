"""What an adaptive adversary costs where oblivious streams cost little. [mathematics/004.md#separation]"""

import math

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, precision, sqrt
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.lower import Selection, wrong_by_gumbel, wrong_by_laplace

_BITS = 80
_ROUNDING = 1e-6  # of the library's regrets, relative


def least_adaptive(horizon: int, level: Ball) -> Ball:
    """Return the least share of T rounds that epsilon-DP play loses to rows of random bias, with N = 8 T.

    The best of the pairs that were not played is bounded by order statistics of uniform variables.
    """
    pairs, chi = 4 * horizon, expm1(level) ** 2 * exp(-level)
    best = ((horizon + 1) * (1 - ball(horizon + 1) / (pairs + 1)) - 1) / horizon
    return (best - 1 / sqrt(1 + 4 / (horizon * chi))) / 2


def stationary(selection: Selection, horizon: int, level: Ball, gap: float) -> Ball:
    """Return the share that Algorithm 1 loses at most if one of 8 T experts is best by a gap."""
    wrong = {"laplace": wrong_by_laplace, "gumbel": wrong_by_gumbel}[selection]
    # Whole blocks, of which the last may be longer than the game: what is lost only grows by that.
    blocks = (2**k for k in range(1, horizon.bit_length()))
    lost = sum((size * wrong(8 * horizon, size * level / 4 * gap) for size in blocks), ball(1))
    return gap * lost / horizon


def program(selection: Selection, horizon: int, level: float, gap: float) -> float:
    """Return the same by the library, from its laws of selections."""
    leader = DyadicLeader(2, PureDP(level, "central"), rng=rng_for(0, "unused"), selection=selection)
    sizes = np.exp2(np.arange(1.0, horizon.bit_length()))
    laws = leader.law(-np.multiply.outer(sizes / 2, [0.0, gap]), np.array([1, 8 * horizon - 1]))
    return gap * (1 + float(sizes @ (1 - laws[:, 0]))) / horizon


@precision(_BITS)
def separation(grid: Grid) -> list[Point]:
    """At ``epsilon = 1 / sqrt(T)`` Algorithm 1 loses little in a stationary game, as none does adaptively.

    The bound is the least share that is lost against rows of random bias. Lazy is uniform play. The library's
    regrets are compared.
    """
    points = []
    for where, selection, horizon, gap in cells_of(grid, "selection", "T", "gap"):
        level, ball_level = 1 / math.sqrt(horizon), ball(1 / math.sqrt(horizon))
        lost, lazy = stationary(selection, horizon, ball_level, gap), gap * (1 - 0.125 / horizon)
        least = least_adaptive(horizon, ball_level)
        points.append(at_point({**where, "what": "regret"}, lost, least, trivial=gap, lazy=lazy))
        computed = program(selection, horizon, level, gap)
        points.append(agreement({**where, "what": "library"}, computed, lost, _ROUNDING))
    return points
