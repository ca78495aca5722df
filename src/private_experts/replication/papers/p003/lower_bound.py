"""The lower bound: its class, and its proof's steps, exact for some channels. [003, Appendix A]"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    log1p,
    near,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import Edge, at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p003.channels import (
    RESPONSE,
    Pattern,
    allowed,
    channels,
    exact_gap,
    law,
    least,
    level,
    reports,
)
from private_experts.replication.papers.p003.classes import lower_bound_class, lower_bound_gap

_ROUNDING = 1e-12


def constant(epsilon: float) -> float:
    """Return m = min((e^epsilon - 1)^2, 1)."""
    return min(math.expm1(epsilon) ** 2, 1.0)


def rounds_of(pairs: int, epsilon: float, factor: float) -> int:
    """Return so many times the least T that the theorem covers, where a is about 1."""
    return math.ceil(pairs / (9 * constant(epsilon) * math.exp(epsilon)) * factor)


def least_risk(second: Ball) -> Ball:
    """Return the least ``max(KL(p_1, q), KL(p_2, q))``; p_2 has the mass `second` on p_1's labels.

    By convexity the best q treats labels of one probability alike, so one number is left, the mass of that
    set. With it, from `second` on, the first divergence falls and the second one rises.
    """

    def divergences(mass: Ball) -> tuple[Ball, Ball]:
        return -log(mass), second * log(second / mass) + (1 - second) * log((1 - second) / (1 - mass))

    # The larger divergence is least where both are equal, and one falls while the other rises: so bisection
    # finds it.
    low, high = near(second), 1.0  # at `second` itself the second divergence is 0
    for _ in range(100):
        middle = (low + high) / 2
        # Floats have come to an end: the two neighbours enclose the crossing.
        if middle in (low, high):
            break
        to_first, to_second = divergences(ball(middle))
        if to_first > to_second:
            low = middle
        elif to_second > to_first:
            high = middle
        else:
            break
    # At the crossing both are equal, so the first one is their maximum.
    return -log(ball(low, high))


def _middle(count: int, size: int, gap: Ball) -> Ball:
    """Return ``KL(p_1, (p_1 + p_2) / 2)`` where so many of N signs are -1, p_1's only labels."""
    return count * 2 * log(4 / (4 - gap)) / size


def hadamard_class(grid: Grid) -> list[Point]:
    """The lower bound's class: orthogonal signs, and no prediction that is good for both halves of a pair.

    Its members are distributions exactly for 0 <= a <= 2. Moreover ``KL(p_1, (p_1 + p_2) / 2) = -log(1 -
    a/4)``, and every prediction has a KL divergence of at least a/16 from p_1 or from p_2. The library's
    class and divergences are compared with balls: entries, and pairs, that share a sign or their number of
    signs have the same true value.
    """
    points = []
    for size in grid["N"]:
        # Whole numbers: orthogonality is exact.
        signs = hadamard(size)
        off = np.abs(signs @ signs.T - size * np.eye(size, dtype=np.int64)).max()
        points.append(at_point({"N": size, "a": 0.0, "quantity": "H H' - N I"}, ball(int(off)), ball(0)))
        minus = (signs[1:] < 0).sum(axis=1)
        for a in grid["a"]:
            points += _pairs({"N": size, "a": a}, signs[1:], set(minus.tolist()))
    half = over_box(
        {"N": 0, "quantity": "a / 16 against half KL to the middle"},
        lambda a: (a / 16, -log1p(-a / 4) / 2),
        {"a": [0.0, max(grid["a"])]},
        edges=[Edge("a", 0.0, 1)],  # both are 0, and the difference begins with a / 16
    )
    return [*points, half]


def _pairs(where: Mapping[str, Any], signs: Ints, minus: set[int]) -> list[Point]:
    """Return the points of a class: its masses, what the library makes of it, and the risk of its pairs."""
    size, inside = where["N"], 0 <= where["a"] <= 2
    with precision():
        gap, rounding = ball(float(where["a"])), ball(_ROUNDING)
        masses = {sign: (ball(1 - sign), 1 - sign + gap * sign) for sign in set(signs.ravel().tolist())}
        smallest_mass = smallest(second for _, second in masses.values())
        points = [
            at_point(
                {**where, "quantity": "least N p_2"},
                smallest_mass,
                ball(0) if inside else -rounding,
                {"least_mass": near(smallest_mass) / size},
                ">=" if inside else "<=",
            )
        ]
        if not inside:
            return points
        built = lower_bound_class(size - 1, where["a"])
        wrong = [ball(0)]
        for half in (0, 1):
            pairs = set(zip(signs.ravel().tolist(), built[half::2].ravel().tolist(), strict=True))
            wrong += [abs(entry - masses[sign][half] / size) for sign, entry in pairs]
        # Sums of the second masses: signs that do not add up to 0 would give no distribution.
        wrong += [abs((size - total + gap * total) / size - 1) for total in set(signs.sum(axis=1).tolist())]
        points.append(at_point({**where, "quantity": "class as defined"}, largest(wrong), rounding))
        middle = -log1p(-gap / 4)
        computed = set(kl(built[::2], (built[::2] + built[1::2]) / 2).tolist())
        away = [
            abs(divergence - middle)
            for divergence in [*computed, *(_middle(count, size, gap) for count in minus)]
        ]
        points.append(at_point({**where, "quantity": "KL to the middle"}, largest(away), rounding))
        if 0 < where["a"] <= 1:
            risk = smallest(least_risk((2 - gap) * count / size) for count in minus)
            points.append(
                at_point({**where, "quantity": "least risk of a pair"}, risk, middle / 2, sense=">=")
            )
        return points


