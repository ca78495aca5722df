"""Centred reports: their risk, the step of its proof, an adversary. [mathematics/003.md#centred-reports]"""

from dataclasses import replace
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.centred import CentredCoordinate, excess
from private_experts.distribution_learning.game import Risk
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.risk import kl, total_variation
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, integral, log, precision, sqrt, square
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003 import bounds
from private_experts.replication.papers.p003.classes import needle
from private_experts.replication.papers.p003.kl_risk import mechanism_of, point_of, under_bound, unlearned

_ENOUGH = 0.5  # weight of the truth from which on the adversary shows no difference


def _mean_of_exponential(d: Ball) -> tuple[Ball, Ball]:
    """Return ``d`` and ``sinh d``."""
    return d, (exp(d) - exp(-d)) / 2


def centred_reports(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With centred reports the expected KL risk is at most K log K / r + T excess / r + 3 log((K + 1) T).

    The notes have the bound as a share of Theorem 5's, which is for the same reports. Cells of their own
    prove the step that the smaller bound comes from, and compare the library's bound with its formula.
    """
    risks = [_beside_theorem_5(point) for point in under_bound("centred reports", grid, repetitions, seed)]
    return [*risks, *_excess_points(grid["excess"]), *_formula_points(grid["formula"])]


def _beside_theorem_5(risk: Point) -> Point:
    """Return the point with a note: the bound as a share of Theorem 5's in the same game."""
    experts, horizon, epsilon = (risk.where[name] for name in ("K", "T", "eps"))
    printed = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
    return replace(risk, notes={**risk.notes, "of_theorem_5": risk.bound / printed})


def _excess_points(cells: Grid) -> list[Point]:
    """For u in [-L/2, L/2] and Laplace, ``E e^(r (u + noise)) - 1 - r u`` is at most `excess`, met at L/2.

    The noise's factor is ``1 / (1 - y)`` with ``y = (r b)^2``. With ``x = r L / 2`` and ``d = (x - r u) / 2``
    what u = L/2 has more is at least ``2 e^(x - d) sinh d - 2 d``. So ``d <= sinh d`` is enough, whose
    difference begins with d^3 / 6. The factor is compared with integrals, and the library's excess with the
    formula.
    """
    points = [over_box({"what": "u"}, _mean_of_exponential, {"d": cells["d"]}, edges=[Edge("d", 0.0, 3)])]
    for where, span, share, epsilon in cells_of(cells, "L", "rb", "eps"):
        noise = span / epsilon
        # As a share of 1/b: the moment 1 / (1 - (r b)^2) exists for shares below 1 alone.
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
    # By halves, as the density has a kink at 0.
    above = integral(lambda z: exp((share - 1) * z) / 2, 0, 200)
    below = integral(lambda z: exp(-(share + 1) * z) / 2, 0, 200)
    return above + below + ball(0, (exp(-200 * (1 - share)) / (1 - share)).upper())


def centred_bound(k: Ball, t: Ball, epsilon: Ball) -> Ball:
    """Return the bound with centred reports at the best rate; k and t are log K and log T."""
    experts, horizon, width = exp(k), exp(t), bounds.span(k, t)
    noise = width / epsilon
    rate = sqrt(experts * k / (horizon * (square(width) / 8 + square(noise)))).min(1 / (2 * noise))
    x, y = rate * width / 2, square(rate * noise)
    return experts * k / rate + horizon * (exp(x) / (1 - y) - 1 - x) / rate + 3 * width


def _formula_points(cells: Grid) -> list[Point]:
    """The library's bound is the formula's, at the better rate. [mathematics/003.md#centred-reports]"""
    points = []
    for where, experts, horizon, epsilon in cells_of(cells, "K", "T", "eps"):
        computed = CentredCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon).risk_bound
        with precision():
            exact = centred_bound(log(ball(experts)), log(ball(horizon)), ball(epsilon))
            points.append(agreement({"what": "formula", **where}, computed, exact, 1e-9))
    return points


def against_weights(
    mechanism: Mechanism, base: Array, horizon: int, repetitions: int, rng: np.random.Generator
) -> Risk:
    """Play against an adversary who sees the weights, and teaches only those who still lose."""
    # In the second all distributions predict as the truth does, so a round of it costs and teaches nothing.
    features = np.stack([base, np.broadcast_to(base[0], base.shape)])
    learner = mechanism.learner(repetitions)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for _ in range(horizon):
        # Each repetition has its own adversary, who sees the weights before the round.
        chosen = (learner.majority.weights[:, 0] >= _ENOUGH).astype(np.intp)
        predicted = np.stack([learner.predict(feature) for feature in features])[
            chosen, np.arange(repetitions)
        ]
        divergence += kl(base[0], predicted)
        variation += total_variation(base[0], predicted)
        labels = np.searchsorted(base[0].cumsum()[:-1], rng.random(repetitions), side="right")
        reports = np.zeros((repetitions, len(base)))
        for number, feature in enumerate(features):
            with_class = chosen == number
            if with_class.any():
                reports[with_class] = mechanism.privatize(labels[with_class], feature, rng).values
        learner.update(LabelReports(reports, mechanism))
    return Risk(divergence, variation / horizon)


def adaptive(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Both bounds hold against an adversary who sees the learner's weights. Lazy is never to learn."""
    games = []
    for (algorithm, epsilon), experts in product(grid["algorithm_at_eps"].items(), grid["K"]):
        horizon = grid["T"]
        base = needle(experts, grid["amplitude"])
        mechanism = mechanism_of(algorithm, experts, base.shape[-1], horizon, epsilon)
        rng = rng_for(seed, "adaptive", algorithm, experts, horizon, epsilon, repetitions)
        where = {"algorithm": algorithm, "K": experts, "T": horizon, "eps": epsilon}
        risk = against_weights(mechanism, base, horizon, repetitions, rng)
        # it shows no difference to weights of 1/2
        lazy = horizon * unlearned(base) if 1 / experts < _ENOUGH else 0.0
        games.append((where, mechanism, risk, lazy))
    return [point_of(*game, intervals=len(games)) for game in games]
