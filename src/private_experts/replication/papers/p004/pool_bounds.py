"""Bounds of a pool of draws and of the batched dartboard, both at their best, in balls. [004, Section 4]"""

import math
from typing import Literal, NamedTuple

import numpy as np

from private_experts.algorithms.pool_parameters import PoolParameters, pool_epsilon, pool_regret
from private_experts.arrays import Array
from private_experts.privacy.conversions import concentrated_within
from private_experts.privacy.guarantees import ApproximateDP
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    log,
    log1p,
    normal_cdf,
    normal_density,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of

_BITS = 80
_RUNS = 20  # of the places of an epoch
_ORDERS = 400  # of Renyi divergences, among which the best conversion is looked for


class Dartboard(NamedTuple):
    """A batched dartboard's rate for each round, chance of a draw, batch, and most draws in lotteries."""

    rate: float
    p: float
    batch: int
    draws: int


def _spent(board: Dartboard) -> Ball:
    """Return rho: Lemma B for the lottery, whose two outcomes move in opposite directions, and for draws."""
    rate, p = ball(board.rate), ball(board.p)
    drawing = log1p((1 - p) * -expm1(-rate) / p)
    return square(rate + drawing) / 8 + board.draws * square(rate) / 2


def _often(board: Dartboard) -> Ball:
    """Return the largest chance of a draw in a lottery, after a batch in which the expert always lost."""
    return 1 - (1 - ball(board.p)) * exp(-ball(board.rate) * board.batch)


