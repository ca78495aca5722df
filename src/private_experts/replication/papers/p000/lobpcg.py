"""LOBPCG on RW-Meta's matrices: how near it comes, how fast, and where it stays. [000, A.1 and A.3]

It is SciPy's, with a block of one vector, and starts from the last round's eigenvector. That the settings are
SciPy's own, 20 iterations at most, is ASSUMED. Below five learners SciPy takes a dense solver.
[mathematics/000.md#lobpcg]
"""

import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy.special import expit

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.arrays import Array
from private_experts.games.play import private_reports
from private_experts.learners.linear_filter import LinearFilters, trend_weights
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, precision, square, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import leadings
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.meta import actions_of, agreement

_SENSITIVITY = 0.15  # of a week's densities, about that of the hospitals
_NEAR = 1e-6  # of the spectrum's width: nearer to an eigenvalue a quotient has too few digits


def run_lobpcg(matrix: Array, start: Array, **options: Any) -> Any:
    """Return what LOBPCG finds, without its warning when it stops short of its tolerance."""
    from scipy.sparse.linalg import lobpcg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lobpcg(matrix, start, largest=True, **options)


def followed_eigenvalues(matrices: Iterable[Array], start: Array) -> Array:
    """Return LOBPCG's leading eigenvalue of each matrix, if it starts from the eigenvector before."""
    values, vector = [], start
    for matrix in matrices:
        value, vector = run_lobpcg(matrix, vector)
        # The vector goes on even if it was wrong: a follower that is lost once may stay lost, which is the
        # question.
        values.append(float(value[0]))
    return np.array(values)


def sigmas(n: int, mu: float, windows: list[int], horizon: int, copies: int, seed: int) -> Array:
    """Return Sigma (m, m) after each round of RW-Meta with the study's learners; gains drift slowly."""
    rng = rng_for(seed, "plays for LOBPCG", n, mu, len(windows))
    gains = _SENSITIVITY * expit(rng.normal(0, 0.2, (horizon, n)).cumsum(axis=0) + rng.standard_normal(n) - 2)
    guarantee, noise = GaussianDP(mu, "local"), SimulatedNoise(rng)
    leader = RWFTPL(n, guarantee, noise_scale=_SENSITIVITY / mu, noise=noise, repetitions=copies)
    first = Reports(leader.total, guarantee, scale=_SENSITIVITY / mu)
    settings = [*product(windows, (0.1, 1.0, 10.0))]
    meta = RWMeta([LinearFilters(trend_weights, settings, first), leader], guarantee, rng=rng)
    covariances = []
    for report in private_reports(gains, guarantee, _SENSITIVITY, noise, copies):
        meta.update(report)
        covariances.append(meta.sigma)
    return np.array(covariances)


def lobpcg_agrees(cells: Grid, seed: int) -> list[Point]:
    """In every round LOBPCG finds the leading eigenvalue, on plays of RW-Meta with the study's learners.

    The value is the largest difference from the true eigenvalue, in units of the noise variance of a
    learner's total.
    """
    points = []
    for n, mu, windows in product(cells["n"], cells["mu"], cells["windows"]):
        sigma = sigmas(n, mu, windows, cells["T"], cells["copies"], seed)
        matrices, m = Decorrelation().covariance(sigma), sigma.shape[-1]
        rng = rng_for(seed, "LOBPCG", n, mu, m)
        quotients = np.array(
            [
                followed_eigenvalues(matrices[:, copy], rng.standard_normal((m, 1)))
                for copy in range(cells["copies"])
            ]
        ).T
        off = np.maximum(*(np.abs(quotients - end) for end in leadings(matrices))) / sigma[..., 0, 0]
        with precision():  # the difference and the quotient have a rounding each
            value = ball(float(off.max())) * (1 + gamma(3))
            points.append(at_point({"n": n, "mu": mu, "m": m}, value, ball(cells["tolerance"])))
    return points


