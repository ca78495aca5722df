"""The chain of draws and point between two bounds, in floats whose rounding is bounded. [001, Section 4]

All sums and products are of numbers that are not negative, so they grow with what goes in.
[mathematics/001.md#exact-laws]
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, lower, near, upper
from private_experts.replication.balls.sums import NORMAL, gamma

_WIDER = 2.0**-49  # more than eight roundings


class Between(NamedTuple):
    """Numbers between two arrays of floats."""

    low: Array
    high: Array


class Lotteries(NamedTuple):
    """Chances to keep and to leave each point at each lottery, and whether surely no ratio is clipped."""

    keep: Between
    leave: Between
    unclipped: bool


def gibbs(points: Array, losses: Array, beta: float, lam: float) -> list[list[Ball]]:
    """Return the Gibbs measures mu_1 to mu_T on numbers, for losses (T, points) taken as exact."""
    weights = [exp(-ball(beta) * lam * ball(x) * x / 2) for x in points.tolist()]
    laws = []
    for row in losses.tolist():
        total = sum(weights, ball(0))
        # mu_t from the losses before round t: the weights are updated after it.
        laws.append([weight / total for weight in weights])
        weights = [weight * exp(-beta * ball(loss)) for weight, loss in zip(weights, row, strict=True)]
    return laws


def between(rows: Sequence[Sequence[Ball]]) -> Between:
    """Return floats below and above positive balls that are known to more digits, all normal."""
    # Then the nearest float is off by one rounding, and `_WIDER` covers it.
    assert all(mass.rel_accuracy_bits() > 60 for row in rows for mass in row)
    middle = np.array([[near(mass) for mass in row] for row in rows])
    assert middle.min() >= NORMAL
    return _wider(middle, middle)


def lotteries(laws: Between, log_phi: float, p: float) -> Lotteries:
    """Return the lotteries between measures at a scale Phi, with a draw of probability p at any loss."""
    phi, square = (exp(ball(exponent)) for exponent in (log_phi, 2 * log_phi))
    ratio = _wider(laws.low[1:] / laws.high[:-1], laws.high[1:] / laws.low[:-1])
    # Sure on both sides: log-ratios within log Phi are not clipped by [Phi^-2, 1] after division by Phi.
    unclipped = bool(
        (ratio.low * lower(phi) >= 1 + _WIDER).all() and (ratio.high * (1 + _WIDER) <= lower(phi)).all()
    )
    scaled = _wider(ratio.low / upper(phi), ratio.high / lower(phi))
    # Clipping is monotone, so it may be done at both ends.
    keep = Between(scaled.low.clip(lower(1 / square), 1.0), scaled.high.clip(upper(1 / square), 1.0))
    if p:  # else nothing is rounded
        keep = _wider((1 - p) * keep.low, (1 - p) * keep.high)
    # The ends change places, as one minus falls.
    leave = _wider(1 - keep.high, 1 - keep.low)
    return Lotteries(keep, Between(leave.low.clip(0.0), leave.high), unclipped)


def joint(laws: Between, lots: Lotteries, budget: float = math.inf) -> Between:
    """Return the joint law of the draws so far and the point in the last round, (draws, points)."""
    return joint_in(laws, lots, budget, [len(laws.low)])[0]


def joint_in(laws: Between, lots: Lotteries, budget: float, rounds: Sequence[int]) -> list[Between]:
    """Return the same in several rounds, which rise, as `joint_laws` does in all."""
    joints = [law.copy() for t, law in enumerate(_rounds(laws, lots, budget), start=1) if t in rounds]
    # A round takes a product and a sum over the points, all of positive numbers: relative errors add up by
    # rounds.
    return [
        _with_rounding(law[0], law[1], (law.shape[2] + 3) * t) for law, t in zip(joints, rounds, strict=True)
    ]


def point_laws(laws: Between, lots: Lotteries, budget: float = math.inf) -> Between:
    """Return the law of the point in each round, (T, points), whatever the draws so far."""
    horizon, m = laws.low.shape
    both_ends = np.array([law.sum(axis=1) for law in _rounds(laws, lots, budget)])
    return _with_rounding(both_ends[:, 0], both_ends[:, 1], (m + 4) * horizon)


def marginal(law: Between, axis: int = 1) -> Between:
    """Return sums over the points, by the number of draws; or over the draws, by the point."""
    return _with_rounding(law.low.sum(axis=axis), law.high.sum(axis=axis), law.low.shape[axis])


def more_draws(law: Between, most: int) -> Ball:
    """Return a ball around the probability of more than so many draws."""
    low, high = (end[most + 1 :].sum() for end in law)
    return ball(*(float(end) for end in _with_rounding(low, high, law.low.size)))


def drift(law: Between, ideal: Between) -> Ball:
    """Return a ball around the total variation distance of two laws of a point."""
    # The least distance of two intervals is 0 where they overlap.
    least = np.maximum(np.maximum(law.low - ideal.high, ideal.low - law.high), 0.0)
    most = np.maximum(law.high - ideal.low, ideal.high - law.low)
    low, high = _with_rounding(least.sum(), most.sum(), len(most) + 1)
    return ball(float(low), float(high)) / 2


def clipped(laws: Sequence[Sequence[Ball]], log_phi: float) -> list[list[Ball]]:
    """Return the probabilities of keeping each point at each lottery, apart from p, in balls."""
    phi = exp(ball(log_phi))
    most, least = ball(1), 1 / (phi * phi)
    return [
        [(after / (before * phi)).min(most).max(least) for before, after in zip(*pair, strict=True)]
        for pair in pairwise(laws)
    ]


def exact_drifts(
    laws: Sequence[Sequence[Ball]], keep: Sequence[Sequence[Ball]], p: float, rounds: Sequence[int]
) -> list[Ball]:
    """Return the point's total variation distance from mu_t in some rounds, without a budget, as balls."""
    law, drifts = list(laws[0]), []
    for t, now in enumerate(laws, start=1):
        if t > 1:
            stay = [(1 - ball(p)) * chance for chance in keep[t - 2]]
            moved = sum((mass * (1 - one) for mass, one in zip(law, stay, strict=True)), ball(0))
            law = [mass * one + moved * fresh for mass, one, fresh in zip(law, stay, now, strict=True)]
        if t in rounds:
            drifts.append(sum((abs(mass - ideal) for mass, ideal in zip(law, now, strict=True)), ball(0)) / 2)
    return drifts


