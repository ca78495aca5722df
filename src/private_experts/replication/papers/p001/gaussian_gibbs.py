"""Gaussian privacy of neighbouring Gibbs measures. [001, Appendix B]"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from private_experts.privacy import gaussian_mechanism
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    flint,
    largest,
    normal_cdf,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import Matrix, matrix
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.convex_losses import Maxima
from private_experts.replication.papers.p001.measures import Case, cases, with_unresolved


def normal_delta(epsilon: Ball | float, u: Ball) -> Ball:
    """Return the least delta of N(0, 1) and N(u, 1) at an epsilon."""
    middle = epsilon / u
    return normal_cdf(u / 2 - middle) - exp(ball(epsilon)) * normal_cdf(-u / 2 - middle)


def _ratio(case: Case, one: Maxima, two: Maxima, epsilons: Sequence[float], lipschitz: float) -> list[Ball]:
    """Return the largest ratio of the two deltas, in both directions."""
    first, second = case.measures(one, two)
    deltas = zip(first.deltas(second, epsilons), second.deltas(first, epsilons), epsilons, strict=True)
    u = case.scale(lipschitz)
    # Both directions: neither measure is a shift of the other, so their deltas differ.
    return [largest(delta / normal_delta(epsilon, u) for *both, epsilon in deltas for delta in both)]


def neighbours(grid: Grid, seed: int) -> list[Point]:
    """Gibbs measures of losses with a G-Lipschitz difference are u-GDP, at most N(0, 1) against N(u, 1).

    The value is the largest ratio of the two deltas, at several epsilon in units of u. Linear losses attain
    it. The library's delta of Gaussians is compared with its ball. [mathematics/001.md#gaussian-neighbours]
    """
    points = []
    for case in cases(grid):
        u = float(grid["G"] * np.sqrt(case.beta / case.lam))
        # Around the mean privacy loss u^2 / 2, in its deviations u: elsewhere delta is all or nothing.
        epsilons = [
            epsilon
            for epsilon in (u * u / 2 + u * deviation for deviation in grid["deviations"])
            if epsilon >= 0
        ]
        rng = rng_for(seed, "gaussian neighbours", *case.where.values())
        pairs = case.pairs(grid["G"], grid["instances"], rng)
        ratios = [case.sharply(_ratio, 1, *pair, epsilons, grid["G"])[0] for pair in pairs]
        with precision(case.bits):
            above, below = (ball(grid[name][case.name]) for name in ("above", "below"))
            points.append(at_point({**case.where, "pair": "worst"}, largest(ratios), 1 + above))
            # Equality needs Gaussians that the edge hardly cuts.
            if case.far:
                points.append(at_point({**case.where, "pair": "linear"}, ratios[0], 1 - below, sense=">="))
        with precision():
            computed = gaussian_mechanism.delta(epsilon=np.array(epsilons), mu=u).tolist()
            errors = [
                abs(delta / normal_delta(eps, ball(u)) - 1)
                for delta, eps in zip(computed, epsilons, strict=True)
            ]
            points.append(
                at_point({**case.where, "pair": "library's Gaussians"}, largest(errors), ball(1e-12))
            )
    return with_unresolved(points, grid)


def _level(hessian: Matrix, slope: Sequence[Ball], beta: float) -> Ball:
    """Return how far apart ``exp(-beta (x'Hx/2 + s'x))`` for slopes 0 and s are: ``|S^(-1/2) (m - m')|``."""
    slopes, inverse = flint().arb_mat([[beta * coordinate] for coordinate in slope]), hessian * beta
    shift = inverse.solve(slopes)  # of the mean
    return sqrt((shift.transpose() * inverse * shift)[0, 0])


@precision()
def quadratic(grid: Grid, seed: int) -> list[Point]:
    """Quadratic losses without an edge: Gaussians whose exact level is at most u, u for no common curvature.

    The losses are ``x'Cx/2`` with random positive semidefinite C, and the same plus ``g x`` with |g| = G. The
    level is that of two Gaussians of equal covariance, ``|S^(-1/2) (m - m')|``, from the means and the
    covariance S themselves, in ball arithmetic. [mathematics/001.md#gaussian-neighbours]
    """
    points = []
    for dimension, beta, lam, curved in product(grid["d"], grid["beta"], grid["lam"], grid["curvature"]):
        rng, shares = rng_for(seed, "gaussian quadratic", dimension, beta, lam, curved), []
        unit = grid["G"] * sqrt(ball(beta) / lam)
        for _ in range(grid["instances"]):
            # For d > 1 not of full rank, so that in one direction lam alone is left, where the level is
            # largest.
            root = matrix(rng.standard_normal((dimension, max(dimension - 1, 1))))
            slope = [ball(coordinate) for coordinate in rng.standard_normal(dimension).tolist()]
            length = sqrt(sum((square(coordinate) for coordinate in slope), ball(0)))
            hessian = root * root.transpose() * curved + matrix(lam * np.eye(dimension))
            shares.append(
                _level(hessian, [coordinate * grid["G"] / length for coordinate in slope], beta) / unit
            )
        where = {"d": dimension, "beta": beta, "lam": lam, "curvature": curved}
        points.append(at_point(where, largest(shares), 1 + ball(1e-9)))
        if not curved:
            points.append(at_point(where, smallest(shares), 1 - ball(1e-9), sense=">="))
    return points