def _spectrum(matrix: Array) -> tuple[Ball, Ball, Ball]:
    """Return the leading eigenvalue, an upper bound on the second one, and a lower bound on the least.

    The second is at most the leading one of ``matrix - c v v'``, for any c >= 0 and any v (Weyl), which has
    three roundings.
    """
    values, vectors = np.linalg.eigh(matrix)
    # Deflation by the whole width puts the leading eigenvalue below all others, without knowing it exactly.
    taken = values[-1] - values[0]
    ends = leadings(np.array([matrix, -matrix, matrix - taken * np.outer(vectors[:, -1], vectors[:, -1])]))
    least, most = (end.tolist() for end in ends)
    off = 1.01 * upper(gamma(3)) * (np.linalg.norm(matrix) + 1.01 * taken)
    return ball(least[0], most[0]), ball(most[2]) + float(off), -ball(most[1])


def _shares(matrix: Array, start: Array) -> Iterator[Ball]:
    """Yield by what share of the bound each iteration of LOBPCG lowers the distance to the eigenvalue."""
    history = run_lobpcg(matrix, start[:, None], maxiter=200, tol=1e-9, retLambdaHistory=True)[2]
    first, second, last = _spectrum(matrix)
    rate = square((second - last) / (2 * first - second - last))
    near = _NEAR * (first - last)

    def away(quotient: float) -> Ball:
        return (first - quotient) / (quotient - second)

    for before, after in pairwise(np.ravel(history).tolist()):
        # Nearer to either end the quotient consists of rounding errors.
        if before - second > near and first - after > near:
            yield away(after) / away(before) / rate


def linear_convergence(cells: Grid, seed: int) -> list[Point]:
    """Above the second eigenvalue, each iteration lowers the distance by the stated factor; else it may not.

    `falls` is the largest share of the factor that some iteration leaves, `attained` that of the first one
    where the start is the worst, and `kept` how far from the old eigenvalue's share LOBPCG stays, after
    halves of the learners agreed for some rounds, and for more rounds then halves that cross them.
    """
    points, rule = [], Decorrelation()
    for m in cells["m"]:
        rng = rng_for(seed, "rate of LOBPCG", m)
        sums = [
            agreement(actions_of("random", rounds, m, rng)) for rounds in cells["rounds"] * cells["instances"]
        ]
        with precision():
            shares = [share for s in sums for share in _shares(rule.covariance(s), rng.standard_normal(m))]
            points.append(at_point({"what": "falls", "m": m}, largest(shares), 1 + ball(cells["tolerance"])))
            matrix = rule.covariance(sums[-1])
            worst = next(_shares(matrix, _worst_start(matrix)))
            points.append(at_point({"what": "attained", "m": m}, worst, ball(cells["attained"]), sense=">="))
    before, after = cells["halves"]
    for m in cells["kept"]:
        old, new = (
            rule.covariance(agreement(labels[None])) for labels in (np.arange(m) * 2 // m, np.arange(m) % 2)
        )
        matrices = [min(t, before) * old + max(t - before, 0) * new for t in range(1, before + after + 1)]
        quotient = followed_eigenvalues(matrices, rng_for(seed, "halves", m).standard_normal((m, 1)))[-1]
        with precision():
            share = ball(float(quotient)) / ball(*(float(end) for end in leadings(matrices[-1])))
            off = abs(share - ball(before) / after)
            points.append(at_point({"what": "kept", "m": m}, off, ball(cells["tolerance"])))
    return points


def _worst_start(matrix: Array) -> Array:
    """Return a start near the leading eigenvector whose first step nearly attains the bound."""
    values, vectors = np.linalg.eigh(matrix)
    second, last = values[-1] - values[-2], values[-1] - values[0]
    off = vectors[:, -2] * np.sqrt(last / second) + vectors[:, 0] * np.sqrt(second / last)
    result: Array = vectors[:, -1] + 0.03 * off / np.linalg.norm(off)
    return result