def _squares(p: Ball, x: Ball) -> tuple[Ball, Ball]:
    """Return variance and mean square of probabilities of which the share p is 1 and the others are x."""
    return p * (1 - p) * square(1 - x), p + (1 - p) * square(x)


def step_23(grid: Grid, printed: bool = False) -> list[Point]:
    """For q in [1, e^eps]^N, sum_ij (q_i - q_j)^2 / (2 N^2) is at most m sum_i q_i^2 / N.

    The ratio is largest at a corner of the cube, where the share p of entries is e^eps, because the cosine
    between q and the vector of ones is quasi-concave. Both sides are in units of e^(2 eps), with ``x =
    e^-eps``. Points are the worst corners for N entries; boxes hold for all shares from 1/N to 1 - 1/N of the
    largest N.
    """
    points = []
    for size, epsilon in product(grid["N"], grid["eps"]):
        with precision():
            x = exp(-ball(epsilon))
            m = allowed(x) / (2 if printed else 1)
            corners = [_squares(ball(count) / size, x) for count in range(1, size)]
            # By symmetry a corner is known by how many entries are e^eps.
            value = largest(spread / mean for spread, mean in corners)
            notes = {"limit": math.tanh(epsilon / 2) ** 2}
            points.append(at_point({"q": "corners", "N": size, "eps": epsilon}, value, m, notes))
    if printed:
        return points

    # Both sides without their common factor, which vanishes at epsilon = 0 and would leave the box undecided.
    def small(p: Ball, eps: Ball) -> tuple[Ball, Ball]:
        return p * (1 - p), p * exp(2 * eps) + 1 - p

    shares = [1 / max(grid["N"]), 1 - 1 / max(grid["N"])]
    points.append(
        over_box({"q": "all corners, (e^eps - 1)^2 cancelled"}, small, {"p": shares, "eps": [0.0, 0.7]})
    )
    points.append(over_box({"q": "all corners, m = 1"}, _squares, {"p": shares, "x": [0.0, 0.5]}))
    return points


def step_23_printed(grid: Grid) -> list[Point]:
    """The same with half of that bound, as printed. [mathematics/003.md#e003-4]"""
    return step_23(grid, printed=True)


def lower_bound_chain(grid: Grid, seed: int) -> list[Point]:
    """Steps of the lower bound's proof with the constants that hold, for four channels, one in all rounds.

    (22): the KL divergence of a report's two laws is at most the integral of (a b)^2 / min q. (23): its sum
    over the pairs is at most a^2 m e^eps. (24): so for some pair the laws of T reports are at most sqrt(1/18)
    apart, by Pinsker. (22) uses x - x^2 <= log(1 + x) from -a/2 on. The library's numbers are compared.
    """
    points = []
    for size, epsilon in product(grid["N"], grid["eps"]):
        pairs, eps = size - 1, ball(float(epsilon))
        for factor in grid["T_over_least"]:
            horizon = rounds_of(pairs, epsilon, factor)
            for name, pattern in channels(size, epsilon, seed):
                where = {"channel": name, "N": size, "eps": epsilon, "T_over_least": factor}
                channel = _channel(name, pattern, epsilon)
                with precision():
                    gap = exact_gap(pairs, horizon, eps)
                    divergences, squares = reports(pattern, gap, eps)
                    beyond = largest(one - other for one, other in zip(divergences, squares, strict=True))
                    most = square(gap) * allowed(exp(-eps)) * exp(eps)
                    # Divergences of independent reports add up, and Pinsker turns them into a distance.
                    variation = sqrt(horizon * least(divergences) / 2)
                    same = _library(channel, horizon, epsilon, divergences)
                    # What a channel promises is no step of the proof, so it is a difference, without a share.
                    points += [
                        at_point({**where, "step": "LDP"}, level(channel) - eps, ball(_ROUNDING)),
                        at_point({**where, "step": "(22)"}, beyond, ball(_ROUNDING)),
                        at_point({**where, "step": "(23)"}, sum(divergences, ball(0)), most),
                        at_point({**where, "step": "(24)"}, variation, sqrt(1 / ball(18))),
                        at_point({**where, "step": "library"}, same, ball(_ROUNDING)),
                    ]
    where = {"channel": "none", "N": 0, "eps": 0.0, "T_over_least": 0.0, "step": "x - x^2 <= log(1 + x)"}
    # At x = 0 both sides have the value 0 and the slope 1, and the difference begins with x^2 / 2.
    sides = {"x": [-grid["a"] / 2, 1e6]}
    points.append(over_box(where, lambda x: (x - x * x, log1p(x)), sides, edges=[Edge("x", 0.0, 2)]))
    return points


def _channel(name: str, pattern: Pattern, epsilon: float) -> Array:
    """Return the law of a channel's output (N, outputs): the library's where it has the channel."""
    if name != RESPONSE:
        return law(pattern, epsilon)
    return RandomizedResponse(1, PureDP(epsilon, "local"), labels=len(pattern), horizon=2).channel


def _library(channel: Array, horizon: int, epsilon: float, divergences: list[Ball]) -> Ball:
    """Return how far the library's divergences of a report are from the true ones, at most."""
    pairs = len(channel) - 1
    outputs = lower_bound_class(pairs, lower_bound_gap(pairs, horizon, epsilon)) @ channel
    computed = kl(outputs[::2], outputs[1::2]).tolist()
    return largest(abs(one - other) for one, other in zip(computed, divergences, strict=True))