def _with_rounding(low: Array, high: Array, steps: int) -> Between:
    """Return the bounds on numbers that were rounded so often, or lost in part as they were too small."""
    off, lost = upper(gamma(steps + 4)), NORMAL * steps**2  # four more roundings, here
    return Between(np.maximum(low * (1 - off) - lost, 0.0), high * (1 + off) + lost)


def _rounds(laws: Between, lots: Lotteries, budget: float) -> Iterator[Array]:
    """Yield the joint laws of each round from both ends, (2, draws, points). Each overwrites the last."""
    fresh, keep, leave = (np.stack(ends) for ends in (laws, lots.keep, lots.leave))
    most = int(min(np.ceil(budget), keep.shape[1]))
    law, leaving = np.zeros((2, 2, most + 1, fresh.shape[2]))
    law[:, 0] = fresh[:, 0]
    yield law
    for t in range(1, fresh.shape[1]):
        possible = min(t, most) + 1  # so many numbers of draws are possible
        # In place and with one buffer, as the joint law of draws and points is large.
        np.multiply(law[:, :possible], leave[:, t - 1, None], out=leaving[:, :possible])
        law[:, :possible] *= keep[:, t - 1, None]
        law[:, 1:possible] += fresh[:, t, None] * leaving[:, : possible - 1].sum(axis=2, keepdims=True)
        if possible > most:
            law[:, most] += leaving[:, most]  # once the budget is spent, the point stays
        yield law


def _wider(low: Array, high: Array) -> Between:
    return Between(low * (1 - _WIDER), high * (1 + _WIDER))
