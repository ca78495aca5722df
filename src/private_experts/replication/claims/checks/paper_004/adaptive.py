"""Adaptive adversaries: a private learner cannot keep up with them unless epsilon is well above sqrt((S + 1) / T).

[mathematics/004.md#theorem-5-1]
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.shrinking_dartboard import DartboardParameters, ShrinkingDartboard, pure_parameters
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.games.adaptive import PairsAdversary, play_adaptively
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.replication.intervals import mean_interval

Array = NDArray[np.float64]
Grid = Mapping[str, Any]
Make = Callable[[int, int, int, float, np.random.Generator, int], Algorithm]


def threshold(horizon: int, shifts: int) -> float:
    """Return ``sqrt((S + 1) / T)``, up to a logarithm the epsilon below which private algorithms have linear regret."""
    return math.sqrt((shifts + 1) / horizon)


def _step(n: int, horizon: int, shifts: int, scale: float) -> float:
    return math.sqrt((shifts + 1) * math.log(n * horizon) / (horizon * (1 + 2 * scale**2)))


def _mended(n: int, horizon: int, shifts: int, epsilon: float, rng: Any, repetitions: int) -> Algorithm:
    scale = n / epsilon
    return NoisyFixedShare(n, horizon, shifts, _step(n, horizon, shifts, scale), scale, rng, repetitions)


def _printed(
    n: int, horizon: int, shifts: int, epsilon: float, rng: np.random.Generator, repetitions: int
) -> Algorithm:
    scale = 1 / epsilon
    return NoisyFixedShare(n, horizon, shifts, _step(n, horizon, shifts, scale), scale, rng, repetitions)


def _restarting(n: int, horizon: int, shifts: int, epsilon: float, rng: Any, repetitions: int) -> Algorithm:
    return RestartingLeader(n, horizon, epsilon, rng, repetitions)


def _parameters(horizon: int, epsilon: float) -> DartboardParameters:
    return pure_parameters(horizon, epsilon)


def _dartboard(n: int, horizon: int, shifts: int, epsilon: float, rng: Any, repetitions: int) -> Algorithm:
    eta, p, budget, _, _ = _parameters(horizon, epsilon)
    return ShrinkingDartboard(n, eta, p, budget, rng, repetitions)


def _sequences(n: int, horizon: int, shifts: int, epsilon: float, rng: Any, repetitions: int) -> Algorithm:
    eta, p, budget, _, _ = _parameters(horizon, epsilon)
    return SwitchingDartboard(n, horizon, shifts, eta, p, budget, rng, repetitions)


def _without(n: int, horizon: int, shifts: int, epsilon: float, rng: Any, repetitions: int) -> Algorithm:
    return FixedShare(n, horizon, shifts, 5.0, rng, repetitions)


PRIVATE: dict[str, Make] = {
    "noisy fixed share": _mended,
    "restarting leader": _restarting,
    "shrinking dartboard": _dartboard,
    "switching dartboard": _sequences,
}


def guessing(horizon: int, shifts: int) -> float:
    """Return the share of rounds that uniform guesses lose when there are as many pairs, p, as rounds in a phase.

    In round t of a phase the guessed pair has not been played with probability (1 - 1/p)^(t - 1). The guess is right
    with probability 1/2. [mathematics/004.md#pairs-adversary]
    """
    pairs = horizon // (shifts + 1)
    return 1 - (1 - (1 - 1 / pairs) ** pairs) / 2


def _missed(make: Make, horizon: int, shifts: int, epsilon: float, repetitions: int, *key: Any) -> Array:
    """Return the dynamic regret divided by T. Some sequence with S switches always earns 1 in every round."""
    n = 2 * horizon // (shifts + 1)
    key = (*key, horizon, shifts, epsilon, repetitions)
    adversary = PairsAdversary(n, horizon, shifts, rng_for(*key, "adversary"), repetitions)
    algorithm = make(n, horizon, shifts, epsilon, rng_for(*key, "algorithm"), repetitions)
    return np.asarray(1 - play_adaptively(algorithm, adversary, horizon).mean(axis=0))


def _point(where: dict[str, Any], missed: Array, bound: float, sense: Literal["<=", ">="], intervals: int) -> Point:
    mean, low, high = (float(each) for each in mean_interval(missed, intervals=intervals))
    return Point(where, mean, bound, low, high, sense)


def theorem_5_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """At epsilon <= sqrt((S + 1) / T) private algorithms lose a constant share of all rounds to this adversary.

    They lose more than uniform guesses do, at every T. An algorithm that is not private loses few rounds.
    [mathematics/004.md#theorem-5-1]
    """
    points, shifts = [], grid["S"]
    intervals = (len(PRIVATE) * len(grid["times_threshold"]) + 1) * len(grid["T"])
    for horizon in grid["T"]:
        for (name, make), factor in product(PRIVATE.items(), grid["times_threshold"]):
            epsilon = factor * threshold(horizon, shifts)
            missed = _missed(make, horizon, shifts, epsilon, repetitions, seed, "theorem 5.1", name)
            where = {"algorithm": name, "T": horizon, "times_threshold": factor}
            points.append(_point(where, missed, guessing(horizon, shifts), ">=", intervals))
        missed = _missed(_without, horizon, shifts, 0.0, repetitions, seed, "theorem 5.1", "not private")
        where = {"algorithm": "fixed share, not private", "T": horizon}
        points.append(_point(where, missed, grid["at_most"], "<=", intervals))
    return points


def adaptive_threshold(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With noise of scale 1 / epsilon on every loss, the lost share of rounds falls above epsilon = sqrt((S + 1) / T).

    Up to this threshold more is lost than by uniform guesses, and well above it little is lost. The noise is that of
    Algorithm 3 as printed, which is less than epsilon-DP needs. So the check shows what the adversary can do, and says
    nothing about private algorithms. [mathematics/004.md#adaptive-threshold]
    """
    points, horizon, shifts = [], grid["T"], grid["S"]
    for factor in grid["times_threshold"]:
        epsilon = factor * threshold(horizon, shifts)
        missed = _missed(_printed, horizon, shifts, epsilon, repetitions, seed, "threshold")
        where = {"times_threshold": factor, "epsilon": epsilon}
        if factor <= 1:
            points.append(_point(where, missed, guessing(horizon, shifts), ">=", len(grid["times_threshold"])))
        else:
            points.append(_point(where, missed, grid["at_most"], "<=", len(grid["times_threshold"])))
    return points
