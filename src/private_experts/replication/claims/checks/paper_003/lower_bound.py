"""The lower bound: its class, and the steps of its proof computed exactly for some channels. [003, Appendix A]

[mathematics/003.md#hadamard-class] [mathematics/003.md#lower-bound-chain]
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.classes import hadamard, lower_bound_class, lower_bound_gap
from private_experts.distributions.randomized_response import RandomizedResponse
from private_experts.distributions.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import (
    Ball,
    ball,
    exp,
    largest,
    log1p,
    precision,
    smallest,
    square,
)
from private_experts.replication.claims.certified.boxes import Edge, at_point, over_box
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_ROUNDING = 1e-12


def constant(epsilon: float) -> float:
    """Return m = min((e^epsilon - 1)^2, 1)."""
    return min(math.expm1(epsilon) ** 2, 1.0)


def _least_risk(pair: Array) -> float:
    """Return the least ``max(KL(p_1, q), KL(p_2, q))`` over distributions q.

    Labels with equal probability under p_1 have equal probability under p_2. By convexity the best q treats them alike
    too. So one number is left, the mass of the support of p_1. The two divergences move in opposite directions with it.
    """
    support = pair[0] > 0
    first, second = pair[:, support].sum(axis=1), pair[:, ~support].sum(axis=1)
    masses = np.stack([first, second], axis=1)  # have the same KL divergences as the pair
    low, high = masses[1, 0], 1.0
    for _ in range(100):
        middle = (low + high) / 2
        to_first, to_second = kl(masses, np.array([middle, 1 - middle]))
        low, high = (middle, high) if to_first > to_second else (low, middle)
    return float(kl(masses, np.array([high, 1 - high])).min())


def hadamard_class(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The lower bound's class: orthogonal signs, and no prediction that is good for both halves of a pair.

    Its members are distributions exactly for 0 <= a <= 2. Moreover ``KL(p_1, (p_1 + p_2) / 2) = -log(1 - a/4)``, and
    every prediction has a KL divergence of at least a/16 from p_1 or from p_2.
    """
    points = []
    for size in grid["N"]:
        signs = hadamard(size)
        off = np.abs(signs @ signs.T - size * np.eye(size)).max()
        points.append(Point({"N": size, "a": 0.0, "quantity": "H H' - N I"}, float(off), 0.0))
        ones = (1 - signs[1:]) / size
        for gap in grid["a"]:
            twos = ones + gap * signs[1:] / size
            where, notes = {"N": size, "a": gap}, {"least_mass": float(twos.min())}
            inside = 0 <= gap <= 2
            least = float(twos.min()) * size
            negative = Point({**where, "quantity": "least N p_2"}, least, 0.0, sense=">=", notes=notes)
            if not inside:
                negative = Point({**where, "quantity": "least N p_2"}, least, -_ROUNDING, notes=notes)
            points.append(negative)
            if not inside:
                continue
            built = lower_bound_class(size - 1, gap)
            wrong = max(
                np.abs(built[::2] - ones).max(), np.abs(built[1::2] - twos).max(), np.abs(twos.sum(axis=1) - 1).max()
            )
            points.append(Point({**where, "quantity": "class as defined"}, float(wrong), _ROUNDING))
            between = kl(ones, (ones + twos) / 2) + math.log1p(-gap / 4)
            points.append(Point({**where, "quantity": "KL to the middle"}, float(np.abs(between).max()), _ROUNDING))
            if 0 < gap <= 1:
                risk = min(_least_risk(np.stack(pair)) for pair in zip(ones[:8], twos[:8], strict=True))
                middle = -math.log1p(-gap / 4) / 2
                points.append(Point({**where, "quantity": "least risk of a pair"}, risk, middle, sense=">="))
    half = over_box(
        {"N": 0, "quantity": "a / 16 against half KL to the middle"},
        lambda a: (a / 16, -log1p(-a / 4) / 2),
        {"a": [0.0, max(grid["a"])]},
        edges=[Edge("a", 0.0, 1)],  # both are 0, and the difference begins with a / 16
    )
    return [*points, half]


def _squares(p: Ball, x: Ball) -> tuple[Ball, Ball]:
    """Return variance and mean square of probabilities of which the share p is 1 and the others are x."""
    return p * (1 - p) * square(1 - x), p + (1 - p) * square(x)


def allowed(x: Ball) -> Ball:
    """Return m = min((e^epsilon - 1)^2, 1) of ``x = e^-epsilon``."""
    return smallest([square(1 / x - 1), ball(1)])


