"""Theorems 1 and 2 and the remark after Theorem 4: what they say at large epsilon, and where their rates hold.

[mathematics/003.md#large-epsilon] [mathematics/003.md#orders]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from private_experts.distributions.approximate import NoisyVector
from private_experts.distributions.classes import lower_bound_gap
from private_experts.distributions.posterior import ResponsePosterior
from private_experts.distributions.pure import NoisyCoordinate
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.replication.claims.evidence import Point

Grid = Mapping[str, Any]

_OF_THEOREM_3 = 1 / 396  # T a / 132 is this times sqrt(KT / (m e^eps))
_OF_THEOREM_1 = 1 / 809
_OF_THEOREM_2 = 12
_OF_REMARK = 33


def theorem_1_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A mechanism whose risk stays below log K and a little, while sqrt(KT) / eps grows: eps = 3 log(KT).

    The value is the proved bound on its risk, for every class of K distributions over at most K labels, divided by
    sqrt(KT) / eps. [mathematics/003.md#e003-8]
    """
    points = []
    for experts, horizon in product(grid["K"], grid["T"]):
        epsilon = 3 * math.log(experts * horizon)
        risk = ResponsePosterior(experts, PureDP(epsilon, "local"), labels=experts, horizon=horizon).risk_bound
        rate = math.sqrt(experts * horizon) / epsilon
        where = {"K": experts, "T": horizon, "eps": epsilon}
        notes = {"risk_at_most": risk, "log_K": math.log(experts), "rate": rate}
        points.append(Point(where, risk / rate, _OF_THEOREM_3, sense=">=", notes=notes))
    return points


def theorem_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For epsilon up to 4 and T from K / (9 m e^eps) on, the bound of Theorem 3 is at least sqrt(KT) / (809 eps)."""
    points = []
    for pairs, factor, epsilon in product(grid["K"], grid["T_over_least"], grid["eps"]):
        least = pairs / (9 * min(math.expm1(epsilon) ** 2, 1.0) * math.exp(epsilon))
        horizon = math.ceil(least * factor)
        bound = horizon * lower_bound_gap(pairs, horizon, epsilon) / 132
        rate = math.sqrt(pairs * horizon) / epsilon
        where = {"K": pairs, "T_over_least": factor, "eps": epsilon}
        points.append(Point(where, bound / rate, _OF_THEOREM_1, sense=">=", notes={"T": horizon}))
    return points


def _order(experts: int, horizon: int, epsilon: float) -> float:
    """Return Theorem 2's ``sqrt(K T log^5(K T)) / epsilon``."""
    return math.sqrt(experts * horizon * math.log(experts * horizon) ** 5) / epsilon


def theorem_2_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On K sure distributions every learner's first prediction alone has a risk of log K for one of them."""
    points = []
    for experts, horizon, epsilon in product(grid["K"], grid["T"], grid["eps"]):
        where = {"K": experts, "T": horizon, "eps": epsilon}
        points.append(Point(where, math.log(experts), _OF_THEOREM_2 * _order(experts, horizon, epsilon)))
    return points


def theorem_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For epsilon up to log(KT) the bound of Theorem 5 is at most 12 sqrt(KT log^5(KT)) / eps."""
    points = []
    for experts, horizon, share in product(grid["K"], grid["T"], grid["eps_over_log"]):
        epsilon = share * math.log(experts * horizon)
        bound = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
        ratio = bound / _order(experts, horizon, epsilon)
        where = {"K": experts, "T": horizon, "eps_over_log": share}
        points.append(Point(where, ratio, _OF_THEOREM_2))
    return points


def remark(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For epsilon up to log(KT) and log(1/delta) Theorem 4's bound is at most 33 sqrt(log(1/delta)) times `_order`."""
    points = []
    for experts, horizon, share, delta in product(grid["K"], grid["T"], grid["eps_over_log"], grid["delta"]):
        epsilon = share * min(math.log(experts * horizon), math.log(1 / delta))
        bound = NoisyVector(experts, ApproximateDP(epsilon, delta, "local"), horizon=horizon).risk_bound
        ratio = bound / _order(experts, horizon, epsilon) / math.sqrt(math.log(1 / delta))
        where = {"K": experts, "T": horizon, "eps_over_log": share, "delta": delta}
        points.append(Point(where, ratio, _OF_REMARK))
    return points
