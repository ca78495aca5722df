"""Bounds on the regret in balls, also at the largest scale at which an accounting keeps within the level.

The cost grows with the scale, which therefore lies between two at which it is surely too little and too much.
[mathematics/001.md#accounting]
"""

from collections.abc import Callable, Sequence
from functools import cache

from private_experts.private_oco.gaussian_accounting import lazy_scale
from private_experts.private_oco.private_accounting import Accounting, private_scale
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    log,
    normal_quantile,
    power,
    sqrt,
    square,
)
from private_experts.replication.papers.p001.draw_rate import draw_chance
from private_experts.replication.papers.p001.fresh_gibbs import fresh, gaussian_level, leader, level_of

Slacks = Sequence[tuple[float, float]]
Share = Callable[[Ball, int], Ball]  # of the dimension and the number of rounds

# How far the program's scale may be above or below the true one, relative. Its bisection ends at 1e-12.
# Gaussian levels are known to 1e-11, and in games of 1e20 rounds and more rounding moves them much. The first
# that is sure counts.
_SLACKS = [(1e-13, 1.2e-12)]
_GAUSSIAN_SLACKS = [(1e-10, 1e-10), (0.5, 1.0)]


def around(cost: Callable[[Ball], Ball], allowed: Ball, computed: float, slacks: Slacks) -> Ball:
    """Return a ball around the place where a growing cost is what is allowed; not a number if unsure."""
    for above, below in slacks:
        low, high = ball(computed) * (1 - above), ball(computed) * (1 + below)
        if cost(low) <= allowed and cost(high) >= allowed:
            return low.union(high)
    return ball("nan")


def root(cost: Callable[[Ball], Ball], allowed: Ball, low: float, high: float) -> Ball:
    """Return the same without a number to begin with, from two numbers between which it lies."""
    if not (cost(ball(low)) <= allowed and cost(ball(high)) >= allowed):
        return ball("nan")
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if cost(ball(middle)) <= allowed else (low, middle)
    return ball(low, high) if cost(ball(high)) >= allowed else ball("nan")


def closeness(u: Ball, minus_log_delta: Ball) -> Ball:
    """Return log Phi, ``u^2 + u sqrt(2 log(2 / delta))``."""
    return square(u) + u * sqrt(2 * (log(2) + minus_log_delta))


def companion_cost(log_phi: Ball, later: Ball, horizon: Ball) -> Ball:
    """Return the sum of squared costs by the companion's accounting, mended; later ones cost `later`/p."""
    third = power(horizon, ball(1) / 3)
    return (
        10 * square(log_phi * third) + 12 * log_phi**3 * horizon + 2 * square(later) * horizon * square(third)
    )


def composed(cost: Ball, minus_log_delta: Ball) -> Ball:
    """Return ``1.5 eps' + sqrt(6 eps' log(2 / delta))``."""
    return 3 * cost / 2 + sqrt(6 * cost * (log(2) + minus_log_delta))


def mended_epsilon(u: Ball, horizon: Ball, minus_log_delta: Ball) -> Ball:
    """Return the epsilon of the privacy theorem with mended constants."""
    log_phi = 2 * closeness(3 * u, log(60) + 2 * log(horizon) + minus_log_delta)
    return composed(companion_cost(log_phi, 3 * square(u), horizon), minus_log_delta)


def lottery(u: Ball, horizon: Ball) -> tuple[Ball, Ball, Ball]:
    """Return log Phi for the drift alone, the probability p of a draw, and ``p~ T``."""
    log_phi, p = closeness(u, 3 * log(horizon)), power(horizon, ball(-1) / 3)
    return log_phi, p, draw_chance(log_phi, p) * horizon


