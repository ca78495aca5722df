"""Theorems 1, 2 and the remark after Theorem 4: what they say at large epsilon, and where their rates hold.

Inequalities are proved over all K, T, epsilon and delta of a range, which are real numbers there.
"""

import math
from itertools import product

from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.posterior import ResponsePosterior
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, log, precision, sqrt
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.bounds import (
    posterior,
    rate,
    theorem_4_over_rate,
    theorem_5,
    theorem_5_over_rate,
)
from private_experts.replication.papers.p003.classes import lower_bound_gap

_OF_THEOREM_3 = 396  # T a / 132 is sqrt(KT / (m e^eps)) over this
_OF_THEOREM_1 = 809
_OF_THEOREM_2 = 12
_OF_REMARK = 33


def theorem_1_printed(grid: Grid) -> list[Point]:
    """A mechanism whose risk stays below log K and a little, while sqrt(KT) / eps grows: eps = 3 log(KT).

    The value is the proved bound on its risk, for every class of K distributions over at most K labels,
    divided by sqrt(KT) / eps. The library's bound must agree with the formula.
    """
    points = []
    for experts, horizon in product(grid["K"], grid["T"]):
        epsilon = 3 * math.log(experts * horizon)
        risk = ResponsePosterior(
            experts, PureDP(epsilon, "local"), labels=experts, horizon=horizon
        ).risk_bound
        where = {"K": experts, "T": horizon, "eps": epsilon}
        with precision():
            level, bound = ball(epsilon), ball(1) / _OF_THEOREM_3
            grows = sqrt(experts * horizon) / level
            notes = {"risk_at_most": risk, "log_K": math.log(experts), "rate": float(grows)}
            # The rate grows without end while the risk stays: so no constant can save the statement.
            points.append(at_point({**where, "what": "ratio"}, ball(risk) / grows, bound, notes, sense=">="))
            exact = posterior(log(ball(experts)), log(ball(horizon)), level, ball(experts))
            points.append(agreement({**where, "what": "formula"}, risk, exact, 1e-9))
    return points


def theorem_1(grid: Grid) -> list[Point]:
    """For epsilon up to 4 and T from K / (9 m e^eps) on, Theorem 3's bound is at least sqrt(KT) / (809 eps).

    K and T cancel: what is left is ``sqrt(m e^eps) 396 / 809 <= eps``. At eps = 0 both sides are 0, and the
    difference begins with ``(1 - 396 / 809) eps``.
    """
    low, high = grid["eps"]

    # By cases of m: its kink at log 2 lies on the boundary of both boxes.
    def small(eps: Ball) -> tuple[Ball, Ball]:
        return ball(_OF_THEOREM_3) / _OF_THEOREM_1 * expm1(eps) * exp(eps / 2), eps

    def large(eps: Ball) -> tuple[Ball, Ball]:
        return ball(_OF_THEOREM_3) / _OF_THEOREM_1 * exp(eps / 2), eps

    points = [
        over_box({"m": "(e^eps - 1)^2"}, small, {"eps": [low, math.log(2)]}, edges=[Edge("eps", 0.0, 1)]),
        over_box({"m": "1"}, large, {"eps": [math.log(2), high]}),
    ]
    for pairs, horizon, epsilon in product(grid["K"], grid["T"], grid["points"]):
        computed = horizon * lower_bound_gap(pairs, horizon, epsilon) / 132
        with precision():
            level = ball(epsilon)
            m = min(expm1(level), ball(1))
            exact = sqrt(ball(pairs) * horizon) / (m * exp(level / 2)) / _OF_THEOREM_3
            where = {"m": "formula", "K": pairs, "T": horizon, "eps": epsilon}
            points.append(agreement(where, computed, exact, 1e-12))
    return points


def theorem_2_printed(grid: Grid) -> list[Point]:
    """On K sure distributions every learner's first prediction alone has a risk of log K for one of them."""
    points = []
    for where, experts, horizon, epsilon in cells_of(grid, "K", "T", "eps"):
        with precision():
            k, t = log(ball(experts)), log(ball(horizon))
            points.append(at_point(where, k, _OF_THEOREM_2 * rate(k, t, ball(epsilon))))
    return points


