"""Steps of the companion paper's privacy proof that fail as printed, and the mended ones (E001-1 to E001-3).

The companion paper is Agarwal, Kale, Singh and Thakurta (COLT 2023). [mathematics/001.md#errata]
"""

import math
from itertools import product

from private_experts.private_oco.closeness import draw_probability
from private_experts.replication.balls.balls import ball, exp, power, precision, square
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.draw_rate import draw_chance


def cross_term(grid: Grid) -> list[Point]:
    """(a + c)^2 is at most `factor` (a^2 + c^2), a the cost of a draw, c of a lottery. [mathematics/001.md#e001-1]"""
    points = []
    for a, c in product(grid["a"], grid["c"]):
        with precision():
            bound = grid["factor"] * (square(ball(a)) + square(ball(c))) * (1 + 1e-12)
            points.append(at_point({"a": a, "c": c}, square(ball(a) + c), bound))
    return points


def budget_term(grid: Grid) -> list[Point]:
    """3 p~ T log^2 Phi is at most 3 T^(2/3) log^2 Phi + `coefficient` T log^3 Phi, for p = T^(-1/3).

    The library's probability of a draw must agree with the formula. [mathematics/001.md#e001-2]
    """
    points = []
    for horizon, log_phi in product(grid["T"], grid["log_phi"]):
        computed = draw_probability(log_phi, horizon ** (-1 / 3))
        with precision():
            p, spread = power(ball(horizon), -ball(1) / 3), ball(log_phi)
            chance = draw_chance(spread, p)
            bound = 3 * p * horizon * square(spread) + grid["coefficient"] * horizon * spread * square(spread)
            where = {"T": horizon, "log_phi": log_phi}
            points.append(at_point({**where, "what": "share"}, 3 * chance * horizon * square(spread), bound))
            points.append(agreement({**where, "what": "chance of a draw"}, computed, chance, 1e-12))
    return points


def delta_terms(grid: Grid) -> list[Point]:
    """At the least T that a condition allows, and at later ones, at most delta is spent. [mathematics/001.md#e001-3]

    What is spent is ``delta/2 + 4 T delta' + 9 T^2 delta' + 3 T exp(-T^(2/3))`` with ``delta' = delta / (60 T^2)``. The
    condition is there for the last term, which must be at most ``delta / 6``.
    """
    points = []
    for minus_log, times in product(grid["minus_log_delta"], grid["times"]):
        horizon = times * _least(grid["condition"], minus_log)
        where = {"minus_log_delta": minus_log, "T": horizon}
        with precision():
            tail = 3 * horizon * exp(ball(minus_log) - power(ball(horizon), ball(2) / 3))
            spent = ball(1) / 2 + ball(4) / (60 * horizon) + ball(9) / 60 + tail
            points.append(at_point({**where, "quantity": "spent / delta"}, spent, ball(1)))
            points.append(at_point({**where, "quantity": "last term / delta"}, tail, ball(1) / 6))
    return points


def _least(condition: str, minus_log: float) -> int:
    """Return the least T that a condition allows, for delta = exp(-minus_log)."""
    if condition == "T >= 12 log(1/delta)":
        return math.ceil(12 * minus_log)
    horizon = 1
    while horizon ** (2 / 3) < math.log(18 * horizon) + minus_log:
        horizon += 1
    return horizon
