"""Centred reports: their proof, when bounds say something, an adversary. [mathematics/003.md#centred-reports]"""

import math
from bisect import bisect_left
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.centred import CentredCoordinate, excess
from private_experts.distribution_learning.classes import needle
from private_experts.distribution_learning.game import Risk
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import kl, total_variation
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, integral, log, power, precision, sqrt, square
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003 import bounds
from private_experts.replication.papers.p003.kl_risk import mechanism_of, point_of, unlearned

_MOST = 10**13
_ENOUGH = 0.5  # weight of the truth from which on the adversary shows no difference


def _mean_of_exponential(d: Ball) -> tuple[Ball, Ball]:
    """Return ``d`` and ``sinh d``."""
    return d, (exp(d) - exp(-d)) / 2


def centred_excess(grid: Grid) -> list[Point]:
    """For u in [-L/2, L/2] and Laplace noise, ``E e^(r (u + noise)) - 1 - r u`` is at most `excess`, at u = L/2 equal.

    The noise's factor is ``1 / (1 - y)`` with ``y = (r b)^2``. With ``x = r L / 2`` and ``d = (x - r u) / 2`` what u =
    L/2 has more is at least ``2 e^(x - d) sinh d - 2 d``. So ``d <= sinh d`` is enough, whose difference begins with
    d^3 / 6. The factor is compared with integrals, and the library's excess with the formula.
    """
    points = [over_box({"what": "u"}, _mean_of_exponential, {"d": grid["d"]}, edges=[Edge("d", 0.0, 3)])]
    for where, span, share, epsilon in cells_of(grid, "L", "rb", "eps"):
        noise = span / epsilon
        rate = share / noise
        with precision():
            x, y = ball(rate) * span / 2, square(ball(rate) * noise)
            true = exp(x) / (1 - y) - 1 - x
            points.append(agreement({"what": "excess", **where}, excess(rate, span, noise), true, 1e-9))
            apart = abs(_noise_factor(ball(share)) * (1 - square(ball(share))) - 1)
            points.append(at_point({"what": "factor", **where}, apart, ball(1e-9)))
    return points


def _noise_factor(share: Ball) -> Ball:
    """Return the mean of e^(share z) of a standard Laplace variable z, by integrals up to 200 and a bound."""
    above = integral(lambda z: exp((share - 1) * z) / 2, 0, 200)
    below = integral(lambda z: exp(-(share + 1) * z) / 2, 0, 200)
    return above + below + ball(0, (exp(-200 * (1 - share)) / (1 - share)).upper())


def _first(kind: type[NoisyCoordinate], experts: int, epsilon: float) -> int:
    """Return the least T at which the risk bound is below T log K, by bisection."""

    def below(horizon: int) -> bool:
        bound = kind(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
        return bound < horizon * math.log(experts)

    return 3 + bisect_left(range(3, _MOST), True, key=below)


def centred_bound(k: Ball, t: Ball, epsilon: Ball) -> Ball:
    """Return the bound with centred reports at the best rate; k and t are log K and log T."""
    experts, horizon, width = exp(k), exp(t), bounds.span(k, t)
    noise = width / epsilon
    rate = sqrt(experts * k / (horizon * (square(width) / 8 + square(noise)))).min(1 / (2 * noise))
    x, y = rate * width / 2, square(rate * noise)
    return experts * k / rate + horizon * (exp(x) / (1 - y) - 1 - x) / rate + 3 * width


def centred_informative(grid: Grid) -> list[Point]:
    """With centred reports the bound falls below T log K after that many times fewer rounds than Theorem 5's.

    Both numbers of rounds T are found by bisection. In ball arithmetic the bound with centred reports is below T log K
    at its own, and Theorem 5's is above at every T up to that many times it. The ratio itself is in the notes.
    """
    points = []
    for where, experts, epsilon in cells_of(grid, "K", "eps"):
        ours, theirs = (_first(kind, experts, epsilon) for kind in (CentredCoordinate, NoisyCoordinate))
        notes = {"centred_from": ours, "theorem_5_from": theirs}
        with precision():
            k, t, level = log(ball(experts)), log(ball(ours)), ball(epsilon)
            exact = centred_bound(k, t, level)
            computed = CentredCoordinate(experts, PureDP(epsilon, "local"), horizon=ours).risk_bound
            points.append(agreement({"what": "formula", **where}, computed, exact, 1e-9))
            points.append(at_point({"what": "centred", **where}, exact, ours * k, notes | {"ratio": theirs / ours}))

        def sides(log_T: Ball) -> tuple[Ball, Ball]:  # both times epsilon over the root of K T
            k, level = log(ball(experts)), ball(epsilon)  # noqa: B023
            unit = power(k + log_T, 2.5)
            return exp((log_T - k) / 2) * k * level, bounds.theorem_5_over_rate(k, log_T, level) * unit

        box = {"log_T": widened(math.log(2), math.log(grid["times"] * ours))}
        points.append(over_box({"what": "Theorem 5", **where}, sides, box))
    return points


def against_weights(
    mechanism: Mechanism, base: Array, horizon: int, repetitions: int, rng: np.random.Generator
) -> Risk:
    """Play against an adversary who sees the weights, and teaches only those who still lose."""
    features = np.stack([base, np.broadcast_to(base[0], base.shape)])
    learner = mechanism.learner(repetitions)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for _ in range(horizon):
        chosen = (learner.majority.weights[:, 0] >= _ENOUGH).astype(np.intp)
        predicted = np.stack([learner.predict(feature) for feature in features])[chosen, np.arange(repetitions)]
        divergence += kl(base[0], predicted)
        variation += total_variation(base[0], predicted)
        labels = np.searchsorted(base[0].cumsum()[:-1], rng.random(repetitions), side="right")
        reports = np.zeros((repetitions, len(base)))
        for number, feature in enumerate(features):
            mine = chosen == number
            if mine.any():
                reports[mine] = mechanism.privatize(labels[mine], feature, rng).values
        learner.update(LabelReports(reports, mechanism))
    return Risk(divergence, variation / horizon)


def adaptive(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Both bounds hold against an adversary who chooses features by the learner's weights. Lazy is never to learn."""
    games = []
    for (algorithm, epsilon), experts in product(grid["algorithm_at_eps"].items(), grid["K"]):
        horizon = grid["T"]
        base = needle(experts, grid["amplitude"])
        mechanism = mechanism_of(algorithm, experts, base.shape[-1], horizon, epsilon)
        rng = rng_for(seed, "adaptive", algorithm, experts, horizon, epsilon, repetitions)
        where = {"algorithm": algorithm, "K": experts, "T": horizon, "eps": epsilon}
        risk = against_weights(mechanism, base, horizon, repetitions, rng)
        lazy = horizon * unlearned(base) if 1 / experts < _ENOUGH else 0.0  # it shows no difference to weights of 1/2
        games.append((where, mechanism, risk, lazy))
    return [point_of(*game, intervals=len(games)) for game in games]
