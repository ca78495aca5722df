"""Batch sizes of RW-AdaBatch against the proxy law, which bounds them for all data, and against Appendix A.11.

[mathematics/000.md#proxy-law] [mathematics/000.md#a11]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_adabatch import RWAdaBatch, simulate_batches
from private_experts.games.play import play, private_reports
from private_experts.games.streams import STREAMS
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.batching.laws import tighter_survival
from private_experts.replication.claims.evidence import NotRunError, Point
from private_experts.replication.hospital.panel import Panel
from private_experts.replication.intervals import clopper_pearson
from private_experts.walks.batch_size import proxy_survival

Array = NDArray[np.float64]
Grid = Mapping[str, Any]
Law = Callable[[int, float, int, float, int], Array]

ALPHA = 0.01


def _asked(t: int, eta: float, n: int, grid: Grid, law: Law | None = None) -> list[int]:
    """Return the sizes for which the proxy law is at least the grid's `least`."""
    proxy = (law or proxy_survival)(t, eta, n, ALPHA, max(grid["b"]))
    return [b for b in grid["b"] if proxy[b] >= grid["least"]]


def _points(
    where: Mapping[str, Any],
    sizes: NDArray[np.int64],
    t: int,
    eta: float,
    n: int,
    grid: Grid,
    intervals: int,
    law: Law | None = None,
) -> list[Point]:
    """Compare simulated batch sizes (repetitions,) of datum t with the proxy law, at the sizes of `_asked`."""
    proxy, asked = (law or proxy_survival)(t, eta, n, ALPHA, max(grid["b"])), _asked(t, eta, n, grid, law)
    counts = np.array([(sizes > b).sum() for b in asked])
    low, high = clopper_pearson(counts, sizes.size, intervals)
    return [
        Point({**where, "t": t, "b": b}, count / sizes.size, float(proxy[b]), float(least), float(most), ">=")
        for b, count, least, most in zip(asked, counts, low, high, strict=True)
    ]


def proxy_law(grid: Grid, repetitions: int, seed: int, law: Law | None = None) -> list[Point]:
    """On equal means a datum's batch is larger than b at least as often as the proxy law says."""
    cells = list(product(grid["n"], grid["eta"]))
    intervals = len(cells) * len(grid["t"]) * len(grid["b"])
    points = []
    for n, eta in cells:
        rng = rng_for(seed, "proxy", n, eta, repetitions)
        sizes = simulate_batches(n, eta, grid["T"], repetitions, ALPHA, rng, rounds=grid["t"])
        for t, row in zip(grid["t"], sizes, strict=True):
            points += _points({"n": n, "eta": eta}, row, t, eta, n, grid, intervals, law)
    return points


def proxy_law_tighter(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same for a law with larger bounds, by Levy's inequality. [mathematics/000.md#proxy-law-tighter]"""
    return proxy_law(grid, repetitions, seed, law=tighter_survival)


def _played(gains: Array, eta: float, repetitions: int, *key: Any) -> NDArray[np.int64]:
    """Return the containing batch sizes (T, repetitions) of RW-AdaBatch on a stream."""
    horizon, n = gains.shape
    noise = SimulatedNoise(rng_for(*key, n, eta, repetitions))
    guarantee = GaussianDP(1.0, "local")
    algorithm = RWAdaBatch(n, guarantee, eta, noise, alpha=ALPHA, repetitions=repetitions, horizon=horizon)
    play(algorithm, private_reports(gains, [eta] * horizon, noise, repetitions))
    return algorithm.containing_sizes()


def proxy_law_streams(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same on streams fixed in advance: a gap that shrinks fastest, leaders that alternate, random gains."""
    cells = list(product(grid["stream"], grid["n"], grid["eta"]))
    intervals = len(cells) * len(grid["t"]) * len(grid["b"])
    points = []
    for stream, n, eta in cells:
        sizes = _played(STREAMS[stream](grid["T"], n), eta, repetitions, seed, "proxy", stream)
        for t in grid["t"]:
            points += _points({"stream": stream, "n": n, "eta": eta}, sizes[t - 1], t, eta, n, grid, intervals)
    return points


def proxy_law_hospital(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The same on the hospital panels, with constant noise."""
    cells = list(product(panels, grid["eta"]))
    intervals = len(cells) * len(grid["t"]) * len(grid["b"])
    points = []
    for state, eta in cells:
        gains = panels[state].density
        horizon, n = gains.shape
        asked = [t for t in grid["t"] if t + max(grid["b"]) <= horizon and _asked(t, eta, n, grid)]
        if asked:
            sizes = _played(gains, eta, repetitions, seed, "proxy", state)
            for t in asked:
                points += _points({"state": state, "eta": eta}, sizes[t - 1], t, eta, n, grid, intervals)
    if not points:
        raise NotRunError("the proxy law says next to nothing on panels as wide or as short as these")
    return points


def predicted(b: Sequence[int], t: int, alpha: float = ALPHA) -> Array:
    """Return A.11's estimate of P(batch <= b) for two experts without drift. [mathematics/000.md#a11]"""
    spread = math.sqrt(math.log(2)) + math.sqrt(math.log(math.sqrt(t / math.log(2)) / alpha))
    return np.minimum(np.sqrt(2 * np.asarray(b, dtype=float) / (math.pi * t)) * spread, 1.0)


def a11_bound(grid: Grid, repetitions: int, seed: int, factor: float = 1.0) -> list[Point]:
    """A.11 as a bound: batches of at most b rounds are no more likely than it says. [mathematics/000.md#e000-4]"""
    rng = rng_for(seed, "A.11", repetitions)
    sizes = simulate_batches(2, 1.0, grid["T"], repetitions, ALPHA, rng, rho=0.0, rounds=grid["t"])
    points = []
    for t, row in zip(grid["t"], sizes, strict=True):
        counts = np.array([(row <= b).sum() for b in grid["b"]])
        low, high = clopper_pearson(counts, repetitions, len(grid["t"]) * len(grid["b"]))
        for b, most, count, least, top in zip(grid["b"], predicted(grid["b"], t), counts, low, high, strict=True):
            where = {"t": t, "b": b}
            points.append(Point(where, count / repetitions, factor * float(most), float(least), float(top)))
    return points


def a11_heuristic(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A.11 taken as an estimate: small batches are at most `factor` times as likely as it says."""
    return a11_bound(grid, repetitions, seed, factor=grid["factor"])
