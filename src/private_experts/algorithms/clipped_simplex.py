"""The clipped simplex, distributions with entries of at least a floor: its projection, and a walk on it.

[mathematics/004.md#projection]
"""

import functools

import numpy as np

from private_experts.arrays import Array

# how far sums may be from 1; when the floor leaves less above it, the uniform law is returned
_ROUNDING = 1e-12
_SUMMED = 2.0**-50  # for each entry: what rounding may do to a sum
_HOPEFUL = 8  # rounds that are taken together at first
_CAREFUL = 64  # rounds at most that are projected before some are taken together again


def project(u: Array, floor: float) -> Array:
    """Return the distribution nearest to u in relative entropy, with all entries at least `floor`.

    It is ``max(floor, c u)``, where c makes the sum 1. [mathematics/004.md#projection] A step of the fixed
    point, from above, is as a rule enough. Otherwise Newton's steps follow, which only ever move entries to
    the floor. They end when the sum is 1 up to 1e-12, and at the exact c at the latest. Nothing is sorted.
    `u` has shape (..., n), and is at least 0 and not all 0; `floor` lies in [0, 1/n].
    """
    ones, floors, lowest, spare = _prepared(u.shape[-1], floor)
    # The simplex is then one point up to rounding, and c would be a quotient of rounding errors.
    if spare < _ROUNDING:
        return np.full(u.shape, 1 / u.shape[-1])
    w, sums = np.empty(u.shape), np.empty((*u.shape[:-1], 1))
    _one_step(u, ones, floors, lowest, sums, w)
    while True:
        w.dot(ones, sums)
        if not sums.item(sums.argmax()) > 1 + _ROUNDING + u.shape[-1] * _SUMMED:  # nan ends it as well
            return w
        # Newton's step for the piecewise linear sum: entries above the floor share what the others leave.
        kept = (w > floor).astype(np.float64)
        np.multiply(u, (spare + floor * kept.dot(ones)) / np.vecdot(u, kept)[..., None], out=w)
        np.maximum(w, lowest, out=w)


def follow(weights: Array, factors: Array, floor: float) -> None:
    """Multiply weights by factors and project, in each round: ``w_{t+1} = project(w_t f_t, floor)``.

    Some rounds are taken as if a step of the fixed point were enough in each of them, and then looked at:
    twice as many as before while it was, and few after a round for which it was not. Where it seldom is, more
    and more rounds are projected one by one in between. The first entry of `weights`, shape (T + 1, rows, n),
    is what to begin with, and the others are written: those of `project` to the last bit. `factors` are
    positive, shape (T, rows or 1, n).
    """
    played, hopeful, careful = 0, _HOPEFUL, 1
    while played < len(factors):
        part = factors[played : played + hopeful]
        right = _followed_hopefully(weights[played : played + len(part) + 1], part, floor)
        played += right
        if right == len(part):
            hopeful *= 2
            continue
        hopeful, careful = _HOPEFUL, 1 if right > 1 else min(2 * careful, _CAREFUL)
        for t in range(played, min(played + careful, len(factors))):
            weights[t + 1] = project(weights[t] * factors[t], floor)
            played = t + 1


def _followed_hopefully(weights: Array, factors: Array, floor: float) -> int:
    """Write weights of rounds as if one step were enough in each, and return in how many it surely was."""
    ones, floors, lowest, spare = _prepared(weights.shape[-1], floor)
    if spare < _ROUNDING:
        return 0
    u, sums = np.empty(weights.shape[1:]), np.empty((*weights.shape[1:-1], 1))
    for now, coming, factor in zip(weights, weights[1:], factors, strict=False):
        np.multiply(now, factor, u)
        _one_step(u, ones, floors, lowest, sums, coming)
    # Sums in another order differ by less than what `project` allows for beyond this. Rounds behind the first
    # wrong one started from a wrong point.
    sure = (weights[1:].dot(ones) <= 1 + _ROUNDING).all(axis=(1, 2))
    return len(sure) if sure.all() else int(sure.argmin())


def _one_step(u: Array, ones: Array, floors: Array, lowest: Array, sums: Array, w: Array) -> None:
    """Write to w a step of the fixed point; `sums` is room for the sums of rows.

    The sum of ``max(floor / c, u)`` is ``1 / c``. A step from ``1 / c = sum(u)`` leaves less than n floor
    times the error. Five calls: with few numbers each costs as much as what it computes.
    """
    u.dot(floors, sums)
    np.maximum(u, sums, out=w)
    w.dot(ones, sums)
    np.divide(u, sums, w)
    np.maximum(w, lowest, out=w)


@functools.lru_cache(maxsize=8)
def _prepared(n: int, floor: float) -> tuple[Array, Array, Array, float]:
    """Return columns of ones and of the floor, the floor, and what is above it.

    A product with a column is the fastest way to sum, and an array is taken in faster than a number.
    """
    ones, floors, lowest = np.ones((n, 1)), np.full((n, 1), floor), np.array(floor)
    for shared in ones, floors, lowest:
        # The cache hands the same arrays to all callers: one that wrote to them would change every
        # projection.
        shared.flags.writeable = False
    return ones, floors, lowest, 1 - floor * n
