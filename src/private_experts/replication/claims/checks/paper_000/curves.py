"""Trade-off curves of mixtures of Gaussian mechanisms. [000, Lemmas 1, 2, 6 and Corollary 3]

[mathematics/000.md#trade-off-curves]
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.games.play import play
from private_experts.privacy.gaussian_mechanism import delta
from private_experts.privacy.gaussian_mixtures import mixture_delta, mixture_errors, mixture_tradeoff
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.walks.batch_size import proxy_pmf

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def _mixtures(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], Array, Array]]:
    """Yield mixtures: random ones, and the proxy laws of batch sizes."""
    for number in range(grid["instances"]):
        rng = rng_for(seed, "mixture", number)
        size = int(rng.integers(1, 8))
        yield {"mixture": f"random {number}"}, rng.dirichlet(np.ones(size)), rng.uniform(0.05, 3, size)
    for n in grid["n"]:
        weights = proxy_pmf(500, 10.0, n, 0.01, grid["largest"])
        sizes = np.arange(1, weights.size + 1)
        yield {"mixture": f"proxy n={n}"}, weights, 1 / np.sqrt(sizes)


def lemma_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Stochastically larger batch sizes give a trade-off curve that is nowhere lower."""
    alphas = np.linspace(0, 1, 201)
    points = []
    for number in range(grid["instances"]):
        rng = rng_for(seed, "lemma 1", number)
        sizes = np.arange(1, 9)
        smaller = rng.dirichlet(np.ones(sizes.size))
        # Move weight to larger sizes: survival probabilities can only rise.
        move = np.tril(rng.dirichlet(np.ones(sizes.size), sizes.size).T)
        move /= move.sum(axis=0)
        larger = move @ smaller
        mu = float(rng.uniform(0.1, 4))
        excess = mixture_tradeoff(alphas, smaller, mu / np.sqrt(sizes)) - mixture_tradeoff(
            alphas, larger, mu / np.sqrt(sizes)
        )
        points.append(Point({"instance": number, "mu": mu}, float(excess.max()), grid["tolerance"]))
    return points


def _best_tests(weights: Array, mus: Array, cells: int) -> tuple[Array, Array]:
    """Return the errors of the likelihood-ratio tests on a discretised mixture, by brute force: sorting cells.

    The observer sees the component and one Gaussian observation, N(0, 1) or N(mu_b, 1), cut into cells.
    """
    edges = np.linspace(-9, 9 + mus.max(), cells + 1)
    below = np.array([ndtr(edges - shift) for shift in (0.0, *mus)])
    null = np.diff(below[0])
    masses = [(weight * null, weight * np.diff(shifted)) for weight, shifted in zip(weights, below[1:], strict=True)]
    first = np.concatenate([mass[0] for mass in masses])
    second = np.concatenate([mass[1] for mass in masses])
    order = np.argsort(-(second / np.maximum(first, 1e-300)), kind="stable")
    return np.concatenate([[0.0], first[order].cumsum()]), 1 - np.concatenate([[0.0], second[order].cumsum()])


def lemma_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The mixture's curve is that of the best likelihood-ratio tests, found on a fine discretisation."""
    alphas = np.linspace(0.001, 0.999, 99)
    points = []
    for where, weights, mus in _mixtures(grid, seed):
        kept = weights > 1e-12
        first, second = _best_tests(weights[kept] / weights[kept].sum(), mus[kept], grid["cells"])
        brute = np.interp(alphas, first, second)
        error = np.abs(brute - mixture_tradeoff(alphas, weights, mus)).max()
        points.append(Point(where, float(error), grid["tolerance"]))
    return points


def _excess(epsilon: float, mu: float) -> float:
    """Return the integral of the positive part of phi(x - mu) - e^eps phi(x), the definition of the least delta.

    The sign changes once, from minus to plus. The place is found by bisection, and what follows is summed by Gauss's
    rule in 8 pieces, from logarithms, so that small values keep their digits.
    """

    def ahead(x: Array) -> Array:
        return -((x - mu) ** 2) / 2 - (epsilon - x**2 / 2)

    low, high = -60.0, 60.0 + epsilon / mu + mu
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if ahead(np.array(middle)) > 0 else (middle, high)
    # Past the change the integrand falls at least like a normal density from there, or from its peak at mu.
    edges = high + np.linspace(0, max(mu - high, 0.0) + 12 / max(1.0, (high - mu) / 4), 9)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (edges[:-1, None] + edges[1:, None] + np.diff(edges)[:, None] * nodes) / 2
    value = np.exp(-((x - mu) ** 2) / 2) * -np.expm1(-ahead(x)) / np.sqrt(2 * np.pi)
    return float((np.diff(edges)[:, None] / 2 * weights * value).sum())


