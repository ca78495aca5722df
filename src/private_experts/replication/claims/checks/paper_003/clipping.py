"""Clipping: the number of cells, the span of log-likelihoods, the cost in risk. [003, equations 3-7 and 31]

[mathematics/003.md#equation-7] [mathematics/003.md#clipping-cost]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.classes import dirichlet, packed
from private_experts.distributions.clipping import clip
from private_experts.distributions.risk import kl
from private_experts.distributions.scaling import log_span
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import Ball, ball, log, log1p, precision
from private_experts.replication.claims.certified.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_ROUNDING = 1e-12

INSTANCES: Mapping[str, Array] = {
    "one, two labels": np.array([[0.6, 0.4]]),
    "apart, four labels": np.array([[0.4, 0.6, 0.0, 0.0], [0.0, 0.0, 0.4, 0.6]]),
    "three eighths": np.array([[0.25, 0.375, 0.375, 0.0], [0.0, 0.0, 0.0, 1.0]]),
    "nine eightieths": np.array([[0.1, *[9 / 80] * 8, 0.0], [*[0.0] * 9, 1.0]]),
    "packed 2 x 20": packed(2, 20),
    "packed 3 x 10": packed(3, 10),
}
"""Classes by name. All have more than KM cells. At T = 100 all but the first two have a span above log(KT)."""


def random_classes(experts: int, labels: int, instances: int, seed: int) -> Array:
    """Return random classes (instances, K, M). Half of the distributions lie just above multiples of 1/M.

    There rounding up costs each possible label but one a further cell, so the classes have many cells.
    """
    rng = rng_for(seed, "classes", experts, labels, instances)
    f = dirichlet(instances * experts, labels, 0.5, rng)
    half = rng.multinomial(labels, f[: f.shape[0] // 2]) / labels
    lifted = half + (half > 0) * 1e-4 / labels
    likeliest = np.arange(labels) == half.argmax(axis=-1)[:, None]
    f[: len(half)] = np.where(likeliest, half + half.sum(axis=-1, keepdims=True) - lifted.sum(axis=-1, keepdims=True)
                              + 1e-4 / labels, lifted)  # fmt: skip
    return f.reshape(instances, experts, labels)


def equation_7(grid: Grid, repetitions: int, seed: int, printed: bool = False) -> list[Point]:
    """Clipping uses M to (K + 1) M cells, and clipped probabilities lie between 1 / (T (K + 1) M) and 1 / M."""
    named = [(name, INSTANCES[name][None]) for name in grid["class"]]
    searched = [
        (f"worst of {grid['instances']}, K = {k}, M = {m}", random_classes(k, m, grid["instances"], seed))
        for k, m in product(grid["K"], grid["M"])
    ]
    points = []
    for (name, classes), horizon in product(named + searched, grid["T"]):
        _, experts, labels = classes.shape
        clipped = clip(classes, horizon)
        span = np.log(clipped.values.max(axis=(1, 2)) / clipped.values.min(axis=(1, 2)))
        most = experts if printed else experts + 1
        where = {"class": name, "T": horizon}
        points += [
            at_point({**where, "quantity": "cells"}, ball(float(clipped.total.max())), ball(most * labels)),
            at_point({**where, "quantity": "cells"}, ball(float(clipped.total.min())), ball(labels), sense=">="),
            Point({**where, "quantity": "M x probability"}, float(clipped.values.max() * labels), 1 + _ROUNDING),
            Point(
                {**where, "quantity": "M x probability"},
                float(clipped.values.min() * labels),
                (1 - _ROUNDING) / (horizon * most),
                sense=">=",
            ),
            Point(
                {**where, "quantity": "span"},
                float(span.max()),
                log_span(experts, horizon, "printed" if printed else "proved"),
            ),
        ]
    return points


def equation_7_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with KM cells and a smallest probability of 1 / (TKM). [mathematics/003.md#e003-1]"""
    return equation_7(grid, repetitions, seed, printed=True)


def _costs(classes: Array, weights: Array, horizon: int) -> Array:
    """Return ``KL(f_1, prediction) - KL(clipped f_1, clipped mixture)`` of classes (..., K, M), weights (..., K)."""
    clipped = clip(classes, horizon)
    mixture = (weights[..., None] * clipped.values).sum(axis=-2) * clipped.sizes
    return kl(classes[..., 0, :], mixture) - kl(clipped.values[..., 0, :] * clipped.sizes, mixture)


def _apart(labels: int) -> Array:
    """Return a class (2, M): one distribution is sure of a label, the other is uniform on all other labels."""
    classes = np.full((2, labels), 1 / (labels - 1))
    classes[0], classes[1, 0] = 0.0, 0.0
    classes[0, 0] = 1.0
    return classes


def clipping_cost(grid: Grid, repetitions: int, seed: int, printed: bool = False) -> list[Point]:
    """Clipping adds at most 2 log((K + 1) T) / T - log(1 - 1/T) to the KL risk of a round, 3 log((K + 1) T) in all.

    Values are for T rounds. One case is the worst of random classes and weights. The other has a sure label against all
    others, with nearly all weight on the others.
    """
    rng = rng_for(seed, "weights")
    points = []
    for horizon in grid["T"]:
        cases = [(f"apart, M = {m}", _apart(m)[None], np.array([[1e-9, 1 - 1e-9]])) for m in grid["M"]]
        for experts, labels in product(grid["K"], grid["M"]):
            classes = random_classes(experts, labels, grid["instances"], seed)
            weights = rng.dirichlet(np.full(experts, 0.3), size=len(classes))
            cases.append((f"worst of {grid['instances']}, K = {experts}, M = {labels}", classes, weights))
        for name, classes, weights in cases:
            _, experts, labels = classes.shape
            value = horizon * float(_costs(classes, weights, horizon).max())
            smoothing = -horizon * math.log1p(-1 / horizon)
            span = log_span(experts, horizon, "printed" if printed else "proved")
            second = span / (experts * labels) if printed else span
            where = {"class": name, "T": horizon}
            points.append(Point({**where, "quantity": "cost of clipping"}, value, span + second + smoothing))
    if not printed:  # for T = 2 and K = 1 both sides are log 4, and below q = 1/2 the difference begins with 1.6 / T
        where, box = {"class": "none", "T": 0, "quantity": "- T log(1 - 1/T)"}, {"q": [1e-300, 0.5]}
        points.append(over_box(where, _smoothing, box, edges=[Edge("q", 0.5, 1)]))
        for horizon in grid["T"]:
            place, least = {**where, "T": horizon, "quantity": "log(2 T)"}, log_span(1, horizon, "proved")
            with precision():
                points.append(agreement(place, least, log(2 * ball(horizon)), 1e-12))
    return points


def _smoothing(q: Ball) -> tuple[Ball, Ball]:
    """Return -log(1 - q) and q log(2 / q), which are ``-T log(1 - 1/T)`` and ``log(2 T)`` times ``q = 1 / T``."""
    return -log1p(-q), q * (log(2) - log(q))


def clipping_cost_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with log(KT) / T + log(KT) / (KTM), as printed in equation 31. [mathematics/003.md#e003-6]"""
    return clipping_cost(grid, repetitions, seed, printed=True)