def step_23(grid: Grid, repetitions: int, seed: int, printed: bool = False) -> list[Point]:
    """For q in [1, e^eps]^N, sum_ij (q_i - q_j)^2 / (2 N^2) is at most m sum_i q_i^2 / N.

    The ratio of the two sides is largest at a corner of the cube, because the cosine between q and the vector of ones
    is quasi-concave. At a corner the share p of entries is e^eps. Both sides are taken in units of e^(2 eps), with
    ``x = e^-eps``. Points are the worst corners for N entries. Boxes hold for all shares from 1/N to 1 - 1/N of the
    largest N; the ratio's supremum is tanh^2(eps / 2). [mathematics/003.md#step-23]
    """
    points = []
    for size, epsilon in product(grid["N"], grid["eps"]):
        with precision():
            x = exp(-ball(epsilon))
            m = allowed(x) / (2 if printed else 1)
            corners = [_squares(ball(count) / size, x) for count in range(1, size)]
            value = largest(spread / mean for spread, mean in corners)
            notes = {"limit": math.tanh(epsilon / 2) ** 2}
            points.append(at_point({"q": "corners", "N": size, "eps": epsilon}, value, m, notes))
    if printed:
        return points

    def small(p: Ball, eps: Ball) -> tuple[Ball, Ball]:
        return p * (1 - p), p * exp(2 * eps) + 1 - p

    shares = [1 / max(grid["N"]), 1 - 1 / max(grid["N"])]
    points.append(over_box({"q": "all corners, (e^eps - 1)^2 cancelled"}, small, {"p": shares, "eps": [0.0, 0.7]}))
    points.append(over_box({"q": "all corners, m = 1"}, _squares, {"p": shares, "x": [0.0, 0.5]}))
    return points


def step_23_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with half of that bound, as printed. [mathematics/003.md#e003-4]"""
    return step_23(grid, repetitions, seed, printed=True)


def channels(size: int, epsilon: float, seed: int) -> Iterator[tuple[str, Array]]:
    """Yield epsilon-LDP channels from N labels by name, each as the law of its output (N, outputs)."""
    high = math.exp(epsilon)
    yield "randomised response", RandomizedResponse(1, PureDP(epsilon, "local"), labels=size, horizon=2).channel
    bits = (hadamard(size)[:, 1:] + 1) / 2  # the label's sign in a random row, by randomised response
    tells = np.concatenate([bits * high + 1 - bits, (1 - bits) * high + bits], axis=1)
    yield "signs", tells / tells.sum(axis=1, keepdims=True)
    if size <= 8:
        sets = np.array(list(combinations(range(size), max(round(size / (1 + high)), 1))))
        chosen = (sets[None] == np.arange(size)[:, None, None]).any(axis=-1)
        subsets = np.where(chosen, high, 1.0)
        yield "subsets", subsets / subsets.sum(axis=1, keepdims=True)
    pattern = rng_for(seed, "pattern", size, epsilon).random(size) < 0.5
    shifted = np.where(pattern[np.arange(size)[:, None] ^ np.arange(size)], high, 1.0)
    yield "random pattern", shifted / shifted.sum(axis=1, keepdims=True)


def lower_bound_chain(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Steps of the lower bound's proof with the constants that hold, for four private channels, one in all rounds.

    (22): the KL divergence of the two laws of a report is at most the integral of (a b)^2 / min q. (23): its sum over
    the K pairs is at most a^2 m e^eps. (24): so for some pair the laws of T reports are at most sqrt(1/18) < 1/3 apart
    in total variation, by Pinsker's inequality. Step (22) uses x - x^2 <= log(1 + x) for x from -a/2 on, and a is at
    most 1. Rounds with different channels, and the steps after (24), stand in `step_24`.
    """
    points = []
    for size, epsilon in product(grid["N"], grid["eps"]):
        pairs = size - 1
        # Factor 1 is the least T that the theorem covers, where a is about 1.
        for factor in grid["T_over_least"]:
            horizon = math.ceil(pairs / (9 * constant(epsilon) * math.exp(epsilon)) * factor)
            gap = lower_bound_gap(pairs, horizon, epsilon)
            built = lower_bound_class(pairs, gap)
            for name, channel in channels(size, epsilon, seed):
                where = {"channel": name, "N": size, "eps": epsilon, "T_over_least": factor}
                ratio = float(np.log(channel.max(axis=0) / channel.min(axis=0)).max())
                # What the channel promises is no step of the proof, so it is asked as a difference, without a share.
                points.append(Point({**where, "step": "LDP"}, ratio - epsilon, _ROUNDING))
                outputs = built @ channel
                divergences = kl(outputs[::2], outputs[1::2])
                b = hadamard(size)[1:] @ channel / size
                squares = gap**2 * (b**2 / channel.min(axis=0)).sum(axis=1)
                points.append(Point({**where, "step": "(22)"}, float((divergences - squares).max()), _ROUNDING))
                most = gap**2 * constant(epsilon) * math.exp(epsilon)
                points.append(Point({**where, "step": "(23)"}, float(divergences.sum()), most))
                variation = math.sqrt(horizon * max(divergences.min(), 0.0) / 2)
                points.append(Point({**where, "step": "(24)"}, variation, math.sqrt(1 / 18)))
    where = {"channel": "none", "N": 0, "eps": 0.0, "T_over_least": 0.0, "step": "x - x^2 <= log(1 + x)"}
    # At x = 0 both sides have the value 0 and the slope 1, and the difference begins with x^2 / 2.
    points.append(over_box(where, _logarithm, {"x": [-grid["a"] / 2, 1e6]}, edges=[Edge("x", 0.0, 2)]))
    return points


def _logarithm(x: Ball) -> tuple[Ball, Ball]:
    return x - x * x, log1p(x)