def corollary_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """delta(eps) is the weighted sum of closed forms; by definition it is an integral over all observations."""
    points = []
    for where, weights, mus in _mixtures(grid, seed):
        for epsilon in grid["epsilon"]:
            pairs = zip(weights.tolist(), mus.tolist(), strict=True)
            least = sum(weight * _excess(epsilon, mu) for weight, mu in pairs)
            value = float(mixture_delta(epsilon, weights, mus))
            error = abs(value / least - 1) if least else value
            points.append(Point({**where, "epsilon": epsilon}, error, grid["tolerance"]))
    return points


def lemma_6(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """delta(eps) is the supremum over thresholds of 1 - b(s) - e^eps a(s), attained at s = eps."""
    points = []
    for where, weights, mus in _mixtures(grid, seed):
        for epsilon in grid["epsilon"]:
            thresholds = epsilon + np.linspace(-8, 8, 20001)
            first, second = mixture_errors(thresholds, weights, mus)
            gain = 1 - second - np.exp(epsilon) * first
            value = float(mixture_delta(epsilon, weights, mus))
            # The curve is its own inverse. Only the place of the supremum tells type I errors from type II errors.
            for what, other in (("supremum", gain.max()), ("at s = eps", gain[gain.size // 2])):
                place = {**where, "epsilon": epsilon, "what": what}
                points.append(Point(place, abs(value - float(other)), grid["tolerance"]))
    return points


def amplification(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The amplified delta(eps) of RW-AdaBatch, from the proxy law, is at most the unamplified one."""
    points = []
    for n in grid["n"]:
        weights = proxy_pmf(grid["t"], 10.0, n, 0.01, grid["largest"])
        mus = 1 / np.sqrt(np.arange(1, weights.size + 1))
        for epsilon in grid["epsilon"]:
            value, most = float(mixture_delta(epsilon, weights, mus)), float(delta(epsilon, 1.0))
            points.append(Point({"n": n, "t": grid["t"], "epsilon": epsilon}, value, most))
    return points


def ex_post(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Only the sum of a batch matters: permuting reports inside batches changes nothing. [mathematics/000.md#ex-post]

    The sum of B reports of sensitivity Delta and noise eta has noise eta sqrt(B), which gives mu / sqrt(B). Reports are
    multiples of 2^-20, so that sums are exact in any order. The value counts the actions, batches and totals that
    differ. With a large tolerance alpha, leaders change inside batches.
    """
    points = []
    eta, guarantee = 8.0, GaussianDP(1.0, "local")
    for n, number, alpha in product(grid["n"], range(grid["instances"]), grid["alpha"]):
        rng = rng_for(seed, "ex post", n, number)
        horizon = grid["T"]
        reports = np.round(rng.normal(0, eta, (horizon, 1, n)) * 2**20) / 2**20
        first = np.round(rng.normal(0, 10 * eta, n) * 2**20) / 2**20

        def actions(told: Array, n: int = n, first: Array = first, alpha: float = alpha) -> tuple[Any, RWAdaBatch]:
            noise = SimulatedNoise(rng_for(0))
            algorithm = RWAdaBatch(n, guarantee, noise_scale=eta, noise=noise, alpha=alpha, rho=0.0)
            algorithm.total[:] = first
            return play(algorithm, [Reports(values, guarantee, eta) for values in told]), algorithm

        plain, algorithm = actions(reports)
        shuffled = reports.copy()
        for _, start, size in algorithm.batches.tolist():
            batch = slice(start, min(start + size, horizon))
            shuffled[batch] = rng.permutation(shuffled[batch])
        again, other = actions(shuffled)
        differing = int((again != plain).sum()) + int((other.total != algorithm.total).sum())
        differing += not np.array_equal(other.batches, algorithm.batches)
        largest = int(algorithm.batches[:, 2].max())
        points.append(
            Point({"n": n, "instance": number, "alpha": alpha}, float(differing), 0.0, notes={"largest_batch": largest})
        )
    return points
