"""What the private shrinking dartboard's actions tell of one loss vector, in balls. [004, Section 4]"""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.dartboard_parameters import theorem_2_epsilon
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, largest, log, lower, precision, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.dartboard_law import dartboard_paths

Balls = NDArray[np.object_]

_BITS = 80
_ROUNDING = 1e-12  # of the program's probabilities, and of its levels


def exact_paths(vectors: Array, horizon: int, eta: float, p: float, budget: int) -> Balls:
    """Return chances of every sequence of actions, (vectors,) * (T - 1) + (sequences,), by 0/1 stream."""
    (many, n), most = vectors.shape, min(budget, horizon)
    kept_weight = 1 - ball(eta)
    # All 0/1 streams at once: they share their beginnings, so the tree of streams is walked once.
    keep = (1 - ball(p)) * np.where(vectors > 0, kept_weight, ball(1))
    totals = np.zeros((1, n))
    law = np.full((1, 1, n, most), ball(0))  # streams, earlier actions, last action, draws made
    law[..., 0] = 1 / ball(n)
    for _ in range(1, horizon):
        totals = (totals[:, None] + vectors).reshape(-1, n)
        weights = np.vectorize(lambda lost: kept_weight ** int(lost), otypes=[object])(totals)
        fresh = (weights / weights.sum(axis=1, keepdims=True)).reshape(-1, many, 1, 1, n, 1)
        stays, goes = (law[:, None] * chance[:, None, :, None] for chance in (keep, 1 - keep))
        # A spent budget keeps the last expert whatever the lottery says; that reveals no more losses.
        stays[..., -1] += goes[..., -1]  # once the budget is spent
        longer = np.full((*stays.shape[:4], n, most), ball(0))
        longer[..., 1:] = fresh * goes[..., None, :-1]
        longer[..., np.arange(n), np.arange(n), :] += stays
        law = longer.reshape(stays.shape[0] * many, -1, n, most)
    return np.asarray(law.sum(axis=-1).reshape(*(many,) * (horizon - 1), -1))


def largest_ratio(low: Array, high: Array) -> Ball:
    """Return the largest log-ratio of a sequence's probabilities under neighboursalong one axis."""
    possible = (high > 0).reshape(-1, high.shape[-1])
    # A sequence that only one neighbour can produce has an infinite ratio.
    if (possible != possible[0]).any() or (low[high > 0] <= 0).any():
        return ball(math.inf)
    low, high = (np.where(high > 0, end, 1.0) for end in (low, high))
    axes = range(low.ndim - 1)
    # Neighbours differ in one round, which is one axis.
    least = max(float((low.max(axis=t) / high.min(axis=t)).max()) for t in axes)
    most = max(float((high.max(axis=t) / low.min(axis=t)).max()) for t in axes)
    return log(ball(math.nextafter(least, 0.0), math.nextafter(most, math.inf)))


def levels(eta: float, p: float, horizon: int, budget: int) -> dict[str, Ball]:
    """Return the theorem's level and the sharper one that the library states."""
    eta, p = ball(eta), ball(p)
    draw = -log(1 - eta)
    lottery = log(1 + (1 - p) * eta / p).max(draw)
    return {
        "theorem": eta / p + 16 * horizon * p * eta,
        "sharper": lottery + 2 * draw * (budget - 1) if budget > 1 else ball(0),
    }


def _farthest(computed: Array, low: Array, high: Array) -> Ball:
    """Return the largest distance of numbers from those that lie between two others."""
    return ball(math.nextafter(float(np.maximum(abs(computed - low), abs(computed - high)).max()), math.inf))


@precision(_BITS)
def dartboard_privacy(grid: Grid) -> list[Point]:
    """The private shrinking dartboard with K = 4 T p draws is (eta / p + 16 T p eta)-DP.

    The largest log-ratio over all sequences of actions, all 0/1 losses and all replacements of one loss
    vector is compared with the theorem's level and with the sharper one that the library states. The
    program's probabilities and levels are compared with these.
    """
    points, laws, stated = [], [], []
    for (n, horizon), p, share in product(grid["games"], grid["p"], grid["share"]):
        eta, budget = share * p, int(4 * horizon * p)
        # Without a draw nothing is played that depends on losses.
        if budget < 1:
            continue
        vectors = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(np.float64)
        exact = exact_paths(vectors, horizon, eta, p, budget)
        low, high = (np.vectorize(end, otypes=[np.float64])(exact) for end in (lower, upper))
        worst = largest_ratio(low, high)
        where = {"N": n, "T": horizon, "p": p, "eta": eta, "draws": budget}
        program = {
            "theorem": theorem_2_epsilon(eta, p, horizon),
            "sharper": dartboard_epsilon(eta, p, budget),
        }
        for name, level in levels(eta, p, horizon, budget).items():
            points.append(at_point({**where, "level": name}, worst, level))
            stated.append(abs(program[name] - level))
        rounds = np.indices((2**n,) * horizon).reshape(horizon, -1).T
        computed = np.array([dartboard_paths(vectors[places], eta, p, budget).ravel() for places in rounds])
        computed = computed.reshape(*low.shape[:-1], 2**n, -1)
        # The last loss vector comes after the last action, so the program's law must not depend on it.
        laws.append(_farthest(computed, low[..., None, :], high[..., None, :]))
    nowhere = {"N": 0, "T": 0, "p": 0.0, "eta": 0.0, "draws": 0}
    for name, differences in {"program's law": laws, "program's levels": stated}.items():
        points.append(at_point({**nowhere, "level": name}, largest(differences), ball(_ROUNDING)))
    return points
