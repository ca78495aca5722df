"""What the plays of Algorithm 3 reveal about one loss vector, with the printed noise and with enough noise.

In round 1 either the experts of A, half of all, lose 1, or the others; all later losses are 0. The event is
that at least m later plays lie in A. The logits of w_t(A) differ by 2 eta as long as nothing is clipped.
[mathematics/004.md#plays]
"""

import math
from itertools import product
from typing import Any

import numpy as np
from scipy.special import betaln, expit, stdtrit

from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.arrays import Array
from private_experts.privacy.gaussian_mechanism import delta as least_delta
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p004.noisy_share_bounds import printed_step
from private_experts.replication.study.intervals import CONFIDENCE


def scale_of(n: int, epsilon: float) -> float:
    """Return the scale of the Laplace noise that makes a vector of n losses epsilon-DP."""
    return n / epsilon


def vector_loss(n: int, scale: float) -> float:
    """Return the largest log-ratio of the densities of a noisy loss vector under two neighbours."""
    # The log-ratio is constant beyond 0 and 1, so these points have its extremes.
    outputs = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    return n * float(np.abs(np.abs(outputs) - np.abs(outputs - 1)).max()) / scale


def log_exit(level: float, b: float, steps: int) -> float:
    """Return a bound, at most 0, on log P(a walk of `steps` Laplace steps of scale b ever exceeds `level`).

    It is Doob's inequality for ``exp(a W / b)``, whose mean each step multiplies by ``1 / (1 - a^2)``, with
    the best a.
    """
    # A level that is exceeded from the start.
    if level <= 0:
        return 0.0
    q = steps * b / level
    # The root of the derivative in a, below 1 so that the moment exists.
    a = math.sqrt(q * q + 1) - q
    return min(0.0, -a * level / b - steps * math.log1p(-a * a))


def certified(n: int, horizon: int, epsilon: float, m: int, d: float, low: float) -> float:
    """Return what the event's log-ratio is proved to reach, at S = 1. [mathematics/004.md#certified]

    Let G be that no weight is ever clipped, walks of noise stay above `-low`, and means of their exponentials
    over each half are within d of theirs. On G ``P'(count >= m | noise) >= r P(count >= m | noise)`` with
    ``log r = 2 eta m - (T
    - 1) log(1 + p (e^{2 eta} - 1))``, so ``P'(E) / P(E) >= r / (1 + P(not G) / E[P(E | noise); G])``.
    """
    eta, steps, half = printed_step(n, horizon, 1, epsilon), horizon - 1, n // 2
    b = eta / epsilon
    # Beyond, the second moment of e^W is infinite, and means do not concentrate.
    if 4 * b * b >= 1 or n % 2:
        return -math.inf
    tau = math.log((1 + d) / (1 - d))
    highest_mean, second_moment = (1 - b * b) ** -steps, (1 - 4 * b * b) ** -steps
    # below this, e^-(W + eta) / (n mean) >= 1 / (n T)
    clips_above = math.log(horizon / (highest_mean + d)) - eta
    either, union = math.log(2 * steps), math.log(n)
    # A union bound in logarithms, as its terms may be below the least float.
    not_g = np.logaddexp.reduce(
        [
            union + log_exit(clips_above, b, steps),
            union + log_exit(low, b, steps),
            either - half * d**2 / (2 * second_moment),
            either - half * d**2 / (2 * (second_moment - 1 + math.exp(low) * d / 3)),
        ]
    )
    if not_g >= -1e-9:
        return -math.inf
    # The event is at least as likely as a count of exactly m when each play has its least probability.
    # The binomial coefficient by the beta function, without factorials.
    least = -betaln(m + 1, steps - m + 1) - math.log(steps + 1)
    least += m * np.log(expit(-tau - eta)) + (steps - m) * np.log(expit(tau + eta))
    log_r = 2 * eta * m - steps * math.log1p(float(expit(tau - eta)) * math.expm1(2 * eta))
    return float(log_r - np.logaddexp(0, not_g - least - math.log(-math.expm1(not_g))))


def best_certified(n: int, horizon: int, epsilon: float) -> float:
    """Return the largest of the certified bounds over a grid of events and cut-offs. Each is valid."""
    steps = horizon - 1
    counts = {min(steps, round(steps / 2 + z * math.sqrt(horizon) / 2)) for z in np.arange(1.0, 60.0)}
    choices = product(counts, (3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1), (2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0))
    # A maximum of bounds that all hold: no correction for having tried many.
    return max(certified(n, horizon, epsilon, m, d, low) for m, d, low in choices)


def exceeding(probabilities: Array, m: int) -> Array:
    """Return the chance of at least m of several independent events; `probabilities` is (rounds, ...)."""
    law = np.zeros((m + 1, *probabilities.shape[1:]))  # of the count, cut off at m
    law[0] = 1.0
    for p in probabilities:
        # The last entry gathers all counts from m on, so p moves chances up to it and none out of it.
        moved = p * law[:m]
        law[:m] -= moved
        law[1:] += moved
    return np.asarray(law[m])


def conditional(n: int, horizon: int, eta: float, scale: float, m: int, repetitions: int, *key: Any) -> Array:
    """Return the event's probability given the noise, for both neighbours, (2, repetitions)."""
    half = n // 2
    results = []
    for loser in (0, 1):
        algorithm = NoisyFixedShare(
            n,
            PureDP(math.inf, "central"),
            horizon=horizon,
            switches=1,
            eta=eta,
            noise_scale=scale,
            # The same key for both losers, so that both neighbours meet the same noise: their ratio then has
            # little spread.
            rng=rng_for(*key),
            repetitions=repetitions,
        )
        gains = np.ones(n)
        gains[loser * half : (loser + 1) * half] = 0.0
        in_a = []
        for _ in range(horizon - 1):
            algorithm.update(gains)
            in_a.append(algorithm.weights[:, :half].sum(axis=1))
            gains = np.ones(n)
        results.append(exceeding(np.array(in_a), m))
    return np.array(results)


