"""What each step of a play on a line gives away: chances and privacy losses in floats, with bounds on errors.

An outcome's share of the privacy loss is the logarithm of its probability's ratio to that under the other
stream. [mathematics/001.md#exact-delta]
"""

from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log1p
from private_experts.replication.balls.elementary import EXP_STEPS, exps, logs
from private_experts.replication.balls.sums import compound, gamma


class Step(NamedTuple):
    """An outcome of a kind of step: chances (rounds, points) under the first stream, and their log-ratios."""

    chances: Array
    losses: Array


class LossSteps(NamedTuple):
    """All steps of a play of T rounds; with no lotteries if every round draws."""

    fresh: Step
    keep: Step
    leave: Step
    each_off: Ball  # by how much any probability of a draw, or of keeping, is off at most, relative
    off: Ball  # the same of a path
    moved: Ball  # by how much the privacy loss of any path is off at most


class _Outcome(NamedTuple):
    """A step's outcome under one stream: probabilities by round and point, and at most how far off."""

    logs: Array  # of keeping but for log(1 - p), which both streams share
    chances: Array
    logs_off: Ball  # absolute
    off: Ball  # relative


def loss_steps(points: Array, slopes: Array, beta: float, lam: float, log_phi: float, p: float) -> LossSteps:
    """Return the steps of a play on the first of two streams, whose slopes (2, T) sum exactly in floats."""
    pairs = list(zip(*(_outcomes(points, stream, beta, lam, log_phi, p) for stream in slopes), strict=True))
    rounds = slopes.shape[1]
    fresh_off, keep_off, leave_off = (one.off.max(two.off) for one, two in pairs)
    # A path's probability is a product of a draw and, for each later round, of keeping, or of leaving and a
    # draw.
    off = compound(largest([fresh_off, keep_off, leave_off]), 2 * rounds - 1)  # so many factors has a path
    _needs_digits(off)
    size = max(np.abs(outcome.logs).max(initial=0) for pair in pairs for outcome in pair)
    rounding = 2 * ball(float(size)) * gamma(1)  # of a difference of two logarithms
    fresh, keep, leave = (2 * one.logs_off.max(two.logs_off) + rounding for one, two in pairs)
    # Absolute errors of logarithms add up along a path; the worse outcome of each round counts.
    moved = fresh + (rounds - 1) * keep.max(leave + fresh)
    fresh_step, keep_step, leave_step = (Step(one.chances, one.logs - two.logs) for one, two in pairs)
    return LossSteps(fresh_step, keep_step, leave_step, fresh_off.max(keep_off), off, moved)


def _needs_digits(error: Ball) -> None:
    """Raise an error unless a relative error is surely below 1, which bounds that follow from it need."""
    if not error < 1:
        raise ArithmeticError(f"a probability is known to no digit: it is off by {error} of itself")


def _outcomes(
    points: Array, slopes: Array, beta: float, lam: float, log_phi: float, p: float
) -> list[_Outcome]:
    """Return the three outcomes under one stream: a draw, keeping a point, and not keeping it."""
    sums = np.concatenate([[0.0], slopes[:-1].cumsum()])[:, None]
    exponents = -beta * (sums * points + lam * (points * points) / 2)  # at most four roundings of each term
    size = ball(float((beta * (np.abs(sums * points) + lam * (points * points) / 2)).max())) * (1 + gamma(8))
    # The largest weight is 1, so that masses neither overflow nor vanish.
    exponents -= exponents.max(axis=1, keepdims=True)  # one rounding of what is at most twice the size
    error = gamma(6) * size
    weights = exps(exponents)
    masses = weights.sum(axis=1, keepdims=True)
    weight = (1 + gamma(EXP_STEPS)) * exp(error) - 1
    mass = (1 + weight) * (1 + gamma(points.size)) - 1
    _needs_digits(mass)
    log_masses, log_error = logs(masses)
    log_fresh = exponents - log_masses  # one rounding
    of_log = error - log1p(-mass) + log_error + gamma(1) * (2 * size + log1p(points.size) + 1)
    of_fresh = (1 + weight) * (1 + gamma(1)) / (1 - mass) - 1
    fresh = _Outcome(log_fresh, weights / masses, of_log, of_fresh)
    if p == 1:
        none = np.empty((0, points.size))
        return [fresh, *[_Outcome(none, none, ball(0), ball(0))] * 2]

    # In logarithms: a ratio of tiny masses would lose its digits.
    log_keep = (np.diff(log_fresh, axis=0) - log_phi).clip(-2 * log_phi, 0.0)
    # clipping adds nothing
    of_log_keep = 2 * of_log + gamma(2) * 2 * (2 * size + log1p(points.size) + 1 + log_phi)
    keep = (1 - p) * exps(log_keep)
    of_keep = (1 + gamma(EXP_STEPS + 2)) * exp(of_log_keep) - 1
    leave = 1 - keep
    # One minus a number near 1 magnifies its error: by 1 / leave at most, which the check below watches.
    least = float(leave.min())
    share = of_keep / least + gamma(2)  # of what was computed, as no probability of keeping is above 1
    _needs_digits(share)
    log_leave, log_error = logs(leave)
    return [
        fresh,
        _Outcome(log_keep, keep, of_log_keep, of_keep),
        _Outcome(log_leave, leave, log_error - log1p(-share), share / (1 - share)),
    ]
