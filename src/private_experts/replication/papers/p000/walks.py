"""Maxima of walks, the bound on a change of leader, the batch size that follows, and the law of the gap.

[mathematics/000.md#leader-changes] [mathematics/000.md#gap]
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy.special import erfcinv, ndtr

from private_experts.arrays import Array, Bools
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, erf, log, normal_cdf, precision, sqrt
from private_experts.replication.balls.boxes import Edge, at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_gaps import survival
from private_experts.replication.papers.p000.certified_laws import theorem_1 as exact_theorem_1
from private_experts.replication.papers.p000.sampled_points import share_point
from private_experts.walks.delay import compute_delay, log_tolerance
from private_experts.walks.gap import distribution, shifted_distribution
from private_experts.walks.leader_change import argument, bound, inverse_exact
from private_experts.walks.levy_bound import sharper_log_bound

_HELD = 2**16  # numbers of walks that are held at a time


def _frequencies(events: Bools, places: list[dict[str, Any]], bounds: Array, intervals: int) -> list[Point]:
    """Return points: frequencies of events (repetitions, places) beside bounds on their probability."""
    return [
        share_point(place, count, len(events), most, intervals, trivial=1.0)
        for place, count, most in zip(places, events.sum(axis=0), bounds, strict=True)
    ]


def _held(numbers: int, repetitions: int) -> list[int]:
    """Return how many repetitions are held at a time, of so many numbers each."""
    rows = max(1, _HELD // numbers)
    return [min(rows, repetitions - start) for start in range(0, repetitions, rows)]


def lemma_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The maximum of a walk of T steps is stochastically smaller than |N(0, eta^2 T)|."""
    levels = np.array(grid["level"])
    points = []
    for steps in grid["T"]:
        rng = rng_for(seed, "lemma 3", steps, repetitions)
        # In steps, not as a Brownian motion, whose maximum would be larger and meet the bound with equality.
        highest = [
            rng.standard_normal((rows, steps)).cumsum(axis=1).max(axis=1)
            for rows in _held(steps, repetitions)
        ]
        events = np.concatenate(highest)[:, None] > levels * math.sqrt(steps)
        places = [{"T": steps, "level": level} for level in levels.tolist()]
        points += _frequencies(events, places, 2 * ndtr(-levels), len(grid["T"]) * levels.size)
    return points


