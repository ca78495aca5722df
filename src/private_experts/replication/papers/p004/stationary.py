"""Algorithm 1 on stationary streams: the selection's sign, every interval's regret, and its lemmas."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.study.intervals import clopper_pearson, mean_interval

_OF_GAMES = ("kind", "N", "T", "epsilon", "gap")
_OF_SIGN = ("N", "T", "epsilon")


def leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1, which selects the expert of the smallest noisy loss."""
    return DyadicLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


class WorstLeader(DyadicLeader):
    """Algorithm 1 as printed: it selects the expert of the largest noisy loss."""

    def update(self, gains: Array) -> None:
        """Take in a round."""
        # Losses for gains: the largest noisy loss is then selected, with the same noise.
        super().update(1 - gains)


def printed_leader(n: int, epsilon: float, rng: np.random.Generator, repetitions: int) -> DyadicLeader:
    """Return Algorithm 1 as printed."""
    return WorstLeader(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


def _stream(kind: str, n: int, gap: float, horizon: int, repetitions: int, *key: Any) -> Array:
    return KINDS[kind](equal_gaps(n, gap)).rounds(
        horizon, repetitions, rng_for(*key, kind, n, gap, horizon, repetitions)
    )


def theorem_3_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 1's regret is within Theorem 3.1's bound, everywhere and in mean; Lemma 3.3 is one step.

    Intervals are joint over all three parts. Those beside the theorem itself have their own numbers of games.
    Lazy is to name one of the worst experts in every round.
    """
    whole, paid = grid["whole games"], grid["Lemma 3.3"]
    joint = _intervals(grid) + len(cells_of(whole, *_OF_SIGN)) + _intervals(paid)
    return labelled(
        "part",
        {
            "Theorem 3.1": every_interval(grid, repetitions, seed, leader, printed_allowance, joint),
            "whole games": whole_games(whole, whole["games"], seed, leader, joint),
            "Lemma 3.3": losses_paid(paid, paid["games"], seed, joint),
        },
    )


def _intervals(cells: Grid) -> int:
    """Return how many intervals there are: one for each fraction of the bound in each game."""
    return len(cells_of(cells, *_OF_GAMES)) * len(cells["fraction"])


def whole_games(cells: Grid, repetitions: int, seed: int, make: Any, joint: int) -> list[Point]:
    """Algorithm 1's mean regret is at most 16 log(NT / beta) / epsilon + 9 sqrt((T - 1) log(NT / beta)).

    This is Theorem 3.1 at w = T - 1, where the sign of the selection decides. [004, Algorithm 1, line 4]
    """
    points = []
    for where, n, horizon, epsilon in cells_of(cells, *_OF_SIGN):
        gains = _stream("independent", n, cells["gap"], horizon, repetitions, seed, "sign")
        algorithm = make(n, epsilon, rng_for(seed, "sign", n, horizon, epsilon, repetitions), repetitions)
        regret = dynamic_regret(gains, play(algorithm, gains), 0)
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=joint))
        most = float(printed_allowance(np.array(horizon), n, horizon, epsilon, cells["beta"]))
        points.append(
            Point(where, mean, most, low, high, trivial=float(horizon), lazy=horizon * cells["gap"])
        )
    return points


def leader_sign_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for the selection as printed, the largest noisy loss. [mathematics/004.md#e004-1]"""
    return whole_games(grid, repetitions, seed, printed_leader, len(cells_of(grid, *_OF_SIGN)))


def _share(events: Bools, intervals: int) -> tuple[float, float, float]:
    low, high = clopper_pearson(events.sum(), events.size, intervals)
    return float(events.mean()), float(low), float(high)


def every_interval(
    cells: Grid, repetitions: int, seed: int, make: Any, allowed: Any, joint: int | None = None
) -> list[Point]:
    """With probability 1 - beta no interval's regret exceeds what is allowed, nor fractions of it."""
    points = []
    for where, kind, n, horizon, epsilon, gap in cells_of(cells, *_OF_GAMES):
        gains = _stream(kind, n, gap, horizon, repetitions, seed, "theorem 3.1", epsilon)
        rng = rng_for(seed, "3.1", kind, n, horizon, epsilon, gap, repetitions)
        algorithm = make(n, epsilon, rng, repetitions)
        # Intervals of all lengths would take T^2 sums; the allowance grows slowly between these.
        lengths = np.unique(np.geomspace(1, horizon, cells["lengths"]).astype(int))
        worst = interval_regret(gains, play(algorithm, gains), lengths)
        most = allowed(lengths.astype(float), n, horizon, epsilon, cells["beta"])[:, None]
        notes = {
            "largest_share_of_bound": float((worst / most).max()),
            "mean_regret": float(worst[-1].mean()),
        }
        lazy = interval_regret(gains, np.full(gains.shape[:2], n - 1), lengths)
        exceeded = _Exceeded(where, worst, lazy, most, lengths, notes)
        points += exceeded.points(cells["beta"], cells["fraction"], joint or _intervals(cells))
    return points


@dataclass(frozen=True)
class _Exceeded:
    """How far something of games is off, for each length (rows) and game (columns), beside its bound."""

    where: Grid
    off: Array
    lazy: Array  # the same of a lazy program
    most: Array  # the bound for each length
    furthest: Array  # what cannot be exceeded without the theorem
    notes: Grid

    def points(self, beta: float, fractions: Sequence[float], joint: int) -> list[Point]:
        """Return for fractions of the bound how often something exceeds it; at most beta is right."""
        points = []
        for fraction in fractions:
            events, of_lazy = (
                np.asarray((off > fraction * self.most).any(axis=0)) for off in (self.off, self.lazy)
            )
            share, low, high = _share(events, joint)
            trivial = float((fraction * self.most[:, 0] < self.furthest).any())
            where, lazy = {**self.where, "fraction": fraction}, float(of_lazy.mean())
            points.append(Point(where, share, beta, low, high, notes=self.notes, trivial=trivial, lazy=lazy))
        return points


def lemma_3_3_bound(w: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return ``16 log(NT / beta) log(T) / epsilon + 7 sqrt(w log(NT / beta))``. [004, Lemma 3.3]"""
    level = math.log(n * horizon / beta)
    return np.asarray(16 * level * math.log(horizon) / epsilon + 7 * np.sqrt(w * level))


def losses_paid(cells: Grid, repetitions: int, seed: int, joint: int) -> list[Point]:
    """With probability 1 - 3 beta the losses paid from t to t + w are near w times the least expected loss.

    This is Lemma 3.3, with fractions of its bound.
    """
    points = []
    for where, kind, n, horizon, epsilon, gap in cells_of(cells, *_OF_GAMES):
        stream = KINDS[kind](equal_gaps(n, gap))
        gains = _stream(kind, n, gap, horizon, repetitions, seed, "lemma 3.3", epsilon)
        algorithm = leader(
            n, epsilon, rng_for(seed, "3.3", kind, n, horizon, epsilon, gap, repetitions), repetitions
        )
        paid = 1 - np.take_along_axis(gains, play(algorithm, gains)[..., None], axis=2)[..., 0]
        widths = np.unique(np.geomspace(1, horizon - 1, cells["lengths"]).astype(int))
        least = 1 - stream.means.max()
        off, lazy = (_furthest_off(losses, widths, least) for losses in (paid, 1 - gains[..., n - 1]))
        most = lemma_3_3_bound(widths.astype(float), n, horizon, epsilon, cells["beta"])[:, None]
        furthest = np.maximum(widths * least, widths * (1 - least) + 1)
        exceeded = _Exceeded(
            where, off, lazy, most, furthest, {"largest_share_of_bound": float((off / most).max())}
        )
        points += exceeded.points(3 * cells["beta"], cells["fraction"], joint)
    return points


def _furthest_off(paid: Array, widths: Indices, mean: float) -> Array:
    """Return how far the losses of w + 1 rounds on end are from w times the mean, at most, by w and game."""
    totals = np.concatenate([np.zeros((1, paid.shape[1])), paid.cumsum(axis=0)])
    return np.array([np.abs(totals[w + 1 :] - totals[: -w - 1] - w * mean).max(axis=0) for w in widths])


def _theorem_3_1(size: Ball, level: Ball, epsilon: Ball) -> Ball:
    """Return Theorem 3.1's bound for `size` rounds, with ``level = log(NT / beta)``."""
    return 16 * level / epsilon + 9 * sqrt((size - 1) * level)


def _proved(size: Ball, level: Ball, epsilon: Ball) -> Ball:
    """Return the allowance that is proved here, for Algorithm 1 at half of Algorithm 2's epsilon."""
    return 16 * level * (1 + log(size)) / (epsilon / 2) + 10 * sqrt(2) * sqrt(size * level)


def last_line(grid: Grid) -> list[Point]:
    """Theorem 3.1's bound is at least its proof's last, in ball arithmetic. [mathematics/004.md#e004-2]

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
        needed, allowance_now = (
            printed_allowance(size, n, horizon, level, beta),
            allowed(size, n, horizon, epsilon, beta),
        )
        with precision():
            factor, wide = log(ball(n) * horizon / beta), ball(rounds)
            bound = _theorem_3_1(wide, factor, ball(epsilon) / 2)
            printed = allowed is printed_allowance
            limit = _theorem_3_1(wide, factor, epsilon) if printed else _proved(wide, factor, epsilon)
            points.append(at_point({**where, "what": "allowed"}, bound, ball(float(allowance_now))))
            points.append(agreement({**where, "what": "formula of the bound"}, float(needed), bound, 1e-12))
            points.append(agreement({**where, "what": "formula allowed"}, float(allowance_now), limit, 1e-12))
    return points


def allowance(grid: Grid) -> list[Point]:
    """The same for the allowance that is proved, and its two terms one by one.

    The first one has the factor 1 + log(w) where the bound has 1. The second one is proved for any number w
    of rounds, with ``q^2 = (w - 1) / w``.
    """
    box = {"q": [0.0, 1.0]}
    second = over_box({"what": "second terms over sqrt(w)"}, lambda q: (9 * q, 10 * sqrt(2) + 0 * q), box)
    return [second, *allowance_printed(grid, proved_allowance)]


def deviation(w: Array, n: int, horizon: int, beta: float) -> Array:
    """Return ``sqrt(2 (w + 1) log(NT / beta))``, for sums of the w + 1 rounds from t to t + w."""
    return np.asarray(np.sqrt(2 * (w + 1) * math.log(n * horizon / beta)))


def lemma_3_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With chance 1 - beta sums of w + 1 losses are within sqrt(2 (w + 1) log(NT / beta)) of w + 1 means."""
    cells = cells_of(grid, "N", "T", "beta")
    points = []
    for where, n, horizon, beta in cells:
        flips = (
            rng_for(seed, "lemma 3.2", n, horizon, beta, repetitions).random((horizon, repetitions, n)) < 0.5
        )
        totals = np.concatenate([np.zeros((1, repetitions, n)), flips.cumsum(axis=0)])
        broken, largest = np.zeros(repetitions, dtype=np.bool_), 0.0
        for w in range(horizon):
            off = np.abs(totals[w + 1 :] - totals[: horizon - w] - (w + 1) / 2).max(axis=(0, 2))
            most = float(deviation(np.array(float(w)), n, horizon, beta))
            broken |= off > most
            largest = max(largest, float(off.max()) / most) if most else math.inf
        share, low, high = _share(broken, len(cells))
        points.append(Point(where, share, beta, low, high, notes={"largest_share_of_bound": largest}))
    return points


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


def proof_sums_printed(grid: Grid) -> list[Point]:
    """The same with the printed 6 instead of 8 sqrt 2. [mathematics/004.md#e004-3]"""
    return proof_sums(grid, 6.0)