def _short(board: Dartboard, horizon: int) -> Ball:
    """Return a bound on the chance that draws run out: Chernoff's for as many trials as lotteries."""
    lotteries, often = -(-horizon // board.batch) - 1, _often(board)
    if board.draws >= lotteries:
        return ball(0)
    share = ball(board.draws + 1) / lotteries
    distance = share * log(share / often)
    if board.draws + 1 < lotteries:
        distance += (1 - share) * log((1 - share) / (1 - often))
    return exp(-lotteries * distance)


def dartboard_bound(board: Dartboard, n: int, horizon: int) -> Ball:
    """Return a bound on a batched dartboard's regret: weights of batches, and lost draws."""
    batches = -(-horizon // board.batch)
    rate = ball(board.rate)
    return log(ball(n)) / rate + rate * board.batch**2 * batches / 8 + horizon * _short(board, horizon)


def best_dartboard(n: int, horizon: int, rho: float) -> Dartboard:
    """Return the batched dartboard with nearly the least bound that costs rho, by a search in floats."""
    batch = np.unique(np.geomspace(1, max(1, horizon // 100), 80).round())[:, None]
    p = np.geomspace(1e-4, 0.499, 80)
    lotteries = np.ceil(horizon / batch) - 1

    def draws(rate: Array) -> Array:
        """Return draws that run out with a chance of about 1 / T, by Newton's method."""
        often = 1 - (1 - p) * np.exp(-rate * batch)
        share = np.minimum(1 - 1e-9, often + np.sqrt(2 * often * math.log(horizon) / lotteries))
        for _ in range(8):
            apart = share * np.log(share / often) + (1 - share) * np.log((1 - share) / (1 - often))
            slope = np.log(share * (1 - often) / ((1 - share) * often))
            share = np.minimum(1 - 1e-9, share - (apart - math.log(horizon) / lotteries) / slope)
        return np.asarray(np.ceil(share * lotteries))

    def costs(rate: Array) -> Array:
        drawing = np.log1p((1 - p) * -np.expm1(-rate) / p)
        return np.asarray((rate + drawing) ** 2 / 8 + draws(rate) * rate**2 / 2)

    # The rate that is best without privacy, or the largest below it that the level allows.
    best = 0.5 * np.log(8 * math.log(n) / (batch * horizon)) + 0 * p
    low, high = np.where(costs(np.exp(best)) <= rho, best, best - 20), best
    for _ in range(40):
        middle = (low + high) / 2
        allowed = costs(np.exp(middle)) <= rho
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    rate = np.exp(low)
    bound = math.log(n) / rate + rate * batch**2 * (lotteries + 1) / 8
    i, j = np.unravel_index(int(bound.argmin()), bound.shape)
    return Dartboard(float(rate[i, j]), float(p[j]), int(batch[i, 0]), int(draws(rate)[i, j]))


def pool_cost(parameters: PoolParameters, horizon: int) -> Ball:
    """Return rho of a pool's plays with Gaussian noise, by Theorem 1."""
    eta, epoch, scales, _, draws = parameters
    epochs = -(-horizon // epoch)
    square_sum = _square_sums(np.array([epoch - 1]))[0]
    knowing = min(int(draws) - 1, len(scales) * (epochs - 1))
    return (
        knowing * square(ball(eta)) / 2 + square_sum * sum((1 / square(ball(s)) for s in scales), ball(0)) / 2
    )


def _square_sums(places: np.ndarray) -> list[Ball]:
    """Return the sums of the first f_k^2 for increasing numbers of them."""
    sums, coefficient, total, wanted = [], ball(1), ball(0), {int(place) for place in places}
    for k in range(int(places[-1]) + 1):
        if k in wanted:
            sums.append(total)
        total += square(coefficient)
        coefficient *= 1 - ball(1) / (2 * (k + 1))
    return sums


def pool_bound(parameters: PoolParameters, n: int, horizon: int) -> Ball:
    """Return Theorem 1's bound on a pool's regret with Gaussian noise, each place for the last of its run."""
    eta, epoch, scales, shift, draws = parameters
    ends = np.unique((epoch - 1) - (np.append(np.geomspace(2e-3, 1, _RUNS - 1), 0) * (epoch - 1)).round())
    ends = ends.astype(np.int64)
    rounds = np.diff(ends, prepend=-1).tolist()
    sums = _square_sums(ends)
    rate, raise_by = ball(eta), ball(shift)
    total, lasting = ball(0), []
    for scale in scales:
        lasting.append(_lasting(rate, ends.tolist(), rounds, sums, ball(scale), raise_by))
    for end, count, grown in zip(ends.tolist(), rounds, sums, strict=True):
        before, apart = ball(1), ball(0)
        for scale in scales:
            above = raise_by * sqrt(sums[-1]) * ball(scale)
            spread = sqrt(grown) * ball(scale)
            under = ball(0)
            if grown > 0:
                reach = above / spread
                under = spread * (normal_density(reach) - reach * normal_cdf(-reach))
            apart += rate * under * before
            before *= 1 - exp(-rate * (end + above + under))
        total += count * (apart + before)
    beta = total / epoch
    return (
        log(ball(n)) / rate + rate * horizon / 8 + horizon * (beta + _beyond(lasting, draws, horizon, epoch))
    )


def _lasting(
    rate: Ball, ends: list[int], rounds: list[int], sums: list[Ball], scale: Ball, shift: Ball
) -> Ball:
    """Return the least chance of a slot to be alive in a whole epoch; any theta would do."""
    largest = sqrt(sums[-1]) * scale
    best = None
    for u in (1.6, 2.2, 3.0, 4.0):
        theta = u / largest
        moments = sum(
            (
                count * exp(theta * (end - ends[-1]) + square(theta * scale) * grown / 2)
                for end, count, grown in zip(ends, rounds, sums, strict=True)
            ),
            ball(0),
        )
        most = ends[-1] + log(moments) / theta
        best = most if best is None or most < best else best
    return exp(-rate * (shift * largest + best))


def _beyond(lasting: list[Ball], draws: float, horizon: int, epoch: int) -> Ball:
    """Return a bound on the chance that draws run out, at the best of some exponents."""
    epochs = -(-horizon // epoch)
    if draws >= len(lasting) * epochs:
        return ball(0)
    reached = [ball(1)]
    for chance in lasting:
        reached.append(reached[-1] * (1 - chance))
    reached[len(lasting)] = ball(0)
    best = ball(1)
    for t in np.geomspace(1e-4, 0.5, 60).tolist():
        mean = sum(
            ((reached[k] - reached[k + 1]) * exp(ball(t) * (k + 1)) for k in range(len(lasting))), ball(0)
        )
        tail = exp(epochs * log(mean) - ball(t) * int(draws))
        best = tail if tail < best else best
    return best


def _epsilon(rho: Ball, delta: float, near: float) -> Ball:
    """Return the epsilon that follows from rho at the best of some orders."""
    best = None
    for beyond in np.geomspace(near / 2, 2 * near, _ORDERS).tolist():
        order = 1 + ball(beyond)
        level = order * rho - log1p(1 / ball(beyond)) - log(ball(delta) * order) / beyond
        best = level if best is None or level < best else best
    assert best is not None
    return best


@precision(_BITS)
def pool_against_batches(grid: Grid) -> list[Point]:
    """Where the pool's bound is below that of the batched dartboard at the same level, and where it is not.

    The parameters of both come from searches, and bounds and levels from balls.
    """
    points = []
    for where, epsilon, horizon, n in cells_of(grid, "epsilon, T, N"):
        delta = grid["delta"]
        rho = concentrated_within(epsilon, delta)
        guarantee = ApproximateDP(epsilon, delta, "central")
        parameters = PoolParameters.for_guarantee(guarantee, n, horizon)
        board = best_dartboard(n, horizon, rho * (1 - 1e-6))
        pooled, boarded = pool_bound(parameters, n, horizon), dartboard_bound(board, n, horizon)
        sense: Literal["<=", ">="] = "<=" if [epsilon, horizon, n] in grid["ahead"] else ">="
        points.append(at_point({**where, "what": "bound"}, pooled, boarded, sense=sense))
        near = math.sqrt(-math.log(delta) / rho)
        for what, cost in {"pool": pool_cost(parameters, horizon), "dartboard": _spent(board)}.items():
            level = _epsilon(cost, delta, near)
            points.append(at_point({**where, "what": f"level of the {what}"}, level, ball(epsilon)))
        stated = {
            "program's bound": (pool_regret(parameters, n, horizon, gaussian=True), pooled),
            "program's level": (
                pool_epsilon(parameters, horizon, delta),
                _epsilon(pool_cost(parameters, horizon), delta, near),
            ),
        }
        for what, (computed, true) in stated.items():
            points.append(agreement({**where, "what": what}, computed, true, grid["apart"]))
    return points
