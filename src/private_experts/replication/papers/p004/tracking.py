"""What the plays of Algorithm 2 tell of one row, by an event's chance. [mathematics/004.md#tracking-plays]

In block A, the rounds 2^k..2^(k+1)-1, and in the next one, B, expert 0 is played. The last row of A is
replaced. It enters the selection for B, where expert 1 leads, and the queries of windows that begin in A. The
event: expert 0 is played through A, and through B up to a stretch of rounds in which another expert comes
first.
"""

from bisect import bisect_left

import numpy as np

from private_experts.algorithms.restarting_leader import printed_allowance
from private_experts.arrays import Array
from private_experts.privacy.above_threshold import accuracy
from private_experts.replication.balls.balls import Ball, ball, exp, log, near, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p004.event import allowances, ending, hazards, selected

Bounds = tuple[Ball, Ball]


def thresholds(n: int, horizon: int, epsilon: float, sensitivity: float) -> Array:
    """Return the thresholds of all windows by their number of rounds, (T + 1,), at beta = 1 / T."""
    lengths = np.maximum(np.arange(horizon + 1.0), 1.0)
    alpha = accuracy(horizon**2, epsilon / 2, 1 / horizon, sensitivity)
    return printed_allowance(lengths, n, horizon, epsilon, 1 / horizon) + alpha + 1


def gains(horizon: int, stages: tuple[int, int, int], moved: bool) -> Array:
    """Return the gains of experts 0, 1 and 2 by round, (T + 1, 3); row 0 is empty.

    In A expert 1 is 260 rounds behind expert 0 and, at the end, 300 ahead. In B 1 and 2 pull ahead of 0, then
    1 falls back, then 2 pulls ahead alone.
    """
    start = horizon // 4
    played = np.zeros((horizon + 1, 3))
    played[start : start + 1500] = 1.0
    played[start + 1500 : start + 1760] = (1, 0, 1)
    played[2 * start - 301 : 2 * start - 1] = (0, 1, 0)
    played[2 * start - 1] = (0, 1, 0) if moved else (1, 0, 1)
    at = 2 * start
    for length, row in zip(stages, ((0, 1, 1), (1, 0, 1), (0, 0, 1)), strict=True):
        played[at : at + length] = row
        at += length
    return played


def queries(ahead: Array, limits: Array, t: int) -> Array:
    """Return the queries of windows that end with round t."""
    before = ahead.shape[1] // 4
    return np.asarray((ahead[:, t, None] - ahead[:, before:t]).max(axis=0) - limits[t - before : 0 : -1])


def _totals_ahead(rows: Array) -> Array:
    return np.ascontiguousarray(np.cumsum(rows - rows[:, :1], axis=0).T)


def stages_for(horizon: int, limits: Array, highest: tuple[float, float], fall: int) -> tuple[int, int, int]:
    """Return the lengths of the stages of B, so that the largest query ends at the heights given."""
    room, half = horizon // 2 - fall, horizon // 2
    whole = _totals_ahead(gains(horizon, (room, 0, 0), False))
    first = 1 + bisect_left(
        range(1, room), highest[0], key=lambda n: queries(whole, limits, half - 1 + n).max()
    )
    whole = _totals_ahead(gains(horizon, (first, fall, room - first), False))
    end = half - 1 + first + fall
    last = 1 + bisect_left(
        range(1, room - first), highest[1], key=lambda n: queries(whole, limits, end + n).max()
    )
    return first, fall, last


def chances(grid: Grid, sensitivity: float) -> tuple[Bounds, Bounds, Ball]:
    """Return bounds on the event's chances under both neighbours, over that of playing 0 in A, and a slack.

    They leave out that a phase ends unseen, as the new one plays expert 0 at once, or before B. The slack
    bounds both.
    """
    n, horizon, epsilon = int(grid["N"]), grid["T"], grid["epsilon"]
    limits, exact = thresholds(n, horizon, epsilon, sensitivity), allowances(n, horizon, epsilon, sensitivity)
    stages = stages_for(horizon, limits, grid["highest"], grid["fall"])
    half, scale = horizon // 2, 8 * sensitivity / epsilon  # of a query's noise at the level epsilon / 2
    both, slack = [], ball(0)
    for moved in (False, True):
        rows = gains(horizon, stages, moved)
        last = [half, half + stages[0] + stages[1], half + sum(stages)]
        early, before, within = hazards(_totals_ahead(rows), limits, exact, last, scale)
        scores = [int(total) for total in rows[horizon // 4 : half].sum(axis=0)]
        picked, ended = selected(scores, n - 3, 4 / ball(epsilon)), ending(before, within)
        both.append((picked[0] * ended[0], picked[1] * ended[1]))
        unseen = picked[1] * exp(ball(epsilon) / 2) / n
        assert early.series[0] == 0  # in A all queries are far below 0
        # Given the threshold's noise a phase ends in A with a probability of at most y times `more`, and E y
        # is 4/3.
        slack = slack.max(unseen + ball(4) / 3 * early.more * n)  # playing 0 in A has the probability 1 / n
    return both[0], both[1], slack


def _evidence(grid: Grid, value: Ball, likelier: Bounds, rarer: Bounds, slack: Ball) -> list[Point]:
    notes = {"likelier": near(likelier[0]), "rarer": near(rarer[0]), "slack": near(slack)}
    return [
        at_point({name: grid[name] for name in ("N", "T", "epsilon")}, value, ball(grid["epsilon"]), notes)
    ]


def tracking_plays_printed(grid: Grid) -> list[Point]:
    """Algorithm 2's plays are epsilon-DP, as printed. The value is a log-ratio's lower bound, in balls."""
    with precision():
        likelier, rarer, slack = chances(grid, 1.0)
        value = log(likelier[0] * (1 - slack)) - log(rarer[1] + slack)
        return _evidence(grid, value, likelier, rarer, slack)


def tracking_plays(grid: Grid) -> list[Point]:
    """The same with the mended noise, and thresholds. The value is an upper bound on the log-ratio."""
    with precision():
        likelier, rarer, slack = chances(grid, 2.0)
        value = log(likelier[1] + slack) - log(rarer[0] * (1 - slack))
        return _evidence(grid, value, likelier, rarer, slack)
