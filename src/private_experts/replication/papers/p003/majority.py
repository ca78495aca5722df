"""Regret of weighted majority when all losses are revealed, and when one is. [003, Lemmas 1, 4 and 7]"""

import math
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.weighted_majority import (
    WeightedMajority,
    learning_rate,
    regret_bound,
    second_order_bound,
)
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, precision, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.study.intervals import mean_interval

_ROUNDING = 1e-12  # of the library's bounds, relative


def _losses(t: int, weights: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Return the losses of round t by kind; kind i is played against row i of the weights; two use it."""
    experts = weights.shape[1]
    coins = rng.random(size=(experts,))
    return {
        # Kinds against which exponential weights do badly: turns, near ties, and adversaries who see the
        # weights.
        "alternating": np.equal(np.arange(experts) % 2, t % 2).astype(float),
        "coin flips": (coins < 0.5).astype(float),
        "one is better": (coins < np.where(np.arange(experts) == 0, 0.4, 0.5)).astype(float),
        "one is good": (np.arange(experts) > 0).astype(float),
        "against the heavy": np.asarray(weights[4] >= 1 / experts, dtype=float),
        "against the heaviest": (np.arange(experts) == weights[5].argmax()).astype(float),
        # Beyond 1, where Lemma 4 does not apply and the second-order bound does.
        "up to 5": np.asarray(5 * coins**4),
    }


def _play_all(
    experts: int, horizon: int, rate: float, rng: np.random.Generator
) -> tuple[list[str], Array, Array, Array, Array]:
    """Return the kinds of losses and, for each: loss, best expert's, weighted squares, average's."""
    names = list(_losses(0, np.ones((7, experts)), rng))
    majority = WeightedMajority(experts, rate=rate, repetitions=len(names))
    paid, squares, average = np.zeros((3, len(names)))
    for t in range(horizon):
        weights = majority.weights
        # All kinds are one game of as many repetitions, each against its own row of weights.
        losses = np.stack(list(_losses(t, weights, rng).values()))
        paid += (weights * losses).sum(axis=-1)
        squares += (weights * losses**2).sum(axis=-1)
        average += losses.mean(axis=-1)
        majority.update(losses)
    return names, paid, majority.total.min(axis=-1), squares, average


def lemma_4(grid: Grid, seed: int, printed: bool = False) -> list[Point]:
    """Regret is at most sqrt(2 T log K) on losses in [0, 1], and the second-order bound on all losses.

    Losses, weights and the rate are taken as the program holds them. What is paid are sums of products that
    are not negative, so balls bound their rounding: at most K + T sums and three products each, and T sums
    for an expert. The library's bounds are compared with balls. Lazy are equal weights in every round.
    """
    points = []
    for experts, horizon in product(grid["K"], grid["T"]):
        rate = learning_rate(experts, horizon, 1 if printed else None)
        played = _play_all(experts, horizon, rate, rng_for(seed, "lemma 4", experts, horizon))
        computed = [regret_bound(experts, horizon), *second_order_bound(rate, experts, played[3]).tolist()]
        with precision():
            bounds = [sqrt(2 * horizon * log(ball(experts)))]
            for name, *sums, average in zip(*played, strict=True):
                paid, best, squares = (rounded(total, experts + horizon + 3) for total in sums)
                bounds.append(log(ball(experts)) / rate + ball(rate) / 2 * squares)
                where = {"losses": name, "K": experts, "T": horizon}
                if name != "up to 5":
                    lazy = float(average - sums[1])
                    points.append(
                        at_point({**where, "bound_of": "Lemma 4"}, paid - best, bounds[0], lazy=lazy)
                    )
                points.append(at_point({**where, "bound_of": "second order"}, paid - best, bounds[-1]))
            wrong = largest(abs(one / other - 1) for one, other in zip(computed, bounds, strict=True))
            place = {"losses": "all", "K": experts, "T": horizon, "bound_of": "library's bounds"}
            points.append(at_point(place, wrong, ball(_ROUNDING)))
    return points


def alternating_regret(experts: int, horizon: int) -> Ball:
    """Return the regret at the printed rate when halves of the experts lose 1 in turn, for an even horizon.

    In the second of two rounds the half that has not lost yet has the weight ``1 / (1 + e^-rate)``, and
    loses.
    """
    rate = sqrt(2 * experts * log(experts) / horizon)
    return horizon * (1 / (1 + exp(-rate)) - ball(1) / 2) / 2


def lemma_4_printed(grid: Grid, seed: int) -> list[Point]:
    """The same with Algorithm 1's printed learning rate sqrt(2 K log K / T). [mathematics/003.md#e003-2]

    On alternating losses the regret has a closed form, which is certified.
    """
    points = lemma_4(grid, seed, printed=True)
    for experts, horizon in product(grid["K"], grid["T"]):
        where = {"losses": "alternating, closed form", "K": experts, "T": horizon, "bound_of": "Lemma 4"}
        with precision():
            bound = sqrt(2 * horizon * log(experts))
            points.append(at_point(where, alternating_regret(experts, horizon), bound))
    return points


def revealed_one(losses: Array, rate: float, repetitions: int, rng: np.random.Generator) -> Array:
    """Return regrets (repetitions,) to the best expert when a round reveals one random loss, the others 0."""
    experts = losses.shape[1]
    majority, paid = WeightedMajority(experts, rate=rate, repetitions=repetitions), np.zeros(repetitions)
    for row in losses:
        paid += majority.weights @ row
        revealed = rng.integers(experts, size=(repetitions, 1))
        # Not divided by its chance 1/K: as the algorithm does, which is why the bound has K under the root.
        majority.update(np.where(np.arange(experts) == revealed, row, 0.0))
    return paid - losses.sum(axis=0).min()


def lemma_7(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """When each round reveals one random loss, the expected regret is at most sqrt(2 T K log K).

    Lazy are equal weights.
    """
    cells = cells_of(grid, "losses", "K", "T")
    points = []
    for where, name, experts, horizon in cells:
        fixed = rng_for(seed, "lemma 7", name, experts, horizon)
        nobody = np.zeros((7, experts))  # these losses do not depend on weights
        losses = np.stack([_losses(t, nobody, fixed)[name] for t in range(horizon)])
        rng = rng_for(seed, "lemma 7 revealed", name, experts, horizon, repetitions)
        regrets = revealed_one(losses, learning_rate(experts, horizon, 1), repetitions, rng)
        mean, low, high = (float(end) for end in mean_interval(regrets, intervals=len(cells)))
        bound = math.sqrt(experts) * regret_bound(experts, horizon)
        lazy = float(losses.mean(axis=1).sum() - losses.sum(axis=0).min())
        points.append(Point(where, mean, bound, low, high, notes={"share_of_bound": mean / bound}, lazy=lazy))
    return points
