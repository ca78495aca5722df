"""Algorithm 1 on stationary streams: the sign of its selection, the regret of every interval, and the lemmas for it."""

import math
from itertools import accumulate, product
from typing import Any

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.restarting_leader import printed_allowance, proved_allowance
from private_experts.arrays import Array, Bools, Indices
from private_experts.games.play import play
from private_experts.games.regret import dynamic_regret, interval_regret
from private_experts.games.streams import KINDS, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, log, precision, rational, sqrt
from private_experts.replication.balls.boxes import agreement, at_point, over_box
from private_experts.replication.intervals import clopper_pearson, mean_interval
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of


def leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1, which selects the expert of the smallest noisy loss."""
    return DyadicLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


class WorstLeader(DyadicLeader):
    """Algorithm 1 as printed: it selects the expert of the largest noisy loss."""

    def update(self, gains: Array) -> None:
        """Take in a round."""
        super().update(1 - gains)


def printed_leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1 as printed."""
    return WorstLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


def _stream(kind: str, n: int, gap: float, horizon: int, repetitions: int, *key: Any) -> Array:
    return KINDS[kind](equal_gaps(n, gap)).rounds(
        horizon, repetitions, rng_for(*key, kind, n, gap, horizon, repetitions)
    )


def leader_sign(grid: Grid, repetitions: int, seed: int, make: Any = leader) -> list[Point]:
    """Algorithm 1's mean regret is at most 16 log(NT / beta) / epsilon + 9 sqrt((T - 1) log(NT / beta)).

    Lazy is uniform play.
    """
    cells = cells_of(grid, "N", "T", "epsilon")
    points = []
    for where, n, horizon, epsilon in cells:
        gains = _stream("independent", n, grid["gap"], horizon, repetitions, seed, "sign")
        algorithm = make(n, epsilon, rng_for(seed, "sign", n, horizon, epsilon, repetitions), repetitions)
        regret = dynamic_regret(gains, play(algorithm, gains), 0)
        mean, low, high = (float(each) for each in mean_interval(regret, intervals=len(cells)))
        most = float(printed_allowance(np.array(horizon), n, horizon, epsilon, grid["beta"]))
        lazy = horizon * grid["gap"] * (1 - 1 / n)
        points.append(Point(where, mean, most, low, high, trivial=float(horizon), lazy=lazy))
    return points


