"""What each step of a play on a line gives away: probabilities and privacy losses in floats, with bounds on errors.

An outcome's share of the privacy loss is the logarithm of its probability's ratio to that under the other stream.
[mathematics/001.md#exact-delta]
"""

from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log1p
from private_experts.replication.balls.elementary import EXP_STEPS, exps, logs
from private_experts.replication.balls.sums import compound, gamma


class Step(NamedTuple):
    """An outcome of a kind of step: chances (rounds, points) under the first stream, and logarithms of their ratios."""

    chances: Array
    losses: Array


class LossSteps(NamedTuple):
    """All steps of a play of T rounds; with no lotteries if every round draws."""

    fresh: Step
    keep: Step
    leave: Step
    each_off: Ball
    off: Ball
    moved: Ball


class _Side(NamedTuple):
    """One stream: logarithms and values of probabilities of draws, (T, points), and of both outcomes of lotteries."""

    log_fresh: Array
    fresh: Array
    log_keep: Array  # but for log(1 - p), which both streams share
    keep: Array
    log_leave: Array
    leave: Array


class _Errors(NamedTuple):
    """How far any number of a `_Side` is off: logarithms absolutely, probabilities relatively."""

    log_fresh: Ball
    fresh: Ball
    log_keep: Ball
    keep: Ball
    log_leave: Ball
    leave: Ball


def loss_steps(points: Array, slopes: Array, beta: float, lam: float, log_phi: float, p: float) -> LossSteps:
    """Return the steps of a play on the first of two streams, whose slopes (2, T) have sums exact in floats."""
    (one, errors), (two, others) = (_side(points, each, beta, lam, log_phi, p) for each in slopes)
    worst = _Errors(*(largest(pair) for pair in zip(errors, others, strict=True)))
    rounds = slopes.shape[1]
    off = compound(largest([worst.fresh, worst.keep, worst.leave]), 2 * rounds - 1)  # so many factors has a path
    _needs_digits(off)
    apart = [np.abs(a).max(initial=0) for side in (one, two) for a in (side.log_fresh, side.log_keep, side.log_leave)]
    rounding = 2 * ball(float(max(apart))) * gamma(1)  # of a difference of two logarithms
    fresh, keep, leave = (2 * each + rounding for each in (worst.log_fresh, worst.log_keep, worst.log_leave))
    moved = fresh + (rounds - 1) * keep.max(leave + fresh)
    return LossSteps(
        Step(one.fresh, one.log_fresh - two.log_fresh),
        Step(one.keep, one.log_keep - two.log_keep),
        Step(one.leave, one.log_leave - two.log_leave),
        largest([worst.fresh, worst.keep]),
        off,
        moved,
    )


def _needs_digits(error: Ball) -> None:
    """Raise an error unless a relative error is surely below 1, which bounds that follow from it need."""
    if not error < 1:
        raise ArithmeticError(f"a probability is known to no digit: it is off by {error} of itself")


def _side(points: Array, slopes: Array, beta: float, lam: float, log_phi: float, p: float) -> tuple[_Side, _Errors]:
    """Return one stream's probabilities, and their errors."""
    sums = np.concatenate([[0.0], slopes[:-1].cumsum()])[:, None]
    exponents = -beta * (sums * points + lam * (points * points) / 2)  # at most four roundings of each term
    size = ball(float((beta * (np.abs(sums * points) + lam * (points * points) / 2)).max())) * (1 + gamma(8))
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
    fresh, of_fresh = weights / masses, (1 + weight) * (1 + gamma(1)) / (1 - mass) - 1
    if p == 1:
        none = np.empty((0, points.size))
        nothing = _Side(log_fresh, fresh, none, none, none, none)
        return nothing, _Errors(of_log, of_fresh, *[ball(0)] * 4)

    log_keep = (np.diff(log_fresh, axis=0) - log_phi).clip(-2 * log_phi, 0.0)
    of_log_keep = 2 * of_log + gamma(2) * 2 * (2 * size + log1p(points.size) + 1 + log_phi)  # clipping adds nothing
    keep = (1 - p) * exps(log_keep)
    of_keep = (1 + gamma(EXP_STEPS + 2)) * exp(of_log_keep) - 1
    leave = 1 - keep
    least = float(leave.min())
    share = of_keep / least + gamma(2)  # of what was computed, as no probability of keeping is above 1
    _needs_digits(share)
    log_leave, log_error = logs(leave)
    side = _Side(log_fresh, fresh, log_keep, keep, log_leave, leave)
    return side, _Errors(of_log, of_fresh, of_log_keep, of_keep, log_error - log1p(-share), share / (1 - share))
