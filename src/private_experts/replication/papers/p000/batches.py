"""Batch sizes of RW-AdaBatch against the proxy law, a bound for all data, and against Appendix A.11.

For two experts the true law is computed. For more it is simulated, beside an event of known probability: that
the gap is large at the first decision of the proxy law's window. Only the ways in which the two differ are
counted, so that small differences are seen. [mathematics/000.md#proxy-law] [mathematics/000.md#exact-batches]
[mathematics/000.md#a11]
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_adabatch import simulate_batches
from private_experts.arrays import Array
from private_experts.games.streams import STREAMS
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, NotRunError, Point, labelled
from private_experts.replication.ledger.repetition_blocks import repeated
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.sampled_points import share_point
from private_experts.replication.study.batching.batch_size_laws import containing_sizes, tighter_survival
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import clopper_pearson
from private_experts.walks.batch_rules import paper_rule
from private_experts.walks.batch_size import proxy_survival, threshold
from private_experts.walks.gap import leading_gap, shifted_distribution

Signs = NDArray[np.int8]
Law = Callable[[int, float, int, float, int], Array]

Bounds = dict[int, float]  # by size

ALPHA = 0.01
EXACT = 1e-8  # absolute error of the computed law
BLOCK = 5000  # repetitions that are drawn together; fewer take as long for each
_HELD = 2**16  # numbers of walks that are worked on at a time, so that they fit into a cache


def _informative_bounds(t: int, eta: float, n: int, alpha: float, grid: Grid, law: Law | None) -> Bounds:
    """Return the proxy law's bound for each size at which it is at least the grid's `least`."""
    proxy = (law or proxy_survival)(t, eta, n, alpha, max(grid["b"]))
    return {b: float(proxy[b]) for b in grid["b"] if proxy[b] >= grid["least"]}


def _noises(grid: Grid) -> list[tuple[float, float]]:
    """Return the noise scales and tolerances of a grid."""
    return list(product(grid["eta"], grid.get("alpha", [ALPHA])))


def _exact_points(
    where: Grid, gains: Array, eta: float, alpha: float, grid: Grid, law: Law | None
) -> Iterator[Point]:
    """Yield points for two experts on a stream (T, 2)."""
    rule = paper_rule(len(gains), eta, 2, alpha)
    # For two experts the law is known, so nothing is simulated.
    larger = 1 - size_laws(gains[:, 0] - gains[:, 1], eta, grid["t"], rule).cumsum(axis=1)
    for row, t in zip(larger, grid["t"], strict=True):
        for b, bound in _informative_bounds(t, eta, 2, alpha, grid, law).items():
            value = float(row[b])
            yield Point({**where, "t": t, "b": b}, value, bound, value - EXACT, value + EXACT, ">=")


def _gaps(
    gains: Array, etas: Sequence[float], steps: int, repetitions: int, rng: np.random.Generator
) -> list[Array]:
    """Return the gaps of RW-FTPL's totals after 0, 1, ..., for each noise scale, on the same noise."""
    walk = rng.standard_normal((repetitions, gains.shape[1]))
    gaps = [np.empty((steps, repetitions)) for _ in etas]
    true = np.zeros(gains.shape[1])
    # In blocks that stay in the cache: the walk of all repetitions is passed once for each step.
    rows_of_block = max(1, _HELD // walk.shape[1])
    blocks = [slice(start, start + rows_of_block) for start in range(0, repetitions, rows_of_block)]
    for s in range(steps):
        for block in blocks:
            part = walk[block]
            # Without gains the gap scales with the noise, so one gap serves all scales.
            still = None if true.any() else leading_gap(part)
            for eta, rows in zip(etas, gaps, strict=True):
                rows[s, block] = leading_gap(eta * part + true) if still is None else eta * still
            part += rng.standard_normal(part.shape)
        true = true + gains[s]
    return gaps


def _simulated(
    grid: Grid, n: int, horizon: int, law: Law | None
) -> dict[tuple[float, float], dict[int, Bounds]]:
    """Return what the law asks for, by noise scale and alpha, and by round."""
    cells = {}
    for eta, alpha in _noises(grid):
        # The end of the game would cut the batch, and the law says nothing of cut batches.
        rounds = [t for t in grid["t"] if t + max(grid["b"]) <= horizon]
        by_round = {t: bounds for t in rounds if (bounds := _informative_bounds(t, eta, n, alpha, grid, law))}
        if by_round:
            cells[eta, alpha] = by_round
    return cells


def _large(t: int, b: int, eta: float, n: int, alpha: float) -> tuple[int, float]:
    """Return the first decision of the proxy law's window, and from where on a gap is large there."""
    return max(0, t - b), float(threshold(t, b, eta, n, alpha))


def _differences(
    gains: Array, grid: Grid, law: Law | None, repetitions: int, rng: np.random.Generator
) -> Signs:
    """Return by point and repetition 1 if only the batch is larger than b, -1 if only the gap is large."""
    (horizon, n), signs = gains.shape, []
    cells = _simulated(grid, n, horizon, law)
    etas = list(dict.fromkeys(eta for eta, _ in cells))
    # The simulation is the work, so noise scales at which the law asks for nothing are left out of it.
    simulated = dict(
        zip(etas, _gaps(gains, etas, max(grid["t"]), repetitions, rng) if etas else [], strict=True)
    )
    for (eta, alpha), by_round in cells.items():
        gaps = simulated[eta]
        sizes = containing_sizes(gaps, eta, n, alpha, horizon, [*by_round])
        for (t, bounds), size in zip(by_round.items(), sizes, strict=True):
            for b in bounds:
                first, k = _large(t, b, eta, n, alpha)
                # The event and its known neighbour mostly agree: only where they differ does chance remain.
                signs.append((size > b).astype(np.int8) - (gaps[first] >= k))
    return np.array(signs, dtype=np.int8).reshape(len(signs), repetitions)


def _simulated_points(
    where: Grid, gains: Array, differences: Signs, grid: Grid, intervals: int, law: Law | None
) -> Iterator[Point]:
    """Yield points for a stream (T, n), from what `_differences` found."""
    (horizon, n), rows, repetitions = gains.shape, iter(differences), differences.shape[1]
    for (eta, alpha), by_round in _simulated(grid, n, horizon, law).items():
        for t, bounds in by_round.items():
            for b, bound in bounds.items():
                (first, k), row = _large(t, b, eta, n, alpha), next(rows)
                scale, more, fewer = eta * math.sqrt(first + 1), (row > 0).sum(), (row < 0).sum()
                # Exact at the first decision, with the true lead there; simulated is only the difference.
                known = 1 - float(shifted_distribution(k / scale, gains[:first].sum(axis=0) / scale))
                low, high = clopper_pearson([more, fewer], repetitions, 2 * intervals)
                value = known + float(more - fewer) / repetitions
                least, most = known + float(low[0] - high[1]), known + float(high[0] - low[1])
                place = {**where, "n": n, "eta": eta, "alpha": alpha, "t": t, "b": b}
                yield Point(place, value, bound, least, most, ">=")


def _points(
    where: Grid, gains: Array, grid: Grid, intervals: int, differences: Callable[[], Signs], law: Law | None
) -> Iterator[Point]:
    """Yield points for all noise scales of the grid on one stream (T, n)."""
    n = gains.shape[1]
    if n == 2:
        for eta, alpha in _noises(grid):
            yield from _exact_points(
                {**where, "n": n, "eta": eta, "alpha": alpha}, gains, eta, alpha, grid, law
            )
    elif max(grid["t"]) <= len(gains):
        yield from _simulated_points(where, gains, differences(), grid, intervals, law)


def _intervals(streams: int, grid: Grid) -> int:
    return streams * len(_noises(grid)) * len(grid["t"]) * len(grid["b"])


def proxy_law(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A datum's batch is larger than b at least as often as the proxy law says; rows name law and streams."""
    equal, tighter, streams = (grid[name] for name in ("equal means", "tighter law", "streams"))
    return labelled(
        "law",
        {
            "equal means": proxy_law_equal(equal, equal["times"] * repetitions, seed),
            "tighter law": proxy_law_equal(
                tighter, tighter["times"] * repetitions, seed, tighter_survival, "tighter"
            ),
            "streams": proxy_law_streams(streams, streams["times"] * repetitions, seed),
        },
    )


def proxy_law_equal(
    cells: Grid, repetitions: int, seed: int, law: Law | None = None, key: str = "proxy"
) -> list[Point]:
    """On equal means a datum's batch is larger than b at least as often as the proxy law says.

    Or another `law`: the one with larger bounds, by Levy's inequality. [mathematics/000.md#proxy-law-tighter]
    """

    def draws(n: int, count: int, block: tuple[int, ...]) -> list[Signs]:
        return [_differences(np.zeros((cells["T"], n)), cells, law, count, rng_for(seed, key, n, *block))]

    simulated = [n for n in cells["n"] if n > 2 and max(cells["t"]) <= cells["T"]]
    rows = repeated(draws, [(n,) for n in simulated], repetitions, BLOCK)
    differences_of = {n: differences for n, [differences] in zip(simulated, rows, strict=True)}
    intervals = _intervals(len(cells["n"]), cells)
    points: list[Point] = []
    for n in cells["n"]:
        points += _points(
            {}, np.zeros((cells["T"], n)), cells, intervals, partial(differences_of.__getitem__, n), law
        )
    return points


def proxy_law_streams(cells: Grid, repetitions: int, seed: int) -> list[Point]:
    """The same on fixed streams: a gap that shrinks fastest, leaders that alternate, random gains."""
    games = list(product(cells["stream"], cells["n"]))
    points: list[Point] = []
    for stream, n in games:
        rng, gains = rng_for(seed, "proxy", stream, n, repetitions), STREAMS[stream](cells["T"], n)
        differences = partial(_differences, gains, cells, None, repetitions, rng)
        points += _points({"stream": stream}, gains, cells, _intervals(len(games), cells), differences, None)
    return points


def proxy_law_hospital(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The same on the hospital panels, with constant noise."""
    points: list[Point] = []
    for state, panel in panels.items():
        rng = rng_for(seed, "proxy", state, repetitions)
        differences = partial(_differences, panel.density, grid, None, repetitions, rng)
        points += _points(
            {"state": state}, panel.density, grid, _intervals(len(panels), grid), differences, None
        )
    if not points:
        raise NotRunError("the proxy law says next to nothing on panels as wide or as short as these")
    return points


def predicted(b: Sequence[int], t: int) -> Array:
    """Return A.11's estimate of P(batch < b) for two experts without drift. [mathematics/000.md#a11]"""
    spread = math.sqrt(math.log(2)) + math.sqrt(math.log(math.sqrt(t / math.log(2)) / ALPHA))
    return np.minimum(np.sqrt(2 * np.asarray(b, dtype=float) / (math.pi * t)) * spread, 1.0)


def a11_heuristic(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Batches below b rounds are at most `factor` times as likely as in A.11. [mathematics/000.md#e000-4]"""
    rng = rng_for(seed, "A.11", repetitions)
    sizes = simulate_batches(2, 1.0, grid["T"], repetitions, ALPHA, rng, rho=0.0, rounds=grid["t"])
    points = []
    for t, row in zip(grid["t"], sizes, strict=True):
        for b, most in zip(grid["b"], predicted(grid["b"], t).tolist(), strict=True):
            where, count, intervals = {"t": t, "b": b}, (row < b).sum(), len(grid["t"]) * len(grid["b"])
            bound = grid["factor"] * most
            points.append(share_point(where, count, repetitions, bound, intervals, trivial=1.0))
    return points