def _sizes(grid: Grid) -> dict[str, list[float]]:
    """Return the ranges of log K and log T."""
    return {f"log_{name}": widened(*(math.log(end) for end in grid[name])) for name in ("K", "T")}


def theorem_2(grid: Grid) -> list[Point]:
    """The bounds of Theorems 5 and 4 are at most 12 and, with sqrt(log(1/delta)), 33 times `rate`.

    The second is the paper's remark after Theorem 4. Here epsilon is at most log(KT), and for Theorem 4 also
    at most log(1/delta), which is at least 1.
    """
    return [*_order_of_theorem_5(grid), *_order_of_theorem_4(grid)]


def _order_of_theorem_5(grid: Grid) -> list[Point]:
    """For epsilon up to log(KT) the bound of Theorem 5 is at most 12 sqrt(KT log^5(KT)) / eps."""

    def sides(log_K: Ball, log_T: Ball, eps_over_log: Ball) -> tuple[Ball, Ball]:
        return theorem_5_over_rate(log_K, log_T, eps_over_log * (log_K + log_T)), ball(_OF_THEOREM_2)

    box = {**_sizes(grid), "eps_over_log": grid["eps_over_log"]}
    points = [over_box({"bound_of": "Theorem 5", "what": "ratio"}, sides, box)]
    for experts, horizon, epsilon in product(*(grid["points"][name] for name in ("K", "T", "eps"))):
        bound = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
        where = {"bound_of": "Theorem 5", "what": "formula", "K": experts, "T": horizon, "eps": epsilon}
        with precision():
            exact = theorem_5(log(ball(experts)), log(ball(horizon)), ball(epsilon))
            points.append(agreement(where, bound, exact, 1e-12))
    return points


def _order_of_theorem_4(grid: Grid) -> list[Point]:
    """For epsilon to log(KT) and log(1/delta) Theorem 4's bound is within 33 sqrt(log(1/delta)) times `rate`.

    Two boxes cover this. In the first epsilon is at most 1, and in the second its root is ``1 + s
    (sqrt(log(KT)) - 1)``. There ``r^2`` is ``1 / log(1/delta)`` and ``epsilon / log(1/delta)``, at most 1 in
    both.
    """

    def small(log_K: Ball, log_T: Ball, root: Ball, r: Ball) -> tuple[Ball, Ball]:
        return theorem_4_over_rate(log_K, log_T, root, root * r), ball(_OF_REMARK)

    def large(log_K: Ball, log_T: Ball, s: Ball, r: Ball) -> tuple[Ball, Ball]:
        # The range of epsilon depends on K and T; by s it is the same interval for all of them.
        root = 1 + s * (sqrt(log_K + log_T) - 1)
        return theorem_4_over_rate(log_K, log_T, root, r), ball(_OF_REMARK)

    unit, which = [0.0, 1.0], {"bound_of": "Theorem 4"}
    points = [
        over_box(
            {**which, "what": "ratio, epsilon up to 1"}, small, {**_sizes(grid), "root": unit, "r": unit}
        ),
        over_box(
            {**which, "what": "ratio, epsilon from 1 on"}, large, {**_sizes(grid), "s": unit, "r": unit}
        ),
    ]
    for experts, horizon, epsilon, delta in product(
        *(grid["points"][name] for name in ("K", "T", "eps", "delta"))
    ):
        bound = NoisyVector(experts, ApproximateDP(epsilon, delta, "local"), horizon=horizon).risk_bound
        where = {**which, "what": "formula", "K": experts, "T": horizon, "eps": epsilon, "delta": delta}
        with precision():
            k, t, level, root = log(ball(experts)), log(ball(horizon)), ball(epsilon), sqrt(-log(ball(delta)))
            exact = theorem_4_over_rate(k, t, sqrt(level), sqrt(level) / root) * rate(k, t, level) * root
            points.append(agreement(where, bound, exact, 1e-12))
    return points