def leader_sign_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for the selection as printed, the largest noisy loss. [mathematics/004.md#e004-1]"""
    return leader_sign(grid, repetitions, seed, printed_leader)


def _share(events: Bools, intervals: int) -> tuple[float, float, float]:
    low, high = clopper_pearson(events.sum(), events.size, intervals)
    return float(events.mean()), float(low), float(high)


def theorem_3_1(
    grid: Grid, repetitions: int, seed: int, make: Any = None, allowed: Any = printed_allowance
) -> list[Point]:
    """With probability 1 - beta no interval's regret exceeds 16 log(NT / beta) / epsilon + 9 sqrt(w log(NT / beta)).

    The same is tested with fractions of this bound. Lazy is to name one of the worst experts in every round.
    """
    cells = cells_of(grid, "kind", "N", "T", "epsilon", "gap")
    points = []
    for where, kind, n, horizon, epsilon, gap in cells:
        gains = _stream(kind, n, gap, horizon, repetitions, seed, "theorem 3.1", epsilon)
        algorithm = (make or leader)(
            n, epsilon, rng_for(seed, "3.1", kind, n, horizon, epsilon, gap, repetitions), repetitions
        )
        lengths = np.unique(np.geomspace(1, horizon, grid["lengths"]).astype(int))
        worst = interval_regret(gains, play(algorithm, gains), lengths)
        most = allowed(lengths.astype(float), n, horizon, epsilon, grid["beta"])[:, None]
        notes = {"largest_share_of_bound": float((worst / most).max()), "mean_regret": float(worst[-1].mean())}
        lazy = interval_regret(gains, np.full(gains.shape[:2], n - 1), lengths)
        points += _exceeded(where, worst, lazy, most, lengths, grid["beta"], grid["fraction"], len(cells), notes)
    return points


def _exceeded(
    where: Grid, off: Array, lazy: Array, most: Array, furthest: Array, beta: float, fractions: list[float],
    cells: int, notes: Grid,
) -> list[Point]:  # fmt: skip
    """Return for fractions of a bound how often something exceeds it; what cannot is 0 without the theorem."""
    points = []
    for fraction in fractions:
        events, of_lazy = (np.asarray((each > fraction * most).any(axis=0)) for each in (off, lazy))
        share, low, high = _share(events, cells * len(fractions))
        trivial, place = float((fraction * most[:, 0] < furthest).any()), {**where, "fraction": fraction}
        by_lazy = float(of_lazy.mean())
        points.append(Point(place, share, beta, low, high, notes=notes, trivial=trivial, lazy=by_lazy))
    return points


def lemma_3_3_bound(w: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return ``16 log(NT / beta) log(T) / epsilon + 7 sqrt(w log(NT / beta))``. [004, Lemma 3.3]"""
    level = math.log(n * horizon / beta)
    return np.asarray(16 * level * math.log(horizon) / epsilon + 7 * np.sqrt(w * level))


def lemma_3_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With probability 1 - 3 beta the losses paid in rounds t to t + w are near w times the least expected loss.

    The same is tested with fractions of the bound. Lazy is to name one of the worst experts in every round.
    """
    cells = cells_of(grid, "kind", "N", "T", "epsilon", "gap")
    points = []
    for where, kind, n, horizon, epsilon, gap in cells:
        stream = KINDS[kind](equal_gaps(n, gap))
        gains = _stream(kind, n, gap, horizon, repetitions, seed, "lemma 3.3", epsilon)
        algorithm = leader(n, epsilon, rng_for(seed, "3.3", kind, n, horizon, epsilon, gap, repetitions), repetitions)
        paid = 1 - np.take_along_axis(gains, play(algorithm, gains)[..., None], axis=2)[..., 0]
        widths = np.unique(np.geomspace(1, horizon - 1, grid["lengths"]).astype(int))
        least = 1 - stream.means.max()
        off, lazy = (_furthest_off(each, widths, least) for each in (paid, 1 - gains[..., n - 1]))
        most = lemma_3_3_bound(widths.astype(float), n, horizon, epsilon, grid["beta"])[:, None]
        notes = {"largest_share_of_bound": float((off / most).max())}
        furthest = np.maximum(widths * least, widths * (1 - least) + 1)
        points += _exceeded(where, off, lazy, most, furthest, 3 * grid["beta"], grid["fraction"], len(cells), notes)
    return points


def _furthest_off(paid: Array, widths: Indices, mean: float) -> Array:
    """Return how far the losses of w + 1 rounds in a row are from w times the mean, at most, for each w and game."""
    totals = np.concatenate([np.zeros((1, paid.shape[1])), paid.cumsum(axis=0)])
    return np.array([np.abs(totals[w + 1 :] - totals[: -w - 1] - w * mean).max(axis=0) for w in widths])


def _theorem_3_1(size: Ball, level: Ball, epsilon: Ball) -> Ball:
    """Return Theorem 3.1's bound for `size` rounds, with ``level = log(NT / beta)``."""
    return 16 * level / epsilon + 9 * sqrt((size - 1) * level)


def _proved(size: Ball, level: Ball, epsilon: Ball) -> Ball:
    """Return the allowance that is proved here, for Algorithm 1 at half of Algorithm 2's epsilon."""
    return 16 * level * (1 + log(size)) / (epsilon / 2) + 10 * sqrt(2) * sqrt(size * level)


def last_line(grid: Grid) -> list[Point]:
    """Theorem 3.1's bound is no less than what its proof ends with, in ball arithmetic. [mathematics/004.md#e004-2]

    The last line of the proof has a factor log T on the first term, and log(N / beta) under the root.
    """
    points = []
    for where, n, horizon, epsilon, w in cells_of(grid, "N", "T", "epsilon", "w"):
        with precision():
            share = ball(n) / rational(grid["beta"])
            level = log(share * horizon)
            proof = 16 * level * log(ball(horizon)) / ball(epsilon) + 9 * sqrt(w * log(share))
            points.append(at_point(where, proof, _theorem_3_1(ball(w + 1), level, ball(epsilon))))
    return points


def allowance_printed(grid: Grid, allowed: Any = printed_allowance) -> list[Point]:
    """Algorithm 2's Reg_w is no less than Theorem 3.1's bound for Algorithm 1 at the level epsilon / 2.

    The library's numbers must agree with the formulas.
    """
    points = []
    for where, n, horizon, epsilon, rounds in cells_of(grid, "N", "T", "epsilon", "rounds"):
        size, beta = np.array(float(rounds)), 1 / horizon
        level = leader(n, epsilon / 2, rng_for(0, "unused"), 1).guarantee.epsilon
        needed, given = printed_allowance(size, n, horizon, level, beta), allowed(size, n, horizon, epsilon, beta)
        with precision():
            factor, wide = log(ball(n) * horizon / beta), ball(rounds)
            bound = _theorem_3_1(wide, factor, ball(epsilon) / 2)
            printed = allowed is printed_allowance
            limit = _theorem_3_1(wide, factor, epsilon) if printed else _proved(wide, factor, epsilon)
            points.append(at_point({**where, "what": "allowed"}, bound, ball(float(given))))
            points.append(agreement({**where, "what": "formula of the bound"}, float(needed), bound, 1e-12))
            points.append(agreement({**where, "what": "formula allowed"}, float(given), limit, 1e-12))
    return points


def allowance(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for the allowance that is proved, and its two terms one by one.

    The first one has the factor 1 + log(w) where the bound has 1. The second one is proved for any number w of rounds,
    with ``q^2 = (w - 1) / w``.
    """
    box = {"q": [0.0, 1.0]}
    second = over_box({"what": "second terms over sqrt(w)"}, lambda q: (9 * q, 10 * sqrt(2) + 0 * q), box)
    return [second, *allowance_printed(grid, proved_allowance)]


def deviation(w: Array, n: int, horizon: int, beta: float) -> Array:
    """Return ``sqrt(2 (w + 1) log(NT / beta))``, for sums of the w + 1 rounds from t to t + w."""
    return np.asarray(np.sqrt(2 * (w + 1) * math.log(n * horizon / beta)))


def _lemma_3_2(grid: Grid, repetitions: int, seed: int, terms: int, within: Any) -> list[Point]:
    cells = cells_of(grid, "N", "T", "beta")
    points = []
    for where, n, horizon, beta in cells:
        flips = rng_for(seed, "lemma 3.2", n, horizon, beta, repetitions).random((horizon, repetitions, n)) < 0.5
        totals = np.concatenate([np.zeros((1, repetitions, n)), flips.cumsum(axis=0)])
        broken, largest = np.zeros(repetitions, dtype=np.bool_), 0.0
        for w in range(horizon):
            off = np.abs(totals[w + 1 :] - totals[: horizon - w] - (w + terms) / 2).max(axis=(0, 2))
            most = float(within(np.array(float(w)), n, horizon, beta))
            broken |= off > most
            largest = max(largest, float(off.max()) / most) if most else math.inf
        share, low, high = _share(broken, len(cells))
        points.append(Point(where, share, beta, low, high, notes={"largest_share_of_bound": largest}))
    return points


def lemma_3_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With probability 1 - beta all sums of w + 1 losses are within sqrt(2 (w + 1) log(NT / beta)) of w + 1 means."""
    return _lemma_3_2(grid, repetitions, seed, 1, deviation)


def lemma_3_2_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same as printed, with w for w + 1. At w = 0 it says that every loss is 0. [mathematics/004.md#e004-4]"""
    return _lemma_3_2(grid, repetitions, seed, 0, lambda w, *rest: deviation(w - 1, *rest))


def proof_sums(grid: Grid, constant: float | None = None) -> list[Point]:
    """The sum of 4 sqrt 2 / sqrt i over i = t..t+w is at most 8 sqrt 2 sqrt w, for w at least 1."""
    points = []
    with precision():
        bound = 8 * sqrt(2) if constant is None else ball(constant)
        last = max(grid["w"]) + max(grid["t"])
        roots = list(accumulate((1 / sqrt(i) for i in range(1, last + 1)), initial=ball(0)))
        for w, t in product(grid["w"], grid["t"]):
            total = 4 * sqrt(2) * (roots[t + w] - roots[t - 1])
            points.append(at_point({"w": w, "t": t}, total / sqrt(w), bound))
    return points


def proof_sums_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same with the printed 6 instead of 8 sqrt 2. [mathematics/004.md#e004-3]"""
    return proof_sums(grid, 6.0)
