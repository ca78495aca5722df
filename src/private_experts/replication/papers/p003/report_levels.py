"""The exact privacy of the reports of both algorithms. [003, Lemmas 2, 3 and 6]"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.privacy_level import exact_levels
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.scaling import Scaling, Span
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.replication.balls.balls import ball, log, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.clipping_costs import random_classes
from private_experts.replication.papers.p003.drawn import worst_level
from private_experts.replication.papers.p003.named import EXACT, INSTANCES, interval_level, level

_DELTA = 1e-5


def _scalings(experts: int, grid: Grid, span: Span) -> Iterator[tuple[dict[str, Any], Scaling]]:
    for where, algorithm, horizon, epsilon in cells_of(grid, "report", "T", "eps"):
        mechanism: NoisyCoordinate | NoisyVector
        if algorithm == "algorithm 2":
            mechanism = NoisyCoordinate(experts, PureDP(epsilon, "local"), horizon=horizon)
        else:
            mechanism = NoisyVector(experts, ApproximateDP(epsilon, _DELTA, "local"), horizon=horizon)
        yield where, replace(mechanism.scaling, span=span)


def lemma_6(grid: Grid, repetitions: int, seed: int, span: Span = "proved") -> list[Point]:
    """The report of Algorithm 2, and each coordinate of Algorithm 1's, has at most the level asked for.

    For classes with names the library's level is compared with balls.
    """
    points = []
    for name in grid["class"]:
        experts = len(EXACT[name])
        for where, scaling in _scalings(experts, grid, span):
            place, asked = {"class": name, **where}, ball(float(scaling.level))
            with precision():
                width = log(ball(experts + (span == "proved")) * scaling.horizon)
                exact = level(EXACT[name], scaling.horizon, width / asked)
                points.append(at_point(place, exact, asked))
                if span == "proved":
                    computed = float(exact_levels(INSTANCES[name], scaling.horizon, scaling.noise).max())
                    points.append(agreement({**place, "report": f"{where['report']}, library"}, computed, exact, 1e-9))
    for experts, labels in product(grid["K"], grid["M"]):
        classes = random_classes(experts, labels, grid["instances"], seed)
        for where, scaling in _scalings(experts, grid, span):
            place = {"class": f"worst of {grid['instances']}, K = {experts}, M = {labels}", **where}
            with precision():
                found = worst_level(clip(classes, scaling.horizon), scaling.noise)
                points.append(at_point(place, found, ball(float(scaling.level))))
    return points


def lemma_6_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with noise for a span of log(KT). [mathematics/003.md#e003-1]"""
    return lemma_6(grid, repetitions, seed, "printed")


def _densities(classes: Array, horizon: int, noise: float, j: int, z: Array) -> Array:
    """Return the density at z of a report about distribution j, for each label, shape (M, z). Sums over cells."""
    clipped = clip(classes, horizon)
    owner = np.repeat(np.arange(clipped.sizes.size), clipped.sizes.astype(int))
    mapped = np.full((clipped.sizes.size, owner.size), 1 / (horizon * owner.size))  # law of h(y) on cells
    own = owner == np.arange(clipped.sizes.size)[:, None]
    mapped += own * (1 - 1 / horizon) / clipped.sizes[:, None]
    centres = np.log(clipped.values[j, owner])
    return mapped @ (np.exp(-np.abs(z - centres[:, None]) / noise) / (2 * noise))


def _delta(classes: Array, horizon: int, noise: float, epsilon: float) -> float:
    """Return the delta at `epsilon`, over all pairs of labels, by quadrature between log-likelihoods."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    deltas = []
    for j in range(classes.shape[0]):
        centres = np.unique(np.log(clip(classes, horizon).values[j]).round(12))
        ends = np.sort([*centres, *np.linspace(centres[0] - 25 * noise, centres[-1] + 25 * noise, 200)])
        half = np.diff(ends)[:, None] / 2
        z = ends[:-1, None] + half * (1 + nodes)
        density = _densities(classes, horizon, noise, j, z.ravel()).reshape(-1, *z.shape)
        excess = np.maximum(density[:, None] - np.exp(epsilon) * density, 0.0)
        deltas.append((excess * weights * half).sum(axis=(-2, -1)))
    return float(np.mean(deltas, axis=0).max())


def laplace_mixtures(grid: Grid) -> list[Point]:
    """The closed form of the privacy level agrees with probabilities of intervals of outputs.

    The level is the library's, and the probabilities are balls, for each pair of labels. Over an interval of w noise
    scales a log-ratio of densities changes by at most 2w. The notes give the delta at which the report is (epsilon,
    delta)-LDP, by quadrature over explicit cells.
    """
    points = []
    for name, epsilon, horizon in product(grid["class"], grid["eps"], grid["T"]):
        for span in ("printed", "proved"):
            classes = INSTANCES[name]
            mechanism = NoisyCoordinate(len(classes), PureDP(epsilon, "local"), horizon=horizon)
            noise = replace(mechanism.scaling, span=span).noise
            found = float(exact_levels(classes, horizon, noise).max())
            where = {"class": name, "T": horizon, "eps": epsilon, "span": span}
            notes = {"level": found, "delta_at_eps": _delta(classes, horizon, noise, epsilon)}
            with precision():
                apart = abs(interval_level(EXACT[name], horizon, ball(noise), grid["width"]) - found)
                points.append(at_point(where, apart, ball(2 * grid["width"] + 1e-9), notes))
    return points
