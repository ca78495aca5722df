"""Centred reports: the step of their proof, from when on bounds say something, and an adaptive adversary.

[mathematics/003.md#centred-reports]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.centred import CentredCoordinate, excess
from private_experts.distributions.classes import needle
from private_experts.distributions.game import Risk
from private_experts.distributions.interface import Mechanism
from private_experts.distributions.pure import NoisyCoordinate
from private_experts.distributions.reports import LabelReports
from private_experts.distributions.risk import kl, total_variation
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_003.risk import mechanism_of, point_of
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_MOST = 10**13
_ENOUGH = 0.5  # weight of the truth from which on the adversary shows no difference


def centred_excess(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For u in [-L/2, L/2] and Laplace noise, ``E e^(r (u + noise)) - 1 - r u`` is at most `excess`, at u = L/2 equal.

    The expectation is a quadrature of the Laplace density, in 30 digits. [mathematics/003.md#centred-reports]
    """
    import mpmath as mp

    points = []
    with mp.workdps(30):
        for span, share, epsilon in product(grid["L"], grid["rb"], grid["eps"]):
            noise = span / epsilon
            rate = share / noise
            bound = excess(rate, span, noise)
            sides = [
                mp.quad(lambda z, s=side, r=rate, b=noise: mp.exp(s * r * z - z / b) / (2 * b), [0, noise, mp.inf])
                for side in (1, -1)
            ]
            moment = sides[0] + sides[1]
            u = [mp.mpf(span) * each / 2 for each in np.linspace(-1, 1, 41)]
            gaps = [float((mp.exp(rate * each) * moment - 1 - rate * each) / bound - 1) for each in u]
            where = {"L": span, "rb": share, "eps": epsilon}
            points.append(Point({**where, "u": "all"}, max(gaps), 1e-9))
            points.append(Point({**where, "u": "L/2"}, gaps[-1], -1e-9, sense=">="))
    return points


def _first(kind: type[NoisyCoordinate], experts: int, epsilon: float) -> int:
    """Return the least T at which the risk bound is below T log K, by bisection."""
    low, high = 2, _MOST
    while high - low > 1:
        middle = (low + high) // 2
        bound = kind(experts, PureDP(epsilon, "local"), horizon=middle).risk_bound
        below = bound < middle * math.log(experts)
        low, high = (low, middle) if below else (middle, high)
    return high


def centred_informative(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With centred reports the bound falls below T log K after that many times fewer rounds than Theorem 5's."""
    points = []
    for experts, epsilon in product(grid["K"], grid["eps"]):
        ours, theirs = (_first(kind, experts, epsilon) for kind in (CentredCoordinate, NoisyCoordinate))
        notes = {"centred_from": ours, "theorem_5_from": theirs}
        points.append(Point({"K": experts, "eps": epsilon}, theirs / ours, grid["times"], sense=">=", notes=notes))
    return points


def against_weights(
    mechanism: Mechanism, base: Array, horizon: int, repetitions: int, rng: np.random.Generator
) -> Risk:
    """Play against an adversary who sees the weights, and teaches only those who still lose.

    While the truth, the first row of `base`, has less than half of the weight, the feature is `base`. From half on, all
    distributions agree, until noise has brought the weight below half again. Each repetition has features of its own.
    """
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
    """Both bounds hold against an adversary who chooses features by the learner's weights."""
    games = []
    for (algorithm, epsilon), experts in product(grid["algorithm_at_eps"].items(), grid["K"]):
        horizon = grid["T"]
        base = needle(experts, grid["amplitude"])
        mechanism = mechanism_of(algorithm, experts, base.shape[-1], horizon, epsilon)
        rng = rng_for(seed, "adaptive", algorithm, experts, horizon, epsilon, repetitions)
        where = {"algorithm": algorithm, "K": experts, "T": horizon, "eps": epsilon}
        games.append((where, mechanism, against_weights(mechanism, base, horizon, repetitions, rng)))
    return [point_of(*game, intervals=len(games)) for game in games]
