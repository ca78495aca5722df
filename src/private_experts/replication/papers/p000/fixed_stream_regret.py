"""Regret of RW-FTPL, RW-AdaBatch and the tree baseline on streams fixed in advance. [000, Section 3]"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.tree_ftpl import TreeFTPL, min_regret_scale
from private_experts.arrays import Array, Indices
from private_experts.games.play import play, private_reports
from private_experts.games.regret import earned, static_regret
from private_experts.games.streams import STREAMS
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise, SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, log, precision, sqrt
from private_experts.replication.balls.boxes import Edge, agreement, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.repetition_blocks import repeated
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.study.intervals import rare_interval

BLOCK = 400  # repetitions that are drawn together; a round takes hardly longer for more of them
# These claims are of a noise scale eta alone, which at this level hides who moves gains by eta / 1024: gains
# in [0, 1] allow no reach of eta. A power of two changes no bit of eta.
LOCAL = GaussianDP(2.0**-10, "local")


def bound(eta: float, n: int, horizon: int) -> float:
    """Return RW-FTPL's regret bound ``(eta + 2/eta) sqrt(2 T log n)``. [mathematics/000.md#regret-rw-ftpl]"""
    return float((eta + 2 / eta) * np.sqrt(2 * horizon * np.log(n)))


def unlearned(gains: Array) -> float:
    """Return the mean regret of uniform play on gains (T, n)."""
    totals = gains.sum(axis=0)
    return float(totals.max() - totals.mean())


def batching(n: int, eta: float, noise: Noise, repetitions: int, alpha: float, **options: Any) -> RWAdaBatch:
    """Return RW-AdaBatch for reports whose noise has the scale eta."""
    return RWAdaBatch(n, LOCAL, noise_scale=eta, noise=noise, repetitions=repetitions, alpha=alpha, **options)


def noisy_reports(
    gains: Array, eta: Any, noise: Noise, repetitions: int, moved: int | None = None
) -> Iterator[Reports]:
    """Return reports of gains (T, n) whose noise has the scale eta: one, or one for each round or expert.

    With ``moved=1`` they are of experts.
    """
    return private_reports(gains, LOCAL, LOCAL.mu * np.asarray(eta), noise, repetitions, moved)


def plays(
    name: str, gains: Array, eta: float, alpha: float, repetitions: int, *key: Any, rule: Any = "paper"
) -> Indices:
    """Return actions (T, repetitions) of RW-FTPL or RW-AdaBatch. The same key gives both the same reports."""
    horizon, n = gains.shape
    noise = SimulatedNoise(rng_for(*key))
    algorithm: RWFTPL | RWAdaBatch
    if name == "rw-ftpl":
        algorithm = RWFTPL(n, LOCAL, noise_scale=eta, noise=noise, repetitions=repetitions)
    else:
        algorithm = batching(n, eta, noise, repetitions, alpha, horizon=horizon, rule=rule)
    return play(algorithm, noisy_reports(gains, eta, noise, repetitions))


