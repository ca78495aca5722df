"""Trade-off curves of mixtures of Gaussian mechanisms. [000, Lemmas 1, 2, 6 and Corollary 3]

[mathematics/000.md#trade-off-curves]
"""

import functools
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.privacy.gaussian_mixtures import mixture_delta, mixture_errors, mixture_tradeoff
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    integral,
    largest,
    near,
    normal_cdf,
    normal_density,
    precision,
    upper,
)
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_curves import curve_between
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL
from private_experts.walks.batch_size import proxy_pmf


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


def lemma_1(grid: Grid, seed: int) -> list[Point]:
    """Stochastically larger batches give a trade-off curve that is nowhere lower. At 0 and 1 all agree.

    Both curves lie between proved bounds, and so does the library's, up to the tolerance.
    """
    alphas = np.linspace(0, 1, 201)[1:-1]
    points = []
    for number in range(grid["instances"]):
        rng = rng_for(seed, "lemma 1", number)
        sizes = np.arange(1, 9)
        smaller = rng.dirichlet(np.ones(sizes.size))
        # Move weight to larger sizes: survival probabilities can only rise.
        # Columns of a lower triangle: weight of a size goes to that size or to larger ones.
        move = np.tril(rng.dirichlet(np.ones(sizes.size), sizes.size).T)
        move /= move.sum(axis=0)
        larger = move @ smaller
        mu = float(rng.uniform(0.1, 4))
        mus = mu / np.sqrt(sizes)
        with precision():
            ends = [curve_between(alphas, weights, mus) for weights in (smaller, larger)]
            (low, high), (other_low, other_high) = ends
            excess = ball(float((low - other_high).max()), float((high - other_low).max())) + ball(
                -1e-15, 1e-15
            )
            computed = [mixture_tradeoff(alphas, weights, mus) for weights in (smaller, larger)]
            apart = largest(
                _distance((curve, curve), between) for curve, between in zip(computed, ends, strict=True)
            )
            tolerance = ball(grid["tolerance"])
            points.append(at_point({"instance": number, "what": "excess"}, excess, tolerance, {"mu": mu}))
            points.append(at_point({"instance": number, "what": "library"}, apart, tolerance, {"mu": mu}))
    return points


def _distance(ends: tuple[Array, Array], others: tuple[Array, Array]) -> Ball:
    """Return the largest distance of probabilities from others, where both lie between bounds."""
    (low, high), (other_low, other_high) = ends, others
    least = max(float((low - other_high).max()), float((other_low - high).max()), 0.0)
    most = max(float((high - other_low).max()), float((other_high - low).max()))
    return ball(least, most) + ball(-1e-15, 1e-15)


def _best_tests(weights: Array, mus: Array, cells: int) -> tuple[Array, Array, float]:
    """Return the likelihood-ratio tests' errors on a discretised mixture, by sorting cells, and their error.

    A tail is off by what its table says and by its argument's rounding, ``|x| phi(x) u`` at most; a cell has
    two tails, and a sum as many roundings as there are cells.
    """
    edges = np.linspace(-9, 9 + mus.max(), cells + 1)
    below = np.array([cdf()(edges - shift) for shift in (0.0, *mus)])
    null = np.diff(below[0])
    masses = [
        (weight * null, weight * np.diff(shifted)) for weight, shifted in zip(weights, below[1:], strict=True)
    ]
    first = np.concatenate([mass[0] for mass in masses])
    second = np.concatenate([mass[1] for mass in masses])
    order = np.argsort(-(second / np.maximum(first, 1e-300)), kind="stable")
    # Every cell's two tails, as the bound must hold for the worst sum of cells.
    off = 1.01 * (2 * cells * (upper(cdf().off) + 2.0**-53) + upper(gamma(first.size + 3)))
    return (
        np.concatenate([[0.0], first[order].cumsum()]),
        1 - np.concatenate([[0.0], second[order].cumsum()]),
        off,
    )


def lemma_2(grid: Grid, seed: int) -> list[Point]:
    """The mixture's curve is that of the best likelihood-ratio tests, found on a fine discretisation.

    The curve lies between proved bounds, and so does the brute one: its points are off by a proved error in
    both directions, and it falls. The library's curve is compared, too.
    """
    alphas = np.linspace(0.001, 0.999, 99)
    points = []
    for where, weights, mus in _mixtures(grid, seed):
        heavy = weights > 1e-12
        first, second, off = _best_tests(weights[heavy] / weights[heavy].sum(), mus[heavy], grid["cells"])
        # A falling curve whose points are off in both directions lies between these two.
        low, high = (np.interp(alphas + side * off, first, second) - side * (off + 1e-14) for side in (1, -1))
        computed = mixture_tradeoff(alphas, weights, mus)
        with precision():
            between = curve_between(alphas, weights, mus)
            for name, ends in {"brute force": (low, high), "library": (computed, computed)}.items():
                points.append(
                    at_point({**where, "what": name}, _distance(ends, between), ball(grid["tolerance"]))
                )
    return points


@functools.cache
def _excess(epsilon: float, mu: float) -> Ball:
    """Return the integral of the positive part of phi(x - mu) - e^eps phi(x): by definition the least delta.

    The sign changes at ``x = eps/mu + mu/2``. At y beyond it the difference is ``phi(x - mu) (1 - e^(-mu
    y))``. What has no share of 1e-40 is bounded, not integrated.
    """
    with precision():
        level = ball(mu)
        start = ball(epsilon) / level - level / 2  # in the units of x - mu
        end = ball(min(18.0, 120 / near(start)) if start > 1 else 18 + max(near(-start), 0.0))
        inside = integral(lambda y: normal_density(start + y) * (1 - exp(-level * y)), 0, end)
        return inside + ball(0, normal_cdf(-start - end).upper())


