"""The parameters of Theorem 4.1: whether they keep epsilon. [001, Section 4.1]"""

import math
from itertools import product

from private_experts.private_oco.convex_regret import gibbs_parameters, gibbs_regret
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.private_accounting import private_scale
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    power,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point


def scale(grid: Grid) -> list[Point]:
    """At the scale u of Theorem 4.1 the privacy theorem's epsilon is at most epsilon.

    It is computed from ``(2 log(Phi)/p)^2 + 2 (3 p~ T) log^2 Phi + 2 T (3u^2/p)^2`` with ``p~ = p + 1 -
    Phi^-2``. The value is the largest share of epsilon that is spent. The scale in closed form is proved over
    a box. The regret bound must equal the regret theorem's. [mathematics/001.md#mended-accounting]
    [mathematics/001.md#closed-scale]
    """
    points = [over_box({"accounting": "closed", "quantity": "all"}, _closed, grid["box"])]
    for accounting, exponent in product(grid["accounting"], grid["log2_T"]):
        horizon, shares, gaps = 2**exponent, [], []
        for epsilon, minus_log10 in product(grid["epsilon"], grid["minus_log10_delta"]):
            delta = 10.0**-minus_log10
            u = private_scale(horizon, epsilon, delta, accounting)
            with precision():
                eps, t = ball(epsilon), log(ball(horizon))
                shares.append(_share(u * exp(t / 3) / eps, eps, t, -log(ball(delta))))
            for dimension in grid["d"]:
                beta, lam = gibbs_parameters(horizon, dimension, u)
                drift = 2 * horizon * (math.exp(-(horizon ** (2 / 3))) + 3 * delta / (60 * horizon))
                theorem = gibbs_regret(horizon, dimension, beta, lam) + drift
                bound = private_regret(horizon, dimension, epsilon, delta, accounting=accounting)
                with precision():
                    exact = regret(ball(horizon), dimension, ball(u), ball(delta))
                    gaps += [abs(ball(stated) / exact - 1) for stated in (bound, theorem)]
        where = {"accounting": accounting, "T": horizon}
        slack = 0.0 if accounting == "closed" else 1e-9  # a root is found to so many digits
        with precision():
            worst = largest(shares)
            points.append(at_point({**where, "quantity": "epsilon"}, worst, ball(1 + slack)))
            points.append(at_point({**where, "quantity": "regret"}, largest(gaps), ball(1e-9)))
    return points


def regret(horizon: Ball, dimension: Ball | int, u: Ball, delta: Ball) -> Ball:
    """Return the regret's bound at the best parameters ``sqrt(2T + 2 d log T / u^2) + 1``, and its drift."""
    drift = 2 * horizon * (exp(-power(horizon, ball(2) / 3)) + 3 * delta / (60 * horizon))
    return sqrt(2 * horizon + 2 * dimension * log(horizon) / square(u)) + 1 + drift


def _share(unit: Ball, epsilon: Ball, t: Ball, minus_log_delta: Ball, most: bool = False) -> Ball:
    """Return the theorem's share of epsilon at ``u = unit epsilon T^(-1/3)``, t = log T; `most`: more."""
    spread, third = sqrt(2 * (log(120) + 2 * t + minus_log_delta)), exp(-t / 3)  # the latter is p
    lottery = 2 * (9 * epsilon * square(unit) * third + 3 * unit * spread)  # log(Phi) / (p epsilon)
    # (1 - Phi^-2) / p
    more_draws = 2 * epsilon * lottery if most else -expm1(-2 * epsilon * third * lottery) / third
    cost = square(lottery) * (4 + 6 * (1 + more_draws)) + 18 * square(epsilon * square(unit)) / third
    return 3 * epsilon * cost / 2 + sqrt(6 * cost * (log(2) + minus_log_delta))


def _closed(log_T: Ball, minus_log_delta: Ball, epsilon: Ball) -> tuple[Ball, Ball]:
    """Return 1 and the share of epsilon spent at the closed form's first entry, which u never exceeds."""
    long, short = log(120) + 2 * log_T + minus_log_delta, log(2) + minus_log_delta
    return _share(1 / (202 * sqrt(long * short)), epsilon, log_T, minus_log_delta, most=True), 1 + 0 * log_T
