"""Lemmas 5 and 8 where the noise is fixed, and the inequality behind them in every single game.

[mathematics/003.md#along-paths]
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import kl
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p003.classes import tilted
from private_experts.replication.papers.p003.features import FEATURES
from private_experts.replication.papers.p003.kl_risk import mechanism_of, unlearned
from private_experts.replication.study.intervals import mean_interval


@dataclass(frozen=True)
class Paths:
    """What games with the same noise and other labels have added up to, each (repetitions,)."""

    risk: Array  # KL divergences of the predictions from the truth
    noise: Array  # weighted noise less that of the truth
    regret: Array  # of the reported losses, to the truth
    second_order: Array  # the bound on that regret


def noise_within(mechanism: NoisyVector | NoisyCoordinate, rng: np.random.Generator) -> Array:
    """Draw noise (T, K) until no value is beyond the shift, which is the good event."""
    while True:
        noise = mechanism.scaling.laplace(rng, (mechanism.horizon, mechanism.experts))
        # Rejected and not cut off: the statement is conditional on the event, and noise there has its own
        # law.
        if np.abs(noise).max() <= mechanism.scaling.shift:
            return noise


def play_paths(
    mechanism: NoisyVector | NoisyCoordinate,
    rounds: Array,
    noise: Array,
    repetitions: int,
    rng: np.random.Generator,
) -> Paths:
    """Play games that differ in labels, cells and, of Algorithm 2, in reports, on the same noise."""
    learner, experts = mechanism.learner(repetitions), mechanism.experts
    risk, weighted, regret, squares = np.zeros((4, repetitions))
    for f, added in zip(rounds, noise, strict=True):
        clipped, predicted = clip(f, mechanism.horizon), learner.predict(f)
        weights = learner.majority.weights
        # The last sum is left out: rounded below 1 it would let a number find no label.
        labels = np.searchsorted(f[0].cumsum()[:-1], rng.random(repetitions), side="right")
        exact = np.log(clipped.values[:, clipped.draw(labels, rng)]).T
        losses = mechanism.scaling.losses(exact + added, f.shape[1])
        if isinstance(mechanism, NoisyCoordinate):
            # Algorithm 2 reveals one coordinate of each user.
            losses = np.where(np.arange(experts) == rng.integers(experts, size=(repetitions, 1)), losses, 0.0)
        risk += kl(f[0], predicted)
        weighted += weights @ added - added[0]
        regret += (weights * losses).sum(axis=1) - losses[:, 0]
        squares += (weights * losses**2).sum(axis=1)
        learner.update(LabelReports(losses, mechanism))
    rate = mechanism.learning_rate
    return Paths(risk, weighted, regret, math.log(experts) / rate + rate / 2 * squares)


def along_paths(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With noise within the shift the mean risk, less noise terms, is within regret's bound over c, and 3 L.

    The mean is over labels alone, and over what Algorithm 2 reveals. In every game the regret of the reported
    losses is at most the second-order bound. Lazy are weights that stay equal.
    """
    points = []
    cells = list(product(grid["eps"].items(), grid["features"], grid["K"], grid["noise"]))
    for (name, epsilon), features, experts, draw in cells:
        horizon, base = grid["T"], tilted(experts, 0.9)
        mechanism = mechanism_of(name, experts, base.shape[1], horizon, epsilon)
        assert isinstance(mechanism, NoisyVector | NoisyCoordinate)
        fixed = rng_for(seed, "noise of paths", name, features, experts, draw)
        rounds, noise = FEATURES[features](base, horizon, fixed), noise_within(mechanism, fixed)
        rng = rng_for(seed, "along paths", name, features, experts, draw, repetitions)
        paths = play_paths(mechanism, rounds, noise, repetitions, rng)
        mean, low, high = (
            float(end) for end in mean_interval(paths.risk - paths.noise, intervals=len(cells))
        )
        width = mechanism.scaling.width
        bound = mechanism.risk_bound - width  # without the share of noise beyond the shift
        lazy = sum(map(unlearned, rounds)) - float((noise.mean(axis=1) - noise[:, 0]).sum())
        place = {
            "algorithm": name,
            "features": features,
            "K": experts,
            "T": horizon,
            "eps": epsilon,
            "noise": draw,
        }
        notes = {"risk": float(paths.risk.mean()), "noise_terms": float(paths.noise.mean())}
        points.append(
            Point({**place, "what": "mean over labels"}, mean, bound, low, high, notes=notes, lazy=lazy)
        )
        most = float((paths.regret / paths.second_order).max())
        # Without a mean: the inequality is deterministic, so the worst of all games has to keep it.
        points.append(Point({**place, "what": "every game"}, most, 1 + 1e-12))
    return points
