"""The chain of draws and point between two bounds, in floats whose rounding is bounded. [001, Section 4]

What goes in lies between two floats. What comes out is made of sums and products of numbers that are not negative. So
it grows with each of them, and lies between what the two ends give, apart from rounding.
[mathematics/001.md#exact-laws]
"""

import math
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from private_experts.replication.claims.certified.balls import ball, exp, lower, upper
from private_experts.replication.claims.certified.sums import NORMAL, gamma

Array = NDArray[np.float64]

_WIDER = 2.0**-49  # more than eight roundings


class Between(NamedTuple):
    """Numbers between two arrays of floats."""

    low: Array
    high: Array


class Lotteries(NamedTuple):
    """Probabilities of keeping and of leaving each point at each lottery, and whether surely no ratio is clipped."""

    keep: Between
    leave: Between
    unclipped: bool


def measures(points: Array, losses: Array, beta: float, lam: float) -> Between:
    """Return the Gibbs measures of mu_1 to mu_T on numbers, (T, m), for losses that are exact as they stand."""
    weights = [exp(-ball(beta) * lam * ball(x) * x / 2) for x in points.tolist()]
    laws = []
    for row in losses.tolist():
        total = sum(weights, ball(0))
        laws.append([weight / total for weight in weights])
        weights = [weight * exp(-beta * ball(each)) for weight, each in zip(weights, row, strict=True)]
    return Between(*(np.array([[end(each) for each in law] for law in laws]) for end in (lower, upper)))


def lotteries(laws: Between, log_phi: float, p: float) -> Lotteries:
    """Return the lotteries between measures, at a scale Phi and a probability p of a draw whatever the loss."""
    phi, square = (exp(ball(each)) for each in (log_phi, 2 * log_phi))
    ratio = _wider(laws.low[1:] / laws.high[:-1], laws.high[1:] / laws.low[:-1])
    unclipped = bool((ratio.low * lower(phi) >= 1 + _WIDER).all() and (ratio.high * (1 + _WIDER) <= lower(phi)).all())
    scaled = _wider(ratio.low / upper(phi), ratio.high / lower(phi))
    keep = Between(scaled.low.clip(lower(1 / square), 1.0), scaled.high.clip(upper(1 / square), 1.0))
    if p:  # else nothing is rounded
        keep = _wider((1 - p) * keep.low, (1 - p) * keep.high)
    leave = _wider(1 - keep.high, 1 - keep.low)
    return Lotteries(keep, Between(leave.low.clip(0.0), leave.high), unclipped)


def joint(laws: Between, lots: Lotteries, budget: float = math.inf) -> Between:
    """Return the joint law of the draws so far and the point in the last round, (draws, points), as `joint_laws` does.

    From one round to the next a number is rounded once for each point in a sum over points, and three times besides.
    """
    horizon, m = laws.low.shape
    low, high = (
        deque(_rounds(*each, budget), maxlen=1).pop() for each in zip(laws, lots.keep, lots.leave, strict=True)
    )
    return _with_rounding(low, high, (m + 3) * horizon)


def point_laws(laws: Between, lots: Lotteries, budget: float = math.inf) -> Between:
    """Return the law of the point in each round, (T, points), whatever the draws so far."""
    horizon, m = laws.low.shape
    low, high = (
        np.array([law.sum(axis=0) for law in _rounds(*each, budget)])
        for each in zip(laws, lots.keep, lots.leave, strict=True)
    )
    return _with_rounding(low, high, (m + 4) * horizon)


def totals(law: Between) -> Between:
    """Return sums over the points, by the number of draws."""
    return _with_rounding(law.low.sum(axis=1), law.high.sum(axis=1), law.low.shape[1])


def _with_rounding(low: Array, high: Array, steps: int) -> Between:
    """Return the bounds on numbers that were rounded so often, or lost in part because they were too small."""
    off, lost = 2 * upper(gamma(steps)), NORMAL * steps**2
    return Between(np.maximum(low * (1 - off) - lost, 0.0), high * (1 + off) + lost)


def _rounds(laws: Array, keep: Array, leave: Array, budget: float) -> Iterator[Array]:
    """Yield the joint law of each round, (draws, points). It is overwritten in the next round."""
    most = int(min(np.ceil(budget), len(keep)))
    law, left = np.zeros((most + 1, laws.shape[1])), np.empty((most + 1, laws.shape[1]))
    law[0] = laws[0]
    yield law
    for t in range(1, len(laws)):
        seen = min(t, most) + 1  # so many numbers of draws are possible
        np.multiply(law[:seen], leave[t - 1], out=left[:seen])
        law[:seen] *= keep[t - 1]
        law[1:seen] += laws[t] * left[: seen - 1].sum(axis=1, keepdims=True)
        if seen > most:
            law[most] += left[most]  # once the budget is spent, the point stays
        yield law


def _wider(low: Array, high: Array) -> Between:
    return Between(low * (1 - _WIDER), high * (1 + _WIDER))
