"""Exact privacy of a short play of P-COMW on a grid, by enumeration of all paths.

A path is the first point and, for each lottery, whether a point was drawn and which. On a set with a density
it tells no more than the points alone. On a grid it tells more, because the same point may be drawn again.
[mathematics/001.md#exact-paths]
"""

import math

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.private_oco.pcomw import checked_lottery
from private_experts.replication.papers.p001.chains import keep_probabilities

_MOST_PATHS = 20_000_000


def path_laws(laws: Array, log_phi: float, p: float, budget: float = math.inf) -> tuple[Array, Indices]:
    """Return the probability of every path, shape (..., P), and the points of each path, shape (P, T).

    `laws` are log-probabilities of mu_1 to mu_T, shape (..., T, m), and the other parameters those of
    `PCOMW`. There are ``P = m (m + 1)^(T - 1)`` paths; too many are refused.
    """
    log_phi, p, budget = checked_lottery(log_phi, p, budget)
    *batch, horizon, m = laws.shape
    paths = m * (m + 1) ** (horizon - 1)
    if paths * math.prod(batch) > _MOST_PATHS:
        raise InputError(
            f"paths of P-COMW: {paths} for each sequence are too many; write fewer points or rounds"
        )
    probability, points, draws = np.exp(laws[..., 0, :]), np.arange(m)[:, None], np.zeros(m, dtype=np.intp)
    for t, keep in enumerate(np.moveaxis(keep_probabilities(laws, log_phi, p), -2, 0), start=1):
        # With the budget spent the point stays whatever the lottery says.
        kept = np.where(draws < budget, keep[..., points[:, -1]], 1.0)
        fresh = (1 - kept)[..., None] * np.exp(laws[..., t, :])[..., None, :]
        probability = probability[..., None] * np.concatenate([kept[..., None], fresh], axis=-1)
        probability = probability.reshape(*batch, -1)
        last = np.concatenate([points[:, -1:], np.tile(np.arange(m), (len(points), 1))], axis=1).reshape(
            -1, 1
        )
        points = np.concatenate([np.repeat(points, m + 1, axis=0), last], axis=1)
        draws = (draws[:, None] + (np.arange(m + 1) > 0)).ravel()
    return probability, points


def action_laws(probability: Array, points: Indices) -> Array:
    """Return the probabilities of all sequences of points in lexical order, (..., m^T), draws summed out."""
    # Paths that differ in draws alone are one sequence of actions to whoever sees the actions.
    order = np.lexsort(points.T[::-1])
    new = (np.diff(points[order], axis=0) != 0).any(axis=1)
    return np.add.reduceat(probability[..., order], np.flatnonzero(np.concatenate([[True], new])), axis=-1)


def least_epsilon(p: Array, q: Array, delta: float) -> Array:
    """Return the least epsilon at least 0 for which ``p(A) <= e^epsilon q(A) + delta`` for every event A.

    Sort outcomes, the last axis, by falling p/q. Then ``sum (p - e^epsilon q)_+`` runs over the first k of
    them, for some k. The epsilon that makes this sum delta solves an equation that is linear in
    ``e^epsilon``. The largest solution over all k is the answer. q is positive wherever p is.
    """
    # Outcomes that q gives no chance come first; they alone can make epsilon infinite.
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, 0.0), axis=-1, kind="stable")
        above, below = (np.take_along_axis(law, order, axis=-1).cumsum(axis=-1) for law in (p, q))
        # The best event is a set {p > e^epsilon q}, one of the first k; the largest solution holds for all.
        candidates = np.where(above > delta, np.log(above - delta) - np.log(below), 0.0)
    return np.asarray(np.maximum(candidates.max(axis=-1), 0.0))
