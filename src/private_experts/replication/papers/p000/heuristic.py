"""Appendix A.11 beyond two experts: the amplification by the law of the gap; and A.11.1, its limits.

[mathematics/000.md#a11-many] [mathematics/000.md#a11-limits]
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from private_experts.algorithms.rw_adabatch import simulate_batches
from private_experts.arrays import Ints
from private_experts.games.play import play
from private_experts.privacy.gaussian_mechanism import delta
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.batches import ALPHA, predicted
from private_experts.replication.papers.p000.fixed_stream_regret import batching, noisy_reports
from private_experts.replication.papers.p000.sampled_points import mean_point, share_point
from private_experts.replication.study.batching.amplification import Law, log_delta
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.walks.batch_size import threshold
from private_experts.walks.gap import distribution


def amplification_ratio(q: float, t: int, n: int) -> float:
    """Return A.11's estimate of round t's amplification with probability 1 - q; below 1 it says nothing."""
    # The appendix inverts Theorem 1's bound by its leading term.
    spread = math.sqrt(math.log(2 * n - 2)) + math.sqrt(math.log(math.sqrt(t / math.log(n)) / ALPHA))
    return q * math.sqrt(math.pi * t / 2) / spread / math.comb(n, 2)


def many_experts(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The amplification sqrt(B) is below the estimate with probability at most q, where that is above 1.

    As in the appendix there is no drift, and the noise scale is 1.
    """
    # Below 1 the estimate promises less than a single round has.
    cells = [
        (n, t, q) for n, t, q in product(grid["n"], grid["t"], grid["q"]) if amplification_ratio(q, t, n) > 1
    ]
    points = []
    for n in grid["n"]:
        rng = rng_for(seed, "A.11", n, repetitions)
        sizes_by_round = simulate_batches(
            n, 1.0, 2 * max(grid["t"]), repetitions, ALPHA, rng, rho=0.0, rounds=grid["t"]
        )
        for t, sizes in zip(grid["t"], sizes_by_round, strict=True):
            for q in (q for m, s, q in cells if (m, s) == (n, t)):
                ratio = amplification_ratio(q, t, n)
                count, where = (np.sqrt(sizes) < ratio).sum(), {"n": n, "t": t, "q": q}
                points.append(share_point(where, count, repetitions, q, len(cells), notes={"ratio": ratio}))
    return points


def _sizes(n: int, rounds: Sequence[int], repetitions: int, seed: int, *key: str) -> Ints:
    """Return sizes (rounds, repetitions) of the batches of some rounds, without drift, at noise scale 1."""
    rng = rng_for(seed, "A.11.1", *key, n, repetitions)
    return simulate_batches(n, 1.0, 2 * max(rounds), repetitions, ALPHA, rng, rho=0.0, rounds=rounds)


def assumption_3(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The law of a round's batch is about that which the gap of this very round would give.

    The value is the difference of the two probabilities that the batch has at most b rounds; that of the gap
    is known.
    """
    points = []
    intervals = len(grid["n"]) * len(grid["t"]) * len(grid["b"])
    for n in grid["n"]:
        for t, sizes in zip(grid["t"], _sizes(n, grid["t"], repetitions, seed, "assumption 3"), strict=True):
            for b in grid["b"]:
                by_gap = float(distribution(threshold(t, b, 1.0, n, ALPHA, rho=0.0), n, scale=math.sqrt(t)))
                count = int((sizes <= b).sum())
                low, high = (float(end) - by_gap for end in clopper_pearson(count, repetitions, intervals))
                where, value = {"n": n, "t": t, "b": b}, count / repetitions - by_gap
                notes, most = {"by_gap": by_gap}, grid["tolerance"]
                points.append(Point({**where, "side": "above"}, value, most, low, high, "<=", notes))
                points.append(Point({**where, "side": "below"}, value, -most, low, high, ">=", notes))
    return points


def small_batches(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A new leader's first batch is a single round, and single rounds stay likely when t is large.

    `longer` is the share of games in which some new leader began with more. `alone` is the probability that a
    round is a batch of its own; what A.11 promises with three quarters is in the notes.
    """
    points = []
    intervals = 2 * len(grid["n"]) * len(grid["eta"])
    for n, eta in product(grid["n"], grid["eta"]):
        noise = SimulatedNoise(rng_for(seed, "new leaders", n, eta, repetitions))
        algorithm = batching(n, eta, noise, repetitions, ALPHA)
        zero = np.zeros((grid["T"], n))
        actions = play(algorithm, noisy_reports(zero, eta, noise, repetitions))
        copy, start, size = algorithm.batches.T
        # The first leader is not new, and its batch says nothing of a change.
        new = (start > 0) & (actions[start, copy] != actions[start - 1, copy])
        count = np.unique(copy[new & (size > 1)]).size
        where, notes = {"what": "longer", "n": n, "eta": eta}, {"changes": float(new.sum() / repetitions)}
        points.append(share_point(where, count, repetitions, grid["longer"], intervals, notes=notes))
    for n in grid["n"]:
        count = int((_sizes(n, [grid["t"]], repetitions, seed, "alone")[0] == 1).sum())
        where = {"what": "alone", "n": n, "t": grid["t"]}
        notes = {"promised": amplification_ratio(0.25, grid["t"], n)}
        points.append(share_point(where, count, repetitions, grid["alone"], intervals, ">=", notes))
    return points


def regimes(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The estimate's delta is nearly the true one at epsilon 0, and too small by more at a large epsilon.

    Values are means of true delta over the estimate's; first at epsilon 0, then by how much larger it is at 3
    mu.
    """
    points = []
    for t, sizes in zip(grid["t"], _sizes(2, grid["t"], repetitions, seed, "regimes"), strict=True):
        upto = predicted(range(2, 100 * t), t)
        weights = np.diff(upto[: int((upto < 1).sum()) + 1], prepend=0.0)
        estimated = Law(np.arange(1, weights.size + 1), weights)
        low, high = (
            delta(epsilon=epsilon, mu=1 / np.sqrt(sizes))
            / np.exp(log_delta(estimated, 1.0, np.array([epsilon])))
            for epsilon in (0.0, 3.0)
        )
        intervals = 2 * len(grid["t"])
        points.append(mean_point({"what": "moderate", "t": t}, low, grid["moderate"], intervals))
        points.append(mean_point({"what": "low", "t": t}, high - low, 0.0, intervals, ">="))
    return points