def corollary_3(grid: Grid, seed: int) -> list[Point]:
    """delta(eps) is the weighted sum of closed forms; by definition it is an integral over all observations.

    The integrals are computed in ball arithmetic. Below 1e-290 floats lose digits, so differences are over
    delta + 1e-290.
    """
    points = []
    for (where, weights, mus), epsilon in product(_mixtures(grid, seed), grid["epsilon"]):
        value = float(mixture_delta(epsilon, weights, mus))
        with precision():
            pairs = zip(weights.tolist(), mus.tolist(), strict=True)
            least = sum((weight * _excess(epsilon, mu) for weight, mu in pairs), ball(0))
            error = abs(ball(value) - least) / (least + 1e-290)
            points.append(at_point({**where, "epsilon": epsilon}, error, ball(grid["tolerance"])))
    return points


def _errors(s: Ball, weights: Array, mus: Array) -> tuple[Ball, Ball]:
    """Return both errors, as balls, of the test with threshold s. [mathematics/000.md#lemma-2]"""
    first = second = 0 * s
    for weight, mu in zip(weights.tolist(), mus.tolist(), strict=True):
        first = first + weight * normal_cdf(-s / mu - ball(mu) / 2)
        second = second + weight * normal_cdf(s / mu - ball(mu) / 2)
    return first, second


def lemma_6(grid: Grid, seed: int) -> list[Point]:
    """delta(eps) is the supremum over thresholds of 1 - b(s) - e^eps a(s), attained at s = eps.

    That no threshold within `reach` of eps gives more is proved over the whole range. At s = eps the
    difference begins with the square of s - eps. The library's errors and its delta are compared with the
    same formulas.
    """
    points = []
    for (where, weights, mus), epsilon in product(_mixtures(grid, seed), grid["epsilon"]):
        place, bracket = {**where, "epsilon": epsilon}, functools.partial(_bracket, weights, mus, epsilon)
        around = {"s": [epsilon - grid["reach"], epsilon + grid["reach"]]}
        sides = functools.partial(lambda at, most, s: (at(s), at(ball(most))), bracket, epsilon)
        # At s = eps both sides meet with slope 0, so an edge of order 2.
        points.append(over_box({**place, "what": "supremum"}, sides, around, edges=[Edge("s", epsilon, 2)]))
        with precision():
            value, least = float(mixture_delta(epsilon, weights, mus)), bracket(ball(epsilon))
            error = abs(ball(value) - least) / (least + 1e-290)
            points.append(at_point({**place, "what": "at s = eps"}, error, ball(grid["tolerance"])))
            for threshold in (epsilon, epsilon + 0.5):
                computed = [
                    float(error.item()) for error in mixture_errors(np.array([threshold]), weights, mus)
                ]
                for name, number, exact in zip(
                    "ab", computed, _errors(ball(threshold), weights, mus), strict=True
                ):
                    what = f"{name}({threshold})"
                    points.append(agreement({**place, "what": what}, number, exact, grid["tolerance"]))
    return points


def _bracket(weights: Array, mus: Array, epsilon: float, s: Ball) -> Ball:
    """Return 1 - b(s) - e^eps a(s)."""
    first, second = _errors(s, weights, mus)
    return 1 - second - exp(ball(epsilon)) * first


def ex_post(grid: Grid, seed: int) -> list[Point]:
    """Only a batch's sum matters: permuting reports inside it changes nothing. [mathematics/000.md#ex-post]

    Reports are multiples of 2^-20, so that sums are exact. The value counts the actions, batches and totals
    that differ, and the totals that are not the sum of the reports of finished batches. With a large
    tolerance leaders change inside batches.
    """
    points = []
    eta = 8.0
    for n, number, alpha in product(grid["n"], range(grid["instances"]), grid["alpha"]):
        rng = rng_for(seed, "ex post", n, number)
        horizon = grid["T"]
        # Exact sums: otherwise a permuted batch would differ by rounding, and no equality could be asked for.
        reports = np.round(rng.normal(0, eta, (horizon, 1, n)) * 2**20) / 2**20
        first = np.round(rng.normal(0, 10 * eta, n) * 2**20) / 2**20

        def actions(
            rounds: Array, n: int = n, first: Array = first, alpha: float = alpha
        ) -> tuple[Any, RWAdaBatch]:
            noise = SimulatedNoise(rng_for(0))
            algorithm = RWAdaBatch(n, LOCAL, noise_scale=eta, noise=noise, alpha=alpha, rho=0.0)
            algorithm.total[:] = first
            return play(algorithm, [Reports(values, LOCAL, eta) for values in rounds]), algorithm

        plain, algorithm = actions(reports)
        shuffled = reports.copy()
        for _, start, size in algorithm.batches.tolist():
            batch = slice(start, min(start + size, horizon))
            shuffled[batch] = rng.permutation(shuffled[batch])
        again, other = actions(shuffled)
        differing = int((again != plain).sum()) + int((other.total != algorithm.total).sum())
        differing += not np.array_equal(other.batches, algorithm.batches)
        # A batch that the game cuts is never added to the totals.
        ends = (start + size for _, start, size in algorithm.batches.tolist())
        finished = max((end for end in ends if end <= horizon), default=0)  # the first may be longer
        differing += int((algorithm.total[0] != first + reports[:finished, 0].sum(axis=0)).sum())
        where = {"n": n, "instance": number, "alpha": alpha}
        notes = {"largest_batch": algorithm.batches[:, 2].max()}
        points.append(Point(where, float(differing), 0.0, notes=notes))
    return points