def _regret_points(name: str, grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Return the mean regrets and their bounds; a bound of T or more is met by any play, and is left out."""
    cells = [
        (*cell, most)
        for cell in product(grid["stream"], grid["n"], grid["T"], grid["eta"], grid["alpha"])
        # A bound of T is met by every play, and would count as evidence.
        if (most := (1 + cell[-1] / 2) * bound(cell[3], cell[1], cell[2])) < cell[2]
    ]

    def regrets(
        stream: str, n: int, horizon: int, eta: float, alpha: float, count: int, key: tuple[int, ...]
    ) -> list[Array]:
        gains = STREAMS[stream](horizon, n)
        # The key has no name of the algorithm: both play on the same reports.
        actions = plays(name, gains, eta, alpha, count, seed, "regret", stream, n, horizon, eta, *key)
        return [static_regret(gains, actions)]

    points, samples = [], repeated(regrets, [cell[:-1] for cell in cells], repetitions, BLOCK)
    for (stream, n, horizon, eta, alpha, most), [sample] in zip(cells, samples, strict=True):
        where = {"stream": stream, "n": n, "T": horizon, "eta": eta} | ({"alpha": alpha} if alpha else {})
        notes = {"share_of_bound": float(sample.mean()) / most}
        lazy = unlearned(STREAMS[stream](horizon, n))
        points.append(mean_point(where, sample, most, len(cells), notes=notes, trivial=horizon, lazy=lazy))
    return points


def regret_rw_ftpl(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-FTPL's expected regret is at most (eta + 2/eta) sqrt(2 T log n). Lazy is uniform play."""
    return _regret_points("rw-ftpl", {**grid, "alpha": [0.0]}, repetitions, seed)


def corollary_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """RW-AdaBatch's expected regret is at most (1 + alpha/2) times RW-FTPL's bound. Lazy is uniform play."""
    return _regret_points("rw-adabatch", grid, repetitions, seed)


def batching_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Batching adds at most 2 alpha sqrt(T log n) to the expected regret; both play on the same reports.

    Hardly any run differs at a small tolerance, so the interval counts those that do
    (`intervals.rare_interval`). A cell gets `repetitions` times T / bound runs, or times `least` where that
    is more. Lazy is never to end the first batch.
    """
    cells = list(product(grid["stream"], grid["n"], grid["T, alpha"], grid["eta"]))
    points = []
    for stream, n, (horizon, alpha), eta in cells:
        gains, most = STREAMS[stream](horizon, n), 2 * alpha * np.sqrt(horizon * np.log(n))
        # The interval's width has to be small beside the bound, and the range of a difference is T.
        runs = int(repetitions * max(horizon / most, grid["least"]))
        key = (seed, "batching", stream, n, horizon, eta, alpha, runs)
        where = {"stream": stream, "n": n, "T": horizon, "eta": eta, "alpha": alpha}
        points.append(added_regret(where, gains, float(most), runs, key, len(cells), {"runs": runs}))
    return points


def added_regret(
    where: Mapping[str, Any],
    gains: Array,
    most: float,
    runs: int,
    key: tuple[Any, ...],
    intervals: int,
    notes: Mapping[str, Any] | None = None,
    rule: str = "paper",
) -> Point:
    """Return the evidence that batching adds at most so much regret; lazy is never to end the first batch."""
    batched, plain = (
        earned(gains, plays(name, gains, where["eta"], where["alpha"], runs, *key, rule=rule)).sum(axis=0)
        for name in ("rw-adabatch", "rw-ftpl")
    )
    trivial, lazy = float(len(gains)), float(plain.mean() - gains.sum(axis=0).mean())
    mean, low, high = rare_interval(plain - batched, len(gains), intervals=intervals)
    shares = {**(notes or {}), "share_differing": float(np.mean(plain != batched))}
    return Point(where, mean, most, low, high, notes=shares, trivial=trivial, lazy=lazy)


def best_eta(cells: Grid) -> list[Point]:
    """The bound is least at eta = sqrt 2, where it is 4 sqrt(T log n). [mathematics/000.md#best-eta]

    Over sqrt(T log n) and with ``eta = s sqrt 2``, they meet at s = 1, where the difference begins with ``2
    (s - 1)^2``.
    """
    at_best = Edge("s", 1.0, 2)
    points = [
        over_box(
            {"what": "least"}, lambda s: (4 + 0 * s, _bound_over_root(s)), {"s": cells["s"]}, edges=[at_best]
        )
    ]
    for n, horizon, s in product(cells["n"], cells["T"], cells["points"]):
        with precision():
            # In units of the best eta, so that n and T drop out of the inequality.
            eta = sqrt(2) * s
            computed, true = bound(float(eta), n, horizon), _bound_over_root(ball(s)) * sqrt(horizon * log(n))
            points.append(agreement({"what": "formula", "n": n, "T": horizon, "s": s}, computed, true, 1e-14))
    return points


def _bound_over_root(s: Ball) -> Ball:
    """Return the bound over sqrt(T log n) at ``eta = s sqrt 2``."""
    return 2 * (s + 1 / s)


def _tree_regrets(grid: Grid, repetitions: int, seed: int) -> Iterator[tuple[dict[str, Any], Array, float]]:
    """Yield the tree baseline's regrets, Min Regret's noise at L2 sensitivity sqrt(n), and the lazy ones."""
    for stream, n, horizon, mu in product(grid["stream"], grid["n"], grid["T"], grid["mu"]):
        gains = STREAMS[stream](horizon, n)
        noise = SimulatedNoise(rng_for(seed, "tree", stream, n, horizon, mu, repetitions))
        most, guarantee = float(np.sqrt(n)), GaussianDP(mu, "central")
        tree = TreeFTPL(
            n,
            guarantee,
            horizon=horizon,
            sensitivity=most,
            noise=noise,
            scale="min_regret",
            repetitions=repetitions,
        )
        scale = float(min_regret_scale(guarantee, most, horizon)[0])
        actions = play(tree, gains)
        where = {"stream": stream, "n": n, "T": horizon, "mu": mu, "scale": scale}
        yield where, static_regret(gains, actions), unlearned(gains)


def tree_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The tree baseline's expected regret is at most (s + T/s) sqrt(2 log n), s = max(Delta h / mu, sqrt T).

    Lazy is uniform play.
    """
    plays = list(_tree_regrets(grid, repetitions, seed))
    points = []
    for where, regrets, lazy in plays:
        n, horizon, scale = where["n"], where["T"], where.pop("scale")
        most = (scale + horizon / scale) * np.sqrt(2 * np.log(n))
        points.append(mean_point(where, regrets, most, len(plays), trivial=float(horizon), lazy=lazy))
    return points
