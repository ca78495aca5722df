"""Exact privacy of short plays of P-COMW on a few points: all paths, with an error bound. [001, Appendix D]

A path's probability is a product of at most ``2T - 1`` numbers that are rounded once.
[mathematics/001.md#exact-paths]
"""

import math
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, largest, lower, upper
from private_experts.replication.balls.sums import compound, floats, gamma
from private_experts.replication.papers.p001.exact_chains import clipped, gibbs

SURE = 1e-12  # of probabilities, relative; a product's error is a thousandth of it
_SHIFTS = [10.0**k for k in range(-9, -2)]  # of epsilon, the least that is sure counts


class Steps(NamedTuple):
    """What plays consist of, by stream, round and point; `error` is the largest relative one."""

    fresh: Array
    keep: Array
    leave: Array
    error: Ball


def steps(places: Array, streams: Array, beta: float, lam: float, log_phi: float, p: float) -> Steps:
    """Return steps of plays on streams of losses (streams, T, points). [mathematics/001.md#algorithm-1]"""
    laws = [gibbs(places, losses, beta, lam) for losses in streams]
    keeping = [[[(1 - ball(p)) * chance for chance in row] for row in clipped(law, log_phi)] for law in laws]
    leaving = [[[1 - chance for chance in row] for row in law] for law in keeping]
    fresh, keep, leave = (
        floats([chance for law in laws for row in law for chance in row]) for laws in (laws, keeping, leaving)
    )
    shape = (len(streams), -1, places.size)
    error = largest([fresh[1], keep[1], leave[1]])
    return Steps(fresh[0].reshape(shape), keep[0].reshape(shape), leave[0].reshape(shape), error)


def path_probabilities(play: Steps, budget: float) -> Array:
    """Return the probability of each path for all streams, in the order of `path_laws`."""
    count, horizon, m = play.fresh.shape
    probability, last, draws = play.fresh[:, 0], np.arange(m), np.zeros(m, dtype=np.intp)
    for t in range(horizon - 1):
        may = draws < budget
        stay = np.where(may, play.keep[:, t, last], 1.0)
        move = np.where(may, play.leave[:, t, last], 0.0)[..., None] * play.fresh[:, t + 1, None, :]
        probability = (probability[..., None] * np.concatenate([stay[..., None], move], axis=-1)).reshape(
            count, -1
        )
        last = np.concatenate([last[:, None], np.tile(np.arange(m), (last.size, 1))], axis=1).ravel()
        draws = (draws[:, None] + (np.arange(m + 1) > 0)).ravel()
    # each is rounded, and multiplied once
    assert compound(play.error + gamma(1), 2 * horizon - 1) < SURE / 100
    return probability


def epsilon_around(p: Array, q: Array, delta: float, computed: float, worst: int) -> Ball:
    """Return a ball around the largest least epsilon of pairs (pairs, paths), which is at `worst`."""
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
