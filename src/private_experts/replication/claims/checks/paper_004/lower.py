"""Lower bounds for shifting streams, and the table of bounds. [004, Section 3.2 and Table 1]"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any, Literal

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.games.blocks import block_regret, exact_errors
from private_experts.games.instances import deterministic, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Grid = Mapping[str, Any]


def packing_bound(n: int, phase: int, epsilon: float) -> float:
    """Return ``sum_t max(0, 1 - e^(epsilon (t - 1)) / N)`` over the rounds t of a phase.

    Every epsilon-DP algorithm has at least this regret when one expert, drawn at random, is always right.
    [mathematics/004.md#shifting-lower-bound]
    """
    return float(-np.expm1(np.minimum(0.0, epsilon * np.arange(phase) - math.log(n))).sum())


def one_selection(n: int, phase: int, epsilon: float) -> float:
    """Return the least regret of an algorithm that guesses for some rounds and then selects an expert once.

    It selects by the exponential mechanism at the rate epsilon / 2. The best number of rounds is taken.
    """
    rounds = np.arange(phase + 1)
    wrong = 1 / (1 + np.exp(rounds * epsilon / 2) / (n - 1))
    return float((rounds * (1 - 1 / n) + (phase - rounds) * wrong).min())


def dyadic(n: int, phase: int, epsilon: float, selection: Literal["laplace", "gumbel"]) -> float:
    """Return the exact regret of Algorithm 1 (with the smallest noisy loss) in one phase."""
    algorithm = DyadicLeader(n, PureDP(epsilon, "central"), rng=rng_for(0, "unused"), selection=selection)
    errors = exact_errors(algorithm, deterministic(equal_gaps(n, 1.0)), phase.bit_length())
    return float(block_regret(errors, [phase])[0])


def shifting_lower_bound(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Private algorithms that know the shifts lose at least the bound, and nearly as little as it in the best case.

    Phases are independent, so one phase is enough, and the dynamic regret is S + 1 times as large.
    [mathematics/004.md#shifting-lower-bound]
    """
    points = []
    for n, phase, epsilon in product(grid["N"], grid["phase"], grid["epsilon"]):
        least = packing_bound(n, phase, epsilon)
        regrets = {
            "one selection": one_selection(n, phase, epsilon),
            "Algorithm 1": dyadic(n, phase, epsilon, "laplace"),
            "Algorithm 1, softmax": dyadic(n, phase, epsilon, "gumbel"),
        }
        for name, regret in regrets.items():
            where = {"algorithm": name, "N": n, "rounds_in_phase": phase, "epsilon": epsilon}
            points.append(Point(where, regret, least, sense=">=", notes={"times": regret / least}, trivial=0.0))
        printed = math.log(n) / epsilon
        if phase >= printed:
            where = {"algorithm": "the printed form", "N": n, "rounds_in_phase": phase, "epsilon": epsilon}
            points.append(Point(where, least, printed - 1 / epsilon - 1, sense=">=", trivial=0.0))
    return points


def table(n: int, horizon: int, switches: int, epsilon: float) -> dict[str, tuple[float, float]]:
    """Return upper and lower bounds of Table 1, without constants."""
    root, log = math.sqrt(switches * horizon * math.log(n)), math.log(n)
    packing = switches * math.log(n / switches) / epsilon
    tracing = switches / (epsilon * math.log(horizon / (switches + 1))) ** 2
    return {
        "shifting": (root + switches * log / epsilon, root + packing),
        "oblivious": (root + switches * horizon ** (1 / 3) * log / epsilon ** (2 / 3), root + packing),
        "adaptive": (math.sqrt(switches * horizon) * log**1.5 / epsilon + switches * log / epsilon, root + tracing),
    }


def table_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Where both bounds of a row of Table 1 are below T, the lower one is at most the upper one.

    [mathematics/004.md#table-1]
    """
    points = []
    for n, horizon, switches, epsilon in product(grid["N"], grid["T"], grid["S"], grid["epsilon"]):
        for row, (upper, lower) in table(n, horizon, switches, epsilon).items():
            if max(upper, lower) < horizon:
                where = {"row": row, "N": n, "T": horizon, "S": switches, "epsilon": epsilon}
                points.append(Point(where, lower, upper, trivial=float(horizon)))
    return points
