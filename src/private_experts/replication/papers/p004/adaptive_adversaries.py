"""Adaptive adversaries: privacy needs epsilon above sqrt((S + 1) / T). [mathematics/004.md#fingerprints]"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy.special import bdtrc

from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.arrays import Array
from private_experts.games.adaptive import PairsAdversary, play_adaptively
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p004.marginals import OnePairAtATime, ReleasedSums, RevealedRows
from private_experts.replication.study.intervals import mean_interval

Make = Callable[..., Algorithm]

_LARGE = 700.0  # e^700 is still a number; from there on nothing is forbidden anyway


def threshold(horizon: int, shifts: int) -> float:
    """Return ``sqrt((S + 1) / T)``, at which private algorithms still lose a constant share of the rounds."""
    return math.sqrt((shifts + 1) / horizon)


def _private(
    kind: Make, n: int, horizon: int, epsilon: float, rng: Any, repetitions: int, **options: Any
) -> Algorithm:
    return kind(n, PureDP(epsilon, "central"), horizon=horizon, rng=rng, repetitions=repetitions, **options)


def _noisy(n: int, horizon: int, shifts: int, epsilon: float, *rest: Any) -> Algorithm:
    # The step that balances the bound, with the second moment 1 + 2 b^2 of losses with Laplace noise of scale
    # b.
    moment = 1 + 2 * (n / epsilon) ** 2
    step = math.sqrt((shifts + 1) * math.log(n * horizon) / (horizon * moment))
    return _private(NoisyFixedShare, n, horizon, epsilon, *rest, switches=shifts, eta=step)


def _sequences(n: int, horizon: int, shifts: int, *rest: Any) -> Algorithm:
    return _private(SwitchingDartboard, n, horizon, *rest, switches=shifts)


def _revealing(n: int, horizon: int, shifts: int, level: float, rng: Any, repetitions: int) -> Algorithm:
    phase = horizon // (shifts + 1)
    # So 2 m delta is half the level in units of the threshold, as long as that is small.
    return RevealedRows(n, phase, min(1.0, level / (4 * math.sqrt(phase))), rng, repetitions)


PRIVATE: dict[str, Make] = {
    "noisy fixed share": _noisy,
    "restarting leader": lambda n, horizon, shifts, *rest: _private(RestartingLeader, n, horizon, *rest),
    "shrinking dartboard": lambda n, horizon, shifts, *rest: _private(ShrinkingDartboard, n, horizon, *rest),
    "switching dartboard": _sequences,
    "released sums": lambda n, horizon, shifts, *rest: ReleasedSums(n, horizon // (shifts + 1), *rest),
    "one pair at a time": lambda n, horizon, shifts, *rest: OnePairAtATime(n, horizon // (shifts + 1), *rest),
    "revealed rows": _revealing,
}


def divergence(guarantee: Any) -> tuple[float, float]:
    """Return the chi-squared divergence of the plays of neighbours, at most, outside delta, and delta.

    [mathematics/004.md#fingerprints]
    """
    if isinstance(guarantee, GaussianDP):
        return math.expm1(min(guarantee.mu**2, _LARGE)), 0.0
    if isinstance(guarantee, PureDP | ApproximateDP):
        delta = guarantee.delta if isinstance(guarantee, ApproximateDP) else 0.0
        return 4 * math.sinh(min(guarantee.epsilon, _LARGE) / 2) ** 2, delta
    raise TypeError(f"no divergence is known for {guarantee}")


def most_earned(phase: int, guarantee: Any) -> float:
    """Return the largest mean share earned: ``(1 + u) / 2``, where ``u = k sqrt(1 - u^2) + 2 m delta``."""
    chi, delta = divergence(guarantee)
    squared, revealed = (1 - delta) * phase * chi / 4, min(1.0, 2 * phase * delta)
    return (1 + (revealed + math.sqrt(squared) * math.sqrt(1 + squared - revealed**2)) / (1 + squared)) / 2


def least_of_best(phase: int, pairs: int) -> float:
    """Return the least share of rounds that the best expert of a phase earns, on average, for any play.

    Some untouched pair has at least the (m + 1)-st largest surplus, the size of uniform variables on -m, -m +
    2, ..., m.
    """
    surplus = np.arange(phase % 2 or 2, phase + 1, 2)
    chance = (phase - surplus + 2) / (phase + 1)  # that a pair has this surplus or a larger one
    # The mean as a sum of tails, which rise in steps of 2, because surplus has the parity of the phase.
    steps = np.diff(surplus, prepend=0)
    # More than m of the pairs are so large; at most m are played and thus touched, so an untouched one is
    # left.
    expected = float(steps @ bdtrc(phase, pairs, np.minimum(chance, 1.0)))
    return (1 + expected / phase) / 2


def shares(
    make: Make, phase: int, per_pair: int, shifts: int, level: float, repetitions: int, *key: Any
) -> tuple[Array, Array, Any]:
    """Return the share of rounds earned and that of dynamic regret, by game; and the guarantee."""
    # In proportion to the phase: with few pairs the played ones would be all of them.
    horizon, n = phase * (shifts + 1), 2 * per_pair * phase
    key = (*key, phase, per_pair, shifts, level, repetitions)
    adversary = PairsAdversary(n, horizon, shifts, rng_for(*key, "adversary"), repetitions)
    algorithm = make(n, horizon, shifts, level, rng_for(*key, "algorithm"), repetitions)
    earned = play_adaptively(algorithm, adversary, horizon).mean(axis=0)
    return earned, adversary.best / horizon - earned, algorithm.guarantee


def theorem_5_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Against rows of random bias, no private algorithm earns more, or loses less, than its guarantee allows.

    Lazy is to protect too little: to publish noisy sums with a thousandth of the noise, or to reveal every
    row.
    """
    points, shifts, per_pair = [], grid["S"], grid["pairs_per_round"]
    cells = list(product(grid["phase"], grid["times_threshold"], PRIVATE))
    for phase, factor, name in cells:
        level = factor * threshold(phase * (shifts + 1), shifts)
        key, more, less = (seed, "theorem 5.1", name), None, None
        earned, regret, guarantee = shares(PRIVATE[name], phase, per_pair, shifts, level, repetitions, *key)
        most, best = most_earned(phase, guarantee), least_of_best(phase, per_pair * phase)
        if name in ("released sums", "revealed rows"):
            # What the check must be able to see: without privacy the bound is broken.
            lazy = shares(
                PRIVATE[name], phase, per_pair, shifts, 1000 * level, repetitions, *key, "hardly any noise"
            )
            more, less = (float(sample.mean()) for sample in lazy[:2])
        where = {"algorithm": name, "rounds_in_phase": phase, "times_threshold": factor}
        # Twice the cells, since each has an interval for what is earned and one for the regret.
        mean, low, high = (float(end) for end in mean_interval(earned, intervals=2 * len(cells)))
        points.append(Point({**where, "what": "earned"}, mean, most, low, high, trivial=1.0, lazy=more))
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=2 * len(cells)))
        points.append(
            Point({**where, "what": "regret"}, mean, best - most, low, high, ">=", trivial=0.0, lazy=less)
        )
    return points


