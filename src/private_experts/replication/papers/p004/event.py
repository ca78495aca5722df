"""Bounds on the probability that a phase ends in the third stage of B. [mathematics/004.md#tracking-plays]

With noise rho of the threshold, ``y = e^(-rho/s)`` and ``x = e^(q/s)`` the hazard of a query q is ``-log(1 -
xy/2)``. So that of many queries is a power series in y, and ``y dy`` is the law of rho above 0.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    geometric,
    integral,
    log,
    precision,
    smallest,
    sqrt,
)

_TERMS = 16  # of the series
_NEAR = 8.0  # in scales: queries that are further below 0 are summed in floating point, as x / 2 alone
_FAR = 50.0  # in scales: rounds whose queries are all further below 0 are only bounded
_MARGIN = 1.001  # for these sums: x^2 / 4 is below 2e-4 of them, and rounding of positive terms far less


@dataclass
class Hazard:
    """The hazard of queries, in powers of y: at least the series', at most y times `more` above."""

    series: list[Ball]
    more: Ball

    def __call__(self, y: Ball) -> Ball:
        """Return the lower bound on the hazard."""
        value = ball(0)
        # Horner from the highest power: the series has no constant, so the last step multiplies once more.
        for coefficient in reversed(self.series):
            value = (value + coefficient) * y
        return value


def allowances(n: int, horizon: int, epsilon: float, sensitivity: float) -> Callable[[int], Ball]:
    """Return what gives the threshold of windows of so many rounds, as `tracking.thresholds` does."""
    both = log(ball(n) * horizon * horizon)
    alpha = 8 * sensitivity * (log(ball(horizon) ** 2) + log(ball(2) * horizon)) / (ball(epsilon) / 2)
    return lambda rounds: 16 * both / ball(epsilon) + 9 * sqrt(max(rounds - 1, 0) * both) + alpha + 1


@precision(terms=_TERMS + 1)
def hazards(
    ahead: Array, limits: Array, exact: Callable[[int], Ball], last: Sequence[int], scale: float
) -> list[Hazard]:
    """Return the hazards of A, of the first two stages of B, and of the third.

    Windows that begin before A lead no more than that which begins with it. `ahead`, (3, T + 1), are totals
    of gains less those of expert 0. `limits` are the thresholds and `exact` gives balls around them. `last`
    has the rounds before which B, the third stage and the end are.
    """
    first = ahead.shape[1] // 4
    factor = cache(lambda length: exp(-exact(length) / scale))  # few windows are near their thresholds
    raised = cache(lambda lead: exp(ball(lead) / scale))  # many windows have one lead
    by_stage = []
    for begin, end in zip([first + 1, *last[:-1]], last, strict=True):
        powers, far_sum, top = geometric(ball(0)), 0.0, -math.inf
        # Leads and lengths are whole numbers: few terms are different, and balls are slow.
        alike: Counter[tuple[float, int]] = Counter()  # windows of one lead and one length
        far = first**2 * math.exp(-limits[1] / scale)  # of rounds before A
        for t in range(begin, end):
            lead = (ahead[:, t, None] - ahead[:, first:t]).max(axis=0)
            # Backwards: the window that began first is the longest, and has the highest threshold.
            queries = lead - limits[t - first : 0 : -1]
            highest = float(queries.max())
            # Windows that begin before A are bounded, as they lead no more and have higher thresholds.
            far += first * math.exp(queries[0] / scale)
            # Rounds without a near query are only bounded: windows of all rounds are T^2.
            if highest < -_FAR * scale:
                far += queries.size * math.exp(highest / scale)
                continue
            top = max(top, highest)
            near = queries > -_NEAR * scale
            far_sum += float(np.exp(queries[~near] / scale).sum()) / 2
            starts = np.flatnonzero(near)
            alike.update(zip(lead[starts].tolist(), (t - first - starts).tolist(), strict=True))
        for (height, length), times in alike.items():
            powers += times * geometric(raised(height) * factor(length) / 2)
        count = alike.total()
        # Terms of the logarithm's series fall geometrically; 1e-6 covers the rounding of the leads.
        rest = count * (exp(ball(top + 1e-6) / scale) / 2) ** (_TERMS + 1) if count else ball(0)
        series = [powers[k] / k for k in range(1, _TERMS + 1)]
        series[0] += ball(far_sum) / _MARGIN
        more = far_sum * (_MARGIN - 1 / ball(_MARGIN)) + _MARGIN * far + rest
        by_stage.append(Hazard(series, more))
    return by_stage


def ending(before: Hazard, within: Hazard) -> tuple[Ball, Ball]:
    """Return two bounds on the probability that the phase ends within some queries and not before them.

    For rho below 0 it is at most the probability of not ending before at rho = 0.
    """

    def mean(first: Ball, second: Ball) -> Ball:
        return integral(
            lambda y: y * (-before(y) - first * y).exp() * (1 - (-within(y) - second * y).exp()),
            ball(0),
            ball(1),
        )

    nothing = ball(0)
    return mean(before.more, nothing), mean(nothing, within.more) + exp(-before(ball(1))) / 2


def _picks_first(at: Sequence[Ball], below: Sequence[bool], y: Ball) -> Ball:
    """Return the density of the first noisy score at y, times the probability that the others are below."""
    value, *tails = [
        (y - score if under else score - y).exp() / 2 for score, under in zip(at, below, strict=True)
    ]
    for tail, under in zip(tails, below[1:], strict=True):
        value *= tail if under else 1 - tail
    return value


def selected(scores: Sequence[int], others: int, scale: Ball) -> tuple[Ball, Ball]:
    """Return bounds on the probability that report-noisy-max picks the first score; others have the score 0.

    Beyond 60 scales at most ``e^-60`` is left. One of the others is picked with at most ``4/3 e^(-score / (2
    scale))``.
    """
    at = [score / scale for score in map(ball, scores)]
    cuts = sorted({*scores})
    ends = [cuts[0] / scale - 60, *(cut / scale for cut in map(ball, cuts)), cuts[-1] / scale + 60]
    total = ball(0)
    for low, high in pairwise(ends):
        # Between scores each factor is one exponential: an integrand with a kink would converge slowly.
        below = [bool((low + high) / 2 < score) for score in at]
        total += integral(partial(_picks_first, at, below), low, high)
    away = others * exp(-smallest(at) / 2) * 4 / 3
    return total - away, total + 2 * exp(ball(-60))
