"""Gaussian privacy of Gibbs draws: of neighbouring measures, of lotteries, and of whole plays. [001, App. B and D]

[mathematics/001.md#gaussian-draws]
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.gaussian_levels import lottery_level
from private_experts.convex.gibbs import GridGibbs
from private_experts.privacy import gaussian_mechanism
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import (
    Ball,
    ball,
    exp,
    flint,
    largest,
    normal_cdf,
    normal_density,
    normal_quantile,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.claims.certified.boxes import agreement, at_point, over_box
from private_experts.replication.claims.certified.matrices import Matrix, matrix
from private_experts.replication.claims.checks.paper_001.measures import DOMAINS, cases, with_unresolved
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def _excess(one: Array, two: Array, epsilons: Array) -> Array:
    """Return delta at each epsilon, for two rows of log-probabilities, the larger of both directions."""
    gains = one - two - epsilons[:, None], two - one - epsilons[:, None]
    return np.maximum(*(
        -np.expm1(-np.maximum(gain, 0.0)) @ np.exp(law) for gain, law in zip(gains, (one, two), strict=True)
    ))  # fmt: skip


def neighbours(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Gibbs measures of losses with a G-Lipschitz difference are u-GDP: delta is at most that of N(0, 1) and N(u, 1).

    The value is the largest ratio of the two deltas, at several epsilon in units of u. Linear losses attain it.
    [mathematics/001.md#gaussian-neighbours]
    """
    points = []
    for case in cases(grid):
        where, far = case.where, case.far
        count = case.cells or grid["cells"][case.name]
        family = GridGibbs(DOMAINS[case.name].grid(count), beta=case.beta, lam=case.lam)
        u = grid["G"] * math.sqrt(family.beta / family.lam)
        epsilons = u * u / 2 + u * np.array(grid["deviations"])
        epsilons = epsilons[epsilons >= 0]
        bounds = gaussian_mechanism.delta(epsilons, u)
        rng, ratios = rng_for(seed, "gaussian neighbours", *where.values()), []
        for pair in case.pairs(grid["G"], grid["instances"], rng):
            one, two = family.log_masses(np.stack([loss.at(family.points) for loss in pair]))
            ratios.append(float((_excess(one, two, epsilons) / bounds).max()))
        points.append(Point({**where, "pair": "worst"}, max(ratios), 1 + grid["allowed"]))
        if far:
            points.append(Point({**where, "pair": "linear"}, ratios[0], 1 - grid["allowed"], sense=">="))
    return with_unresolved(points, grid)


def _level(hessian: Matrix, slope: Sequence[Ball], beta: float) -> Ball:
    """Return how far apart ``exp(-beta (x'Hx/2 + s'x))`` for slopes 0 and s are: ``|S^(-1/2) (m - m')|``."""
    slopes, inverse = flint().arb_mat([[beta * each] for each in slope]), hessian * beta
    shift = inverse.solve(slopes)  # of the mean
    return sqrt((shift.transpose() * inverse * shift)[0, 0])


@precision()
def quadratic(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Quadratic losses without an edge: Gaussians, whose exact level is at most u, and u for no common curvature.

    The losses are ``x'Cx/2`` with random positive semidefinite C, and the same plus ``g x`` with |g| = G. The level is
    that of two Gaussians of equal covariance, ``|S^(-1/2) (m - m')|``, from the means and the covariance S themselves,
    in ball arithmetic. [mathematics/001.md#gaussian-neighbours]
    """
    points = []
    for dimension, beta, lam, curved in product(grid["d"], grid["beta"], grid["lam"], grid["curvature"]):
        rng, shares = rng_for(seed, "gaussian quadratic", dimension, beta, lam, curved), []
        unit = grid["G"] * sqrt(ball(beta) / lam)
        for _ in range(grid["instances"]):
            root = matrix(rng.standard_normal((dimension, max(dimension - 1, 1))))
            slope = [ball(each) for each in rng.standard_normal(dimension).tolist()]
            length = sqrt(sum((square(each) for each in slope), ball(0)))
            hessian = root * root.transpose() * curved + matrix(lam * np.eye(dimension))
            shares.append(_level(hessian, [each * grid["G"] / length for each in slope], beta) / unit)
        where = {"d": dimension, "beta": beta, "lam": lam, "curvature": curved}
        points.append(at_point(where, largest(shares), 1 + ball(1e-9)))
        if not curved:
            points.append(at_point(where, smallest(shares), 1 - ball(1e-9), sense=">="))
    return points


def _hazard(z: Ball) -> tuple[Ball, Ball]:
    """Return both sides of ``z Phi(-z) <= phi(z)``, which says that the normal law's hazard rate grows."""
    return z * normal_cdf(-z), normal_density(z)


def lottery(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A lottery that draws with probability at least p is `lottery_level`-GDP, and no smaller level will do.

    For probabilities of keeping k and k exp(-a) the least level is ``g(x + a) - g(x)`` with ``x = -log k`` and
    ``g(x) = Phi^-1(1 - e^-x)``. At the least x, ``-log(1 - p)``, it is the stated one. It is largest there because the
    hazard rate of the normal law grows. Proved over a range: that it grows. At points: the library's level, and that
    smaller probabilities of keeping need less. [mathematics/001.md#lottery-level]
    """
    points = [over_box({"quantity": "hazard"}, _hazard, {"z": grid["z"]})]
    for p, spread in product(grid["p"], grid["spread"]):
        where, computed = {"p": p, "spread": spread}, lottery_level(p, spread)
        with precision(200):  # so that 1 - k keeps its digits
            keeps = [(1 - ball(p)) * share for share in grid["kept"]]
            levels = [normal_quantile(1 - keep * exp(-ball(spread))) - normal_quantile(1 - keep) for keep in keeps]
            points.append(at_point({**where, "quantity": "other"}, largest(levels[1:]), levels[0]))
            points.append(agreement({**where, "quantity": "level"}, computed, levels[0], 1e-9))
    return points
