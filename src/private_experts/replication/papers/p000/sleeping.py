"""Experts that come and go: the regret against each over its rounds. [mathematics/extensions.md#sleeping]"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from private_experts.algorithms.hedge_bounds import textbook_rate
from private_experts.algorithms.sleeping_hedge import SleepingHedge
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.arrays import Array, Bools
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import privatize
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL
from private_experts.replication.study.intervals import clopper_pearson, mean_interval

CONTRARY = "contrary"  # the expert that was played before gains nothing, and all others 1


def pattern(kind: str, n: int, horizon: int, seed: int) -> tuple[Bools, Array]:
    """Return who is awake and gains, each (T, n): hard for learners that credit too much or too little."""
    awake, rng = np.ones((horizon, n), dtype=np.bool_), rng_for(seed, "sleeping", kind, n, horizon)
    gains = np.tile(np.linspace(0, 1, n), (horizon, 1))
    if kind == "alone":  # expert 0 earns all while the others sleep, and nothing once they wake
        awake[: horizon // 2, 1:] = False
        gains[:, :] = np.linspace(0, 0.9, n)
        gains[: horizon // 2, 0] = 1.0
    elif kind == "leaving":  # the best expert leaves
        awake[horizon // 2 :, -1] = False
    elif kind == "turns":  # each sleeps in its turn
        awake = np.arange(horizon)[:, None] % n != np.arange(n)
        gains = rng.random((horizon, n)) * np.linspace(0.2, 1, n)
    elif kind == "random":
        awake, gains = rng.random((horizon, n)) < 0.4, rng.random((horizon, n)).round()
        awake[~awake.any(axis=1), 0] = True
    return awake, gains


def regrets(
    algorithm: SleepingHedge | SleepingSoftmax,
    kind: str,
    awake: Bools,
    gains: Array,
    feedback: Callable[[Array], Any],
) -> Array:
    """Return each copy's regret against each expert over the rounds in which it is awake, (copies, n)."""
    copies, n = algorithm.repetitions, algorithm.n
    total, copy, before = np.zeros((copies, n)), np.arange(algorithm.repetitions), None
    for present, row in zip(awake, gains, strict=True):
        algorithm.wake(present)
        actions, values = algorithm.predict(), np.tile(row, (copies, 1))
        if kind == CONTRARY:
            values = np.ones((copies, n))
            if before is not None:
                values[copy, before] = 0.0
        total += np.where(present, values - values[copy, actions][:, None], 0.0)
        algorithm.update(feedback(values[:, present]))
        before = actions
    return total


def unlearned(kind: str, awake: Bools, gains: Array) -> Array:
    """Return the expected regret of uniform play among those awake against each expert, (n,)."""
    if kind == CONTRARY:  # its choices are independent, so every expert gains as much as it does
        return np.zeros(gains.shape[1])
    mixed = np.where(awake, gains, 0.0).sum(axis=1) / awake.sum(axis=1)
    return np.where(awake, gains - mixed[:, None], 0.0).sum(axis=0)


def sleeping_hedge(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """SleepingHedge's expected regret over T_i rounds is at most log n / r + r T_i (1/8 + eta^2 / 2).

    For every expert. The rate is the best one for all rounds. Lazy is uniform play among those awake.
    """
    points, cells = [], cells_of(grid, "pattern", "n", "T", "eta")
    intervals = sum(n for _, _, n, _, _ in cells)
    for where, kind, n, horizon, eta in cells:
        key, (awake, gains) = (seed, "hedge", kind, n, horizon, eta), pattern(kind, n, horizon, seed)
        rate, noise = textbook_rate([eta] * horizon, n), SimulatedNoise(rng_for(*key, "reports", repetitions))
        hedge = SleepingHedge(
            n, LOCAL, rate=rate, rng=rng_for(*key, "choice", repetitions), repetitions=repetitions
        )

        def private(values: Array, eta: float = eta, noise: SimulatedNoise = noise) -> Any:
            return privatize(values, LOCAL, LOCAL.mu * eta, noise, repetitions=repetitions)

        sample = regrets(hedge, kind, awake, gains, private)
        cost = awake.sum(axis=0) * rate * (1 / 8 + eta**2 / 2)
        points += _of_experts(where, kind, sample, awake, gains, math.log(n) / rate + cost, intervals)
    return points


def sleeping_softmax(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """SleepingSoftmax's regret is on average at most log n / r + r T_i / 4, for every expert.

    With a chance of at least 1 - beta it is below log(n / beta) / r + r T_i / 4 for all experts at once. Lazy
    is uniform play among those awake; for chances it is played.
    """
    means, chances, cells = [], [], cells_of(grid, "pattern", "n", "T")
    intervals = sum(n + len(grid["beta"]) for _, _, n, _ in cells)
    for where, kind, n, horizon in cells:
        key, (awake, gains) = (seed, "softmax", kind, n, horizon), pattern(kind, n, horizon, seed)
        rate = 2 * math.sqrt(math.log(n) / horizon)  # the best one for all rounds
        softmax = SleepingSoftmax(
            n,
            PureDP(2 * rate * (horizon - 1), "central"),
            horizon=horizon,
            rng=rng_for(*key, repetitions),
            repetitions=repetitions,
        )
        sample, cost = (
            regrets(softmax, kind, awake, gains, lambda values: values),
            awake.sum(axis=0) * rate / 4,
        )
        lazily = _uniform(kind, awake, gains, repetitions, rng_for(*key, "uniform", repetitions))
        means += _of_experts(where, kind, sample, awake, gains, math.log(n) / softmax.rate + cost, intervals)
        for beta in grid["beta"]:
            bound = math.log(n / beta) / softmax.rate + cost
            share, lazy = (float((regret > bound).any(axis=1).mean()) for regret in (sample, lazily))
            low, high = clopper_pearson(share * repetitions, repetitions, intervals)
            place = {**where, "beta": beta}
            points = Point(place, share, beta, float(low), float(high), trivial=1.0, lazy=lazy)
            chances.append(points)
    return labelled("of", {"mean": means, "all experts at once": chances})


def _of_experts(
    where: Mapping[str, Any],
    kind: str,
    sample: Array,
    awake: Bools,
    gains: Array,
    bound: Array,
    intervals: int,
) -> list[Point]:
    """Return a point for each expert: its mean regret, below its bound."""
    means, lows, highs = mean_interval(sample, axis=0, intervals=intervals)
    lazy, rounds, points = unlearned(kind, awake, gains), awake.sum(axis=0).tolist(), []
    for i, mean in enumerate(means.tolist()):
        sides, notes = (mean, float(bound[i]), float(lows[i]), float(highs[i])), {"rounds_awake": rounds[i]}
        place = {**where, "expert": i}
        points.append(Point(place, *sides, notes=notes, trivial=float(rounds[i]), lazy=float(lazy[i])))
    return points


def _uniform(kind: str, awake: Bools, gains: Array, copies: int, rng: np.random.Generator) -> Array:
    """Return the regrets of uniform play among those awake."""

    class Uniform(SleepingSoftmax):
        def update(self, gains: Array) -> None:
            self._actions = None

    lazy = Uniform(
        gains.shape[1], PureDP(1.0, "central"), horizon=len(gains), rng=rng, repetitions=copies, rate=1e-9
    )
    return regrets(lazy, kind, awake, gains, lambda values: values)