def log_ratio(upper: Array, lower: Array, intervals: int) -> tuple[float, float, float]:
    """Return the log of the ratio of two means of paired samples, with its interval (Fieller's theorem).

    The interval has the ratios c for which the t-interval of the mean of ``upper - c lower`` contains 0.
    """
    # Fieller and not the delta method: the events are rare, and so the denominator is uncertain.
    t2 = float(stdtrit(upper.size - 1, 1 - (1 - CONFIDENCE) / (2 * intervals))) ** 2 / upper.size
    covariance = np.cov(upper, lower) * t2
    up, down = float(upper.mean()), float(lower.mean())
    a, b, c = down**2 - covariance[1, 1], up * down - covariance[0, 1], up**2 - covariance[0, 0]
    if a <= 0 or c <= 0 or b * b <= a * c:  # one of the means may be 0
        return math.log(up / down), -math.inf, math.inf
    root = math.sqrt(b * b - a * c)
    return math.log(up / down), math.log(b - root) - math.log(a), math.log(b + root) - math.log(a)


def _simulated(grid: Grid, repetitions: int, seed: int, scale: Any) -> list[Point]:
    points, epsilon, cells = [], grid["epsilon"], grid["simulated"]
    for n, horizon in cells:
        eta, m = printed_step(n, horizon, 1, epsilon), math.ceil(grid["share"] * (horizon - 1))
        key = (seed, "output", n, horizon, repetitions)
        rarer, likelier = conditional(n, horizon, eta, scale(n, epsilon), m, repetitions, *key)
        ratio, low, high = log_ratio(likelier, rarer, len(cells))
        paths = np.log(likelier / rarer)
        notes = {"on_every_path_at_least": float(paths.min()), "at_most": float(paths.max())}
        where = {"route": "simulated", "T": horizon, "N": n, "epsilon": epsilon}
        points.append(Point(where, ratio, epsilon, low, high, notes=notes))
    return points


def differences_in_weights(guarantee: PureDP | GaussianDP, draws: int, *key: Any) -> Array:
    """Return the differences of two noisy gains, as weights after one round tell them, (2, draws).

    In the first row the true difference is 1, in the second -1, on the same noise.
    """
    step, rows = 1e-3, []  # at so small a step no weight is clipped
    for loser in (1, 0):
        algorithm = NoisyFixedShare(
            2, guarantee, horizon=2, switches=1, eta=step, rng=rng_for(*key), repetitions=draws
        )
        algorithm.update(np.eye(2)[1 - loser])
        first, second = np.log(algorithm.weights).T
        rows.append((first - second) / step)
    return np.array(rows)


def _weights_seen(grid: Grid, seed: int) -> list[Point]:
    """An attacker who sees the weights of two experts after one round: do they differ by 4 noise scales?"""
    points = []
    for epsilon in grid["levels"]:
        # The weights are more than the plays, and noise of this scale protects them as well.
        differences = differences_in_weights(
            PureDP(epsilon, "central"), grid["draws"], seed, "weights seen", epsilon
        )
        likelier, rarer = (differences > 4 * scale_of(2, epsilon)).astype(np.float64)
        ratio, low, high = log_ratio(likelier, rarer, len(grid["levels"]))
        points.append(Point({"route": "weights seen", "N": 2, "epsilon": epsilon}, ratio, epsilon, low, high))
    return points


def outputs_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 3 with the printed noise is epsilon-DP in its plays alone. [mathematics/004.md#e004-7]"""
    points = _simulated(grid, repetitions, seed, lambda n, epsilon: 1 / epsilon)
    for horizon in grid["certified"]:
        # Many experts: means over each half then concentrate, and the proof needs that.
        n = horizon**3
        where = {"route": "certified", "T": horizon, "N": n, "epsilon": grid["epsilon"]}
        points.append(Point(where, best_certified(n, horizon, grid["epsilon"]), grid["epsilon"]))
    return points


def outputs(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 3 with Laplace scale N / epsilon is epsilon-DP; with Gaussian, (epsilon, delta)-DP."""
    points = [
        Point(
            {"route": "noisy vector", "N": n, "epsilon": e}, vector_loss(n, scale_of(n, e)), e * (1 + 1e-12)
        )
        for n, e in product(grid["N"], grid["levels"])
    ]
    points += _simulated(grid, repetitions, seed, scale_of) + _weights_seen(grid, seed)
    for n, epsilon, delta in product(grid["N"], grid["levels"], grid["delta"]):
        # Larger epsilon are outside of what the printed deviation is proved for.
        if epsilon < 1:  # the classical calibration of the Gaussian mechanism
            deviation = gaussian_scale_of(n, epsilon, delta)
            where = {"route": "gaussian vector", "N": n, "epsilon": epsilon, "delta": delta}
            points.append(
                Point(where, float(least_delta(epsilon=epsilon, mu=math.sqrt(n) / deviation)), delta)
            )
    return points


def gaussian_scale_of(n: int, epsilon: float, delta: float) -> float:
    """Return the standard deviation ``sqrt(2 N log(1.25 / delta)) / epsilon``."""
    return math.sqrt(2 * n * math.log(1.25 / delta)) / epsilon