def adaptive_threshold(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Well above the threshold a private learner loses less than any mu-GDP algorithm does at the threshold.

    The learner is mu-GDP, and mu is measured in units of the threshold. At every mu it loses at least what
    the theorem says. Lazy is never to learn: half of the rounds are earned then.
    """
    points, shifts, per_pair = [], grid["S"], grid["pairs_per_round"]
    cells = list(product(grid["phase"], grid["times_threshold"]))
    for phase, factor in cells:
        unit = threshold(phase * (shifts + 1), shifts)
        key = (seed, "threshold")
        _, regret, guarantee = shares(
            PRIVATE["released sums"], phase, per_pair, shifts, factor * unit, repetitions, *key
        )
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=len(cells)))
        best = least_of_best(phase, per_pair * phase)
        least = {mu: best - most_earned(phase, mu) for mu in (guarantee, GaussianDP(unit, "central"))}
        where = {"rounds_in_phase": phase, "times_threshold": factor, "mu": factor * unit}
        points.append(Point({**where, "what": "least"}, mean, least[guarantee], low, high, ">=", trivial=0.0))
        if factor >= grid["succeeds_from"]:
            at_threshold = least[GaussianDP(unit, "central")]
            success = {**where, "what": "success"}
            points.append(Point(success, mean, at_threshold, low, high, trivial=0.5, lazy=best - 0.5))
    return points
