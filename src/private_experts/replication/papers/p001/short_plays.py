"""Exact privacy of short plays of P-COMW on a few points: all paths, with an error bound. [001, Appendix D]

A path's probability is a product of at most ``2T - 1`` numbers that are rounded once. [mathematics/001.md#exact-paths]
"""

import math
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, lower, upper
from private_experts.replication.balls.sums import compound, floats, gamma

SURE = 1e-12  # of probabilities, relative; a product's error is a thousandth of it
_SHIFTS = [10.0**k for k in range(-9, -2)]  # of epsilon, the least that is sure counts


class Steps(NamedTuple):
    """What a play consists of, by the losses so far: each entry has the shape (losses so far, points)."""

    fresh: list[Array]
    keep: list[Array]
    leave: list[Array]
    error: Ball


def steps(places: Array, alphabet: Array, rounds: int, beta: float, lam: float, log_phi: float, p: float) -> Steps:
    """Return the steps for all streams of an alphabet (letters, points); the lowest digit is the first loss."""
    weights = [[exp(-ball(beta) * lam * ball(x) ** 2 / 2) for x in places.tolist()]]
    factors = [[exp(-ball(beta) * each) for each in losses] for losses in alphabet.tolist()]
    least, most = exp(-2 * ball(log_phi)), exp(ball(log_phi))
    fresh, keep, leave, error = [], [], [], ball(0)
    earlier: list[list[Ball]] = []

    def taken(rows: list[list[Ball]]) -> Array:
        nonlocal error
        found, off = floats([each for row in rows for each in row])
        error = error.max(off)
        return found.reshape(len(rows), -1)

    for t in range(rounds):
        laws = [[each / sum(row, ball(0)) for each in row] for row in weights]
        fresh.append(taken(laws))
        if t:
            ratios = [
                [(after / before / most).max(least).min(ball(1)) for before, after in zip(*pair, strict=True)]
                for pair in zip(earlier * len(alphabet), laws, strict=True)  # the last loss is the highest digit
            ]
            kept = [[(1 - ball(p)) * each for each in row] for row in ratios]
            keep.append(taken(kept))
            leave.append(taken([[1 - each for each in row] for row in kept]))
        earlier = laws
        weights = [[w * f for w, f in zip(row, factor, strict=True)] for factor in factors for row in weights]
    return Steps(fresh, keep, leave, error)


def path_probabilities(play: Steps, letters: int, budget: float) -> Array:
    """Return the probability of each path for all streams, in the order of `path_laws`."""
    streams = np.arange(letters ** len(play.keep))
    m = play.fresh[0].shape[1]
    probability = np.repeat(play.fresh[0], len(streams), axis=0)
    last, draws = np.arange(m), np.zeros(m, dtype=np.intp)
    for t, (fresh, keep, leave) in enumerate(zip(play.fresh[1:], play.keep, play.leave, strict=True), start=1):
        so_far = streams % letters**t
        may = draws < budget
        kept = np.where(may, keep[so_far][:, last], 1.0)
        drawn = np.where(may, leave[so_far][:, last], 0.0)[..., None] * fresh[so_far][:, None, :]
        probability = (probability[..., None] * np.concatenate([kept[..., None], drawn], axis=-1)).reshape(
            len(kept), -1
        )
        last = np.concatenate([last[:, None], np.tile(np.arange(m), (last.size, 1))], axis=1).ravel()
        draws = (draws[:, None] + (np.arange(m + 1) > 0)).ravel()
    factors = 2 * len(play.fresh) - 1
    assert compound(play.error + gamma(1), factors) < SURE / 100  # each is rounded, and multiplied once
    return probability


def epsilon_around(p: Array, q: Array, delta: float, computed: float, worst: int) -> Ball:
    """Return a ball around the largest least epsilon of pairs (pairs, paths), computed and largest at `worst`."""
    for shift in _SHIFTS if computed else [0.0, *_SHIFTS]:
        reached = computed <= shift or _excess(p[worst], q[worst], computed - shift, -1) > delta
        if reached and _excess(p, q, computed + shift, 1) <= delta:
            return ball(max(computed - shift, 0.0), computed + shift)
    return ball(math.nan)


def _excess(p: Array, q: Array, epsilon: float, side: int) -> float:
    """Return a float surely above (side 1) or below (-1) the largest sum of ``p - e^epsilon q`` above 0."""
    grown = lower(exp(ball(epsilon))) if side > 0 else upper(exp(ball(epsilon)))
    gains = p * (1 + side * SURE) - q * (grown * (1 - side * SURE))
    return float(np.maximum(gains, 0.0).sum(axis=-1).max()) * (1 + side * SURE)
