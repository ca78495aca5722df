"""Composition of Algorithm 1's coordinates: Lemma 3's noises, worst mechanisms. [003, Lemmas 2 and 3]"""

import functools
from typing import Any

import numpy as np
from scipy.special import gammaln

from private_experts.distribution_learning.label_composition import advanced, coordinate_level
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, log, precision, sqrt, square
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of

_NOISES = {"statement": 2, "proof": 1}  # r in the level of a coordinate


def spent(s: Ball, under_root: int) -> Ball:
    """Return advanced composition's total over epsilon, for coordinates of the level ``s sqrt(eps / K)``.

    Their share of the mean loss is ``s^2 / 2``, and of the deviation ``s sqrt(2 log(1/delta) / eps) = (1 - s)
    / sqrt(2 r)``.
    """
    return square(s) / 2 + (1 - s) / sqrt(2 * under_root)


def optimal_delta(mechanisms: int, level: float, epsilon: float) -> float:
    """Return the least delta of any K independent e-DP mechanisms. [Kairouz, Oh, Viswanath 2015]"""
    flips = np.arange(mechanisms + 1)
    loss = (mechanisms - 2 * flips) * level
    logs = (
        gammaln(mechanisms + 1)
        - gammaln(flips + 1)
        - gammaln(mechanisms - flips + 1)
        + (mechanisms - flips) * level
        - mechanisms * np.logaddexp(0, level)
    )
    above = loss > epsilon
    # Any e-DP mechanism is at most randomised response of level e, so its composition is the worst.
    return float(np.exp(logs[above]) @ -np.expm1(epsilon - loss[above]))


def worst_delta(mechanisms: int, level: Ball, epsilon: Ball) -> Ball:
    """Return the least delta of the worst K mechanisms of a level: randomised responses, a binomial sum."""
    wrong, total, ways = exp(-level), ball(0), 1
    for flips in range(mechanisms + 1):
        loss = (mechanisms - 2 * flips) * level
        # Losses fall with the number of lies: what follows adds nothing to delta.
        if loss <= epsilon:
            break
        total += -ways * wrong**flips * expm1(epsilon - loss)
        # Whole numbers, divided without a rest at each step.
        ways = ways * (mechanisms - flips) // (flips + 1)
    return total / (1 + wrong) ** mechanisms


def _sides(s: Ball, under_root: int) -> tuple[Ball, Ball]:
    """Return what is spent and the most: for r = 2 at s = 0 and s = 1, and for r = 1 at s = 0 alone."""
    return spent(s, under_root), sqrt(2) / 2 if under_root == 1 else ball(1) / 2


def _spare(experts: int, epsilon: float, delta: float) -> float:
    """Return the least multiple of the stated noise at which K worst coordinates are (epsilon, delta)-DP."""
    level, low, high = coordinate_level(experts, epsilon, delta), 1e-3, 1.0
    # Delta falls with the noise, so bisection finds the least; a guide for a note, which needs no proof.
    for _ in range(40):
        middle = (low + high) / 2
        if optimal_delta(experts, level / middle, epsilon) <= delta:
            high = middle
        else:
            low = middle
    return high


def lemma_3(grid: Grid) -> list[Point]:
    """Advanced composition holds for the worst mechanisms, and Lemma 3's noises keep its total.

    The second is proved over all K, epsilon and delta: what is spent depends on one number, which lies
    between 0 and 1. The worst independent mechanisms are randomised responses. Their exact composition is a
    binomial sum, which is taken in ball arithmetic at the points of the grid. The library's numbers must
    agree.
    """
    points = []
    for name, under_root in _NOISES.items():
        where = {"quantity": f"share of epsilon, noise of the {name}"}
        edges = [Edge("s", at, 1) for at in ((0.0, 1.0) if under_root == 2 else (0.0,))]
        points.append(
            over_box(where, functools.partial(_sides, under_root=under_root), {"s": [0.0, 1.0]}, edges=edges)
        )
    for where, experts, epsilon, delta in cells_of(grid, "K", "eps", "delta"):
        for name, under_root in _NOISES.items():
            level = coordinate_level(experts, epsilon, delta, under_root)
            total = advanced(experts, level, delta)
            notes = {"sufficient_noise": _spare(experts, epsilon, delta)} if under_root == 2 else {}
            with precision():
                root, share = (
                    sqrt(experts * ball(epsilon)),
                    2 * sqrt(-under_root * experts * log(ball(delta))),
                )
                true = epsilon * spent(root / (share + root), under_root)
                points.append(
                    at_point(
                        {**where, "quantity": f"epsilon, noise of the {name}"}, true, ball(epsilon), notes
                    )
                )
                points.append(
                    agreement({**where, "quantity": f"total, noise of the {name}"}, total, true, 1e-12)
                )
                place = {**where, "quantity": f"delta, noise of the {name}"}
                points += _exact(place, experts, level, epsilon, delta)
        for level in grid["level"]:
            place = {**where, "quantity": f"delta of Lemma 2 at eps' = {level}"}
            points += _exact(place, experts, level, advanced(experts, level, delta), delta)
    return points


def _exact(where: dict[str, Any], experts: int, level: float, epsilon: float, delta: float) -> list[Point]:
    """Return the evidence that the worst mechanisms keep delta and the library's delta is the true one."""
    with precision():
        true = worst_delta(experts, ball(level), ball(epsilon))
        off = abs(ball(optimal_delta(experts, level, epsilon)) - true) / (true + 1e-290)
        point = at_point(where, true, ball(delta), trivial=1.0)
        return [point, at_point({**where, "route": "library"}, off, ball(1e-9))]
