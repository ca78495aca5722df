"""The median trick after Theorem 6: a small error with high probability. [mathematics/003.md#as-quoted]"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.risk import total_variation
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p003.classes import dirichlet

_GOOD = Fraction(2, 3)  # the chance of a run to be good, at least


def central(estimates: Array) -> int:
    """Return which of the distributions (k, M) has the least median distance to all of them."""
    apart = total_variation(estimates[:, None], estimates)
    return int(np.sort(apart, axis=1)[:, len(estimates) // 2].argmin())


def _near(truth: Array, radius: float, number: int, rng: np.random.Generator) -> Array:
    """Return distributions within a total variation of `radius` of the truth, each at most this far away."""
    others = dirichlet(number, truth.size, 0.3, rng)
    apart = total_variation(others, truth)
    # Moved towards the truth until they are near enough; mixtures of distributions are distributions.
    share = np.minimum(radius * rng.choice([0.5, 1.0], size=number) / np.maximum(apart, 1e-300), 1.0)
    return truth + share[:, None] * (others - truth)


def _line(radius: float, runs: int) -> tuple[Array, Array]:
    """Return the truth, and nearly the worst runs over two labels: good ones around it, bad ones beyond."""
    good = runs // 2 + 1
    at = np.concatenate(
        [np.full(runs - good, 3 - 1e-6), np.full(good // 2, -1.0), np.full(good - good // 2, 1.0)]
    )
    mass = 0.5 + radius * at
    return np.array([0.5, 0.5]), np.stack([mass, 1 - mass], axis=1)


def half_are_bad(runs: int) -> Fraction:
    """Return the probability that at most half of the runs are good."""
    chances = (math.comb(runs, k) * _GOOD**k * (1 - _GOOD) ** (runs - k) for k in range(runs // 2 + 1))
    return sum(chances, Fraction(0))


def distance(p: Sequence[float], q: Sequence[float]) -> Ball:
    """Return the total variation of two distributions, without rounding."""
    return sum(((ball(one) - ball(other)).max(ball(0)) for one, other in zip(p, q, strict=True)), ball(0))


def median_trick(cells: Grid, seed: int) -> list[Point]:
    """If most of k runs are within r of the truth, the central one is within 3r; that fails with e^(-k/18).

    A run is good with probability at least 2/3, by Markov's inequality at r = 3 alpha, and the binomial
    probability that at most half are is computed in fractions. The distance is that of the worst of random
    instances, taken for the binary numbers that they are, and of one in which good and bad runs lie on a
    line.
    """
    points = []
    for runs in cells["k"]:
        with precision():
            fails, bound = half_are_bad(runs), exp(-ball(runs) / 18)
            where, value = (
                {"k": runs, "quantity": "P(half are bad)"},
                ball(fails.numerator) / fails.denominator,
            )
            points.append(at_point(where, value, bound, trivial=1.0))
    for runs, radius in product(cells["k"], cells["r"]):
        rng = rng_for(seed, "median", runs, radius)
        instances = []
        for instance in range(cells["instances"]):
            truth = dirichlet(1, cells["M"], 1.0, rng)[0]
            good = _near(truth, radius, runs // 2 + 1, rng)
            bad = dirichlet(runs - len(good), cells["M"], 0.3, rng)
            if instance % 2:  # bad runs that agree with each other, just beyond the good ones
                bad = np.repeat(_near(truth, 3.2 * radius, 1, rng), len(bad), axis=0)
            instances.append((truth, np.concatenate([bad, good])))
        for quantity, cases in (
            ("distance / r", instances),
            ("distance / r on a line", [_line(radius, runs)]),
        ):
            with precision():
                worst = largest(
                    distance(truth.tolist(), estimates[central(estimates)].tolist())
                    for truth, estimates in cases
                )
                points.append(
                    at_point({"k": runs, "r": radius, "quantity": quantity}, worst / radius, ball(3))
                )
    return points