def careful_epsilon(u: Ball, horizon: Ball, minus_log_delta: Ball) -> Ball:
    """Return the epsilon that the same proof gives without waste."""
    log_phi, p, draws = lottery(u, horizon)
    budget = (3 * draws).floor().max(ball(1))
    draw = closeness(2 * u, log(2 * budget) + minus_log_delta)
    squares = square(2 * log_phi / p) + budget * square(draw) + horizon * square(2 * square(u) / p)
    return squares / 2 + sqrt(2 * squares * (log(2) + minus_log_delta))


def gaussian(u: Ball, horizon: Ball) -> Ball:
    """Return the Gaussian level of a play."""
    log_phi, p, draws = lottery(u, horizon)
    budget = (3 * draws).floor().max(ball(1)).min(horizon - 1)
    first, later = (_lottery_level(p, spread) for spread in (2 * log_phi, 2 * square(u)))
    return sqrt(square(first) + (horizon - 2) * square(later) + budget * square(2 * u))


def _lottery_level(p: Ball, spread: Ball) -> Ball:
    return normal_quantile(p - (1 - p) * expm1(-spread)) - normal_quantile(p)


def closed(t: Ball, epsilon: Ball, delta: Ball) -> Ball:
    """Return the scale u of Theorem 4.1 in closed form; t is log T. [mathematics/001.md#closed-scale]"""
    spread, both = log(120 / delta) + 2 * t, log(2 / delta)
    by_lotteries = epsilon / (202 * sqrt(spread * both) * exp(t / 3))
    return by_lotteries.min(sqrt(epsilon) / (ball(461) / 100 * sqrt(sqrt(both)) * exp(5 * t / 12)))


def shares(epsilon: float, delta: float) -> dict[str, Share]:
    """Return bounds on the regret over rounds, for G = D = 1, as `fresh_gibbs.bounds` has them."""
    minus_log, level, computed = -log(ball(delta)), level_of(epsilon, delta), gaussian_level(epsilon, delta)
    allowed = ball(epsilon)

    def by_scale(scale: Callable[[int], Ball], drift: Callable[[Ball, Ball], Ball]) -> Share:
        scale = cache(scale)  # it does not depend on the dimension

        def share(d: Ball, rounds: int) -> Ball:
            horizon, u = ball(rounds), scale(rounds)
            return (sqrt(2 * horizon + 2 * d * log(horizon) / square(u)) + 1 + drift(horizon, u)) / horizon

        return share

    def by_cost(cost: Callable[[Ball, Ball, Ball], Ball], name: Accounting) -> Callable[[int], Ball]:
        return lambda rounds: around(
            lambda u: cost(u, ball(rounds), minus_log),
            allowed,
            private_scale(rounds, epsilon, delta, name),
            _SLACKS,
        )

    def by_level(bound: Callable[[Ball, Ball, Ball], Ball]) -> Share:
        return lambda d, rounds: bound(log(ball(rounds)), d, level) / sqrt(ball(rounds))

    def in_closed_form(rounds: int) -> Ball:
        return closed(log(ball(rounds)), allowed, ball(delta))

    def of_gaussian(rounds: int) -> Ball:
        return around(
            lambda u: gaussian(u, ball(rounds)), level, lazy_scale(rounds, computed), _GAUSSIAN_SLACKS
        )

    def out_of_draws(horizon: Ball) -> Ball:
        return 2 * horizon * exp(-power(horizon, ball(2) / 3))

    return {
        "closed": by_scale(in_closed_form, lambda horizon, _: out_of_draws(horizon) + ball(delta) / 10),
        "mended": by_scale(
            by_cost(mended_epsilon, "mended"), lambda horizon, _: out_of_draws(horizon) + ball(delta) / 10
        ),
        "careful": by_scale(
            by_cost(careful_epsilon, "careful"), lambda horizon, _: out_of_draws(horizon) + 6 / horizon
        ),
        "gaussian": by_scale(
            of_gaussian, lambda horizon, u: 2 * horizon * exp(-lottery(u, horizon)[2]) + 6 / horizon
        ),
        "every round": by_level(fresh),
        "private leader": by_level(leader),
    }