def lemma_4(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """Borell-TIS: P(sup f - E sup f > u) <= exp(-u^2 / (2 sigma^2)).

    For a walk from 0, whose mean maximum is ``sum_t 1 / sqrt(2 pi t)`` (Spitzer), and for n independent
    Gaussians, whose mean maximum is an integral; both in units of the largest standard deviation.
    """
    levels = np.array(cells["level"])
    cases = [("walk", steps) for steps in cells["T"]] + [("independent", n) for n in cells["n"]]
    points = []
    for kind, size in cases:
        draws = rng_for(seed, "lemma 4", kind, size, repetitions).standard_normal((repetitions, size))
        if kind == "walk":
            # The start counts as well, so the maximum is at least 0, as in Spitzer's formula.
            highest = np.maximum(draws.cumsum(axis=1).max(axis=1), 0.0) / math.sqrt(size)
            mean = (1 / np.sqrt(2 * math.pi * np.arange(1, size + 1))).sum() / math.sqrt(size)
        else:
            highest, mean = draws.max(axis=1), mean_of_maximum(size)
        events = (highest - mean)[:, None] > levels
        places = [{"process": kind, "size": size, "level": level} for level in levels.tolist()]
        points += _frequencies(events, places, np.exp(-(levels**2) / 2), len(cases) * levels.size)
    return points


def mean_of_maximum(n: int) -> float:
    """Return the mean of the largest of n independent standard normals, by integrating its distribution."""
    x, weights = (12 * numbers for numbers in np.polynomial.legendre.leggauss(400))
    above = 1 - np.exp(n * np.log(np.maximum(ndtr(x), 1e-300)))
    return float(weights @ np.where(x > 0, above, above - 1))


def _walks(n: int, steps: int, repetitions: int, *key: Any) -> Iterator[Array]:
    """Yield driftless walks from 0, eta = 1, as arrays (steps, n, repetitions) that fit into a cache."""
    rng = rng_for(*key, n, steps, repetitions)
    # A repetition's steps stay together, so results do not depend on the size of the cache.
    for rows in _held(steps * n, repetitions):
        steps_of_rows = rng.standard_normal((rows, steps, n))
        walk = np.ascontiguousarray(steps_of_rows.transpose(1, 2, 0))
        for before, now in pairwise(walk):
            now += before
        yield walk


def theorem_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The leader ever changes in B steps with probability at most P(beta).

    All other coordinates start level, which is the worst case. All starting gaps use the same walks.
    """
    return _leader_change(
        grid, repetitions, seed, lambda walk, gaps: _overtaken(walk)[:, None] > gaps, "theorem 1"
    )


def _overtaken(walk: Array) -> Array:
    """Return how far any other coordinate ever rises above coordinate 0, shape (repetitions,)."""
    result: Array = (walk[:, 1:].max(axis=1) - walk[:, 0]).max(axis=0)
    return result


def _dips(walk: Array, gaps: Array, x: float) -> Bools:
    """Return whether the gap ever falls below x when coordinate 0 starts ahead by x and so much more."""
    # The two largest challengers suffice for the gap, whatever the leader does; they serve all starting gaps.
    first, second = walk[:, 1], np.full_like(walk[:, 1], -np.inf)
    for other in walk.swapaxes(0, 1)[2:]:
        first, second = np.maximum(first, other), np.maximum(second, np.minimum(first, other))
    leads = (walk[:, 0] + (gap + x) for gap in gaps)
    least = [
        (np.maximum(first, lead) - np.maximum(second, np.minimum(first, lead))).min(axis=0) for lead in leads
    ]
    return np.stack(least, axis=1) < x


def theorem_1_dip(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The gap ever falls below x in B steps with probability at most P(beta), with k - x for k."""
    x = grid["x"]
    return _leader_change(grid, repetitions, seed, lambda walk, gaps: _dips(walk, gaps, x), "dip")


def _leader_change(grid: Grid, repetitions: int, seed: int, event: Any, key: str) -> list[Point]:
    probabilities, sizes = grid["P"], list(product(grid["n"], grid["B"]))
    points = []
    for n, steps in sizes:
        # Gaps are chosen by the bound: at a given gap it would often be above 1, and say nothing.
        mean = math.sqrt(math.log(2 * n - 2))
        gaps = np.array([math.sqrt(2 * steps) * (inverse_exact(most) + mean) for most in probabilities])
        events = np.concatenate([event(walk, gaps) for walk in _walks(n, steps, repetitions, seed, key)])
        places = [{"n": n, "B": steps, "k": gap} for gap in gaps.tolist()]
        bounds = bound(argument(gaps, 1.0, steps, n))
        points += _frequencies(events, places, bounds, len(sizes) * len(probabilities))
    return points


def sharper_leader_change(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The leader ever changes in B steps with probability at most (n - 1) erfc(k / (2 eta sqrt B)).

    Starting gaps are those where this bound is the given probability. The note says what Theorem 1 gives
    there. [mathematics/000.md#theorem-1-sharper]
    """
    points = []
    sizes = list(product(grid["n"], grid["B"]))
    for n, steps in sizes:
        risen = np.concatenate([_overtaken(walk) for walk in _walks(n, steps, repetitions, seed, "sharper")])
        gaps = 2 * math.sqrt(steps) * erfcinv(np.array(grid["P"]) / (n - 1))
        bounds = np.exp(sharper_log_bound(gaps, 1.0, steps, n))
        printed = bound(argument(gaps, 1.0, steps, n)).tolist()
        places = [{"n": n, "B": steps, "k": gap} for gap in gaps.tolist()]
        evidence = _frequencies(risen[:, None] > gaps, places, bounds, len(sizes) * gaps.size)
        points += [
            replace(point, notes={"theorem_1": probability})
            for point, probability in zip(evidence, printed, strict=True)
        ]
    return points


def corollary_1_largest(grid: Grid) -> list[Point]:
    """ComputeDelay returns the largest batch that Theorem 1 allows.

    Second route: the condition at B and B + 1, in ball arithmetic. The value counts the wrong sizes.
    """
    points = []
    for eta, n, alpha, completed, rho in product(
        grid["eta"], grid["n"], grid["alpha"], grid["completed"], grid["rho"]
    ):
        gaps = eta * np.array(grid["gap"])
        sizes = compute_delay(gaps, eta, n, alpha, completed, rho)
        wrong = 0
        for gap, size in zip(gaps.tolist(), sizes.tolist(), strict=True):
            fits = [
                batch_fits(gap, eta, n, alpha, completed, rho, candidate) for candidate in (size, size + 1)
            ]
            # A batch of one round is always allowed, even where the bound does not meet the tolerance.
            wrong += fits[1] or not (fits[0] or size == 1)
        where = {"eta": eta, "n": n, "alpha": alpha, "completed": completed, "rho": rho}
        notes = {"gaps": len(gaps), "largest": int(sizes.max())}
        points.append(at_point(where, ball(wrong), ball(0), notes))
    return points


def batch_fits(gap: float, eta: float, n: int, alpha: float, completed: int, rho: float, size: int) -> bool:
    """Return whether a batch size meets the condition of Corollary 1, decided in ball arithmetic."""
    with precision():
        beta = (ball(gap) - ball(rho) * size) / (ball(eta) * sqrt(2 * size)) - sqrt(log(2 * n - 2))
        tolerance = ball(alpha) * sqrt(log(n) / (completed + size))
        # Theorem 1's tail bound is for positive arguments alone.
        bounded = exact_theorem_1(beta) if beta > 0 else ball(1)
        fits = bool(bounded <= tolerance)
        if not fits and not bounded > tolerance:
            raise ArithmeticError("bound and tolerance agree to 36 digits")
        return fits


def corollary_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """In the batch that ComputeDelay chooses the leader changes with probability at most the tolerance.

    The true gains shrink the gap by 1 in each round, which is the fastest possible.
    [mathematics/000.md#corollary-1]
    """
    points = []
    cells = list(product(grid["n"], grid["eta"], grid["gap"]))
    for n, eta, gap in cells:
        size = int(compute_delay(gap, eta, n, grid["alpha"], grid["completed"], rho=1.0))
        risen = []
        for driftless in _walks(n, size, repetitions, seed, "corollary 1", eta, gap):
            walk = eta * driftless
            # All in the leader: only differences matter, and they shrink by at most 1 a round.
            walk[:, 0] -= np.arange(1, size + 1)[:, None]
            risen.append(_overtaken(walk))
        events = (np.concatenate(risen) > gap)[:, None]
        tolerance = np.exp(log_tolerance(n, grid["alpha"], [grid["completed"] + size]))
        points += _frequencies(events, [{"n": n, "eta": eta, "gap": gap, "B": size}], tolerance, len(cells))
    return points


def two_apart(d: Ball, e: Ball) -> tuple[Ball, Ball]:
    """Return the probabilities that the gap of two normals is at most e, with means d and 0 apart."""
    # The difference of two standard normals has variance 2.
    return normal_cdf((e - d) / sqrt(2)) - normal_cdf(-(e + d) / sqrt(2)), erf(e / 2)


def theorem_2(grid: Grid, seed: int) -> list[Point]:
    """For every e, P(gap(X) <= e) for X ~ N(v, I) is largest at v = 0, on random and structured v.

    The excess is a ball. For two experts it is proved over a range of e and of the difference d of the means:
    at d = 0 both sides are equal, and by symmetry the difference begins with d^2. For equal, structured and
    one drawn means the library's probabilities are compared.
    """
    levels = np.array(grid["e"])
    box = {"d": grid["d"], "e": [min(grid["e"]), max(grid["e"])]}
    points = [over_box({"n": 2, "v": "all"}, two_apart, box, edges=[Edge("d", 0.0, 2)])]
    for n in grid["n"]:
        rng = rng_for(seed, "theorem 2", n)
        random_means = {
            f"random {i}": rng.normal(0, scale, n)
            for i in range(grid["instances"])
            for scale in [0.3 * 3 ** (i % 4)]
        }
        means = {f"one ahead by {c}": np.eye(n)[0] * c for c in (0.1, 1.0, 3.0)}
        means |= {f"one behind by {c}": -np.eye(n)[0] * c for c in (0.1, 1.0, 3.0)}
        means |= {"two ahead by 2": 2.0 * (np.arange(n) < 2), "ladder": np.arange(n, dtype=float)}
        at_zero, off = survival(levels, np.zeros(n))
        library = {"equal": (distribution(levels, n), at_zero, off)}
        for name, v in (random_means | means).items():
            # By another route than the library's law of the gap, and with proved errors.
            beyond, more = survival(levels, v)
            excess, place = at_zero - beyond, {"n": n, "v": name, "what": "excess"}
            points.append(
                _within(place, excess, off + more, grid["tolerance"], {"e": float(levels[excess.argmax()])})
            )
            if name in means or name == "random 0":
                library[name] = shifted_distribution(levels, v), beyond, more
        for name, (computed, beyond, more) in library.items():
            place = {"n": n, "v": name, "what": "library"}
            points.append(_within(place, np.abs(computed - (1 - beyond)), more, grid["tolerance"]))
    return points


def _within(where: Mapping[str, Any], values: Array, off: float, most: float, notes: Any = None) -> Point:
    """Return the evidence that numbers between -1 and 1, known to an absolute error, are at most so large."""
    apart = off + 1e-15  # they are differences, which were rounded
    with precision():
        return at_point(where, ball(float(values.max())) + ball(-apart, apart), ball(most), notes)
