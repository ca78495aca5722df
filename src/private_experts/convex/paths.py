"""Exact privacy of a short play of P-COMW on a grid, by enumeration of all paths.

A path is the first point and, for each lottery, whether a point was drawn and which. On a set with a density it tells
no more than the points alone. On a grid it tells more, because the same point may be drawn again.
[mathematics/001.md#exact-paths]
"""

import math

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.convex.chains import keep_probabilities
from private_experts.convex.pcomw import check_lottery
from private_experts.errors import InputError

_MOST_PATHS = 20_000_000


def path_laws(laws: Array, log_phi: float, p: float, budget: float = math.inf) -> tuple[Array, Indices]:
    """Return the probability of every path, and the points of each path.

    Parameters
    ----------
    laws : ndarray, shape (..., T, m)
        Log-probabilities of mu_1 to mu_T, for many sequences of losses at once.
    log_phi, p, budget : float
        As in `PCOMW`.

    Returns
    -------
    probabilities : ndarray, shape (..., P)
        Of each of the ``P = m (m + 1)^(T - 1)`` paths.
    points : ndarray of int, shape (P, T)
        The number of the point in each round of a path.

    Raises
    ------
    InputError
        When a parameter is outside its range, or there are too many paths.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.paths import path_laws
    >>> laws = np.log([[0.5, 0.5], [0.8, 0.2]])  # two rounds, two points
    >>> probability, points = path_laws(laws, log_phi=1.0, p=0.1)
    >>> points.tolist()  # for each first point: kept, point 0 drawn, point 1 drawn
    [[0, 0], [0, 0], [0, 1], [1, 1], [1, 0], [1, 1]]
    >>> probability.round(3).tolist()
    [0.265, 0.188, 0.047, 0.066, 0.347, 0.087]
    """
    check_lottery(log_phi, p, budget)
    *batch, horizon, m = laws.shape
    paths = m * (m + 1) ** (horizon - 1)
    if paths * math.prod(batch) > _MOST_PATHS:
        raise InputError(f"paths of P-COMW: {paths} for each sequence are too many; write fewer points or rounds")
    probability, points, draws = np.exp(laws[..., 0, :]), np.arange(m)[:, None], np.zeros(m, dtype=np.intp)
    for t, keep in enumerate(np.moveaxis(keep_probabilities(laws, log_phi, p), -2, 0), start=1):
        kept = np.where(draws < budget, keep[..., points[:, -1]], 1.0)
        fresh = (1 - kept)[..., None] * np.exp(laws[..., t, :])[..., None, :]
        probability = probability[..., None] * np.concatenate([kept[..., None], fresh], axis=-1)
        probability = probability.reshape(*batch, -1)
        last = np.concatenate([points[:, -1:], np.tile(np.arange(m), (len(points), 1))], axis=1).reshape(-1, 1)
        points = np.concatenate([np.repeat(points, m + 1, axis=0), last], axis=1)
        draws = (draws[:, None] + (np.arange(m + 1) > 0)).ravel()
    return probability, points


def action_laws(probability: Array, points: Indices) -> Array:
    """Return the probability of every sequence of points, draws summed out. [mathematics/001.md#exact-paths]

    Parameters
    ----------
    probability : ndarray, shape (..., P)
        Of each path, as `path_laws` gives it.
    points : ndarray of int, shape (P, T)
        The points of each path.

    Returns
    -------
    ndarray, shape (..., m^T)
        In the lexical order of the sequences.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.paths import action_laws, path_laws
    >>> laws = np.log([[0.5, 0.5], [0.8, 0.2]])
    >>> action_laws(*path_laws(laws, log_phi=1.0, p=0.1)).round(3).tolist()  # of 00, 01, 10 and 11
    [0.453, 0.047, 0.347, 0.153]
    """
    order = np.lexsort(points.T[::-1])
    new = (np.diff(points[order], axis=0) != 0).any(axis=1)
    return np.add.reduceat(probability[..., order], np.flatnonzero(np.concatenate([[True], new])), axis=-1)


def least_epsilon(p: Array, q: Array, delta: float) -> Array:
    """Return the least epsilon at least 0 for which ``p(A) <= e^epsilon q(A) + delta`` for every event A.

    Parameters
    ----------
    p, q : ndarray, shape (..., outcomes)
        Probabilities, those of q positive wherever those of p are.
    delta : float
        In [0, 1).

    Returns
    -------
    ndarray, shape (...)

    Notes
    -----
    Sort outcomes by falling p/q. Then ``sum (p - e^epsilon q)_+`` runs over the first k of them, for some k. The
    epsilon that makes this sum delta solves an equation that is linear in ``e^epsilon``. The largest solution over
    all k is the answer.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.convex.paths import least_epsilon
    >>> p, q = np.array([0.8, 0.2]), np.array([0.4, 0.6])
    >>> [round(float(least_epsilon(p, q, delta)), 4) for delta in (0.0, 0.2, 0.5)]  # log 2, log 1.5, nothing
    [0.6931, 0.4055, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, 0.0), axis=-1, kind="stable")
        above, below = (np.take_along_axis(each, order, axis=-1).cumsum(axis=-1) for each in (p, q))
        candidates = np.where(above > delta, np.log(above - delta) - np.log(below), 0.0)
    return np.asarray(np.maximum(candidates.max(axis=-1), 0.0))
