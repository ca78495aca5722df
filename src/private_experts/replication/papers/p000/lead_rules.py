"""RW-AdaBatch by rules that spend its tolerance: sizes against their proxy law, levels, and added regret.

Not in the paper. [mathematics/000.md#exact-rule]
"""

import functools
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.games.streams import STREAMS
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.fixed_stream_regret import added_regret
from private_experts.replication.papers.p000.two_expert_batches import leads_of, mean_inverse
from private_experts.replication.study.batching.batch_size_laws import draw_walks, sizes_by_rule
from private_experts.replication.study.intervals import clopper_pearson, mean_interval
from private_experts.walks.batch_rules import paper_rule
from private_experts.walks.gap import leading_gap
from private_experts.walks.lead_tolerance import LeadTolerance

EXACT = 1e-6  # absolute error of the computed laws; tables of the exact rule are this near


def proxy_by_rule(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Batches are as large as the rule's proxy law says, and hide a datum better than ComputeDelay's do.

    For two experts the law is computed, on every stream of the grid. For more, sizes are simulated, on equal
    means and on those of its streams that have any number of experts.
    """
    points: list[Point] = []
    for n, (eta, t) in product(grid["n"], grid["eta, t"]):
        paper = _mean_of_paper(n, eta, t, grid, repetitions, seed)
        for name in grid["rule"]:
            rule = LeadTolerance(name, eta, n, grid["alpha"])
            larger = rule.proxy_survival(t, grid["after"])
            where = {"rule": name, "n": n, "eta": eta, "t": t}
            points += _sizes(where, rule, larger, grid, repetitions, seed)
            bound = math.sqrt(mean_inverse(larger))
            root, low, high = (math.sqrt(mean) for mean in paper)
            points.append(Point({**where, "what": "root of the mean of 1/B"}, root, bound, low, high, ">="))
    return points


def _mean_of_paper(
    n: int, eta: float, t: int, grid: Grid, repetitions: int, seed: int
) -> tuple[float, float, float]:
    """Return the mean of 1/B under ComputeDelay on equal means, and its interval."""
    horizon = t + grid["after"]
    rule = paper_rule(horizon, eta, n, grid["alpha"])
    if n == 2:
        law = size_laws(np.zeros(horizon), eta, [t], rule)[0, 1:]
        return (float((law / np.arange(1, horizon + 1)).sum()),) * 3
    sizes = sizes_by_rule(_gaps(n, eta, t, repetitions, seed), rule, [t])[0]
    mean, low, high = mean_interval(1 / sizes, intervals=_intervals(grid), span=1.0)
    return float(mean), max(float(low), 0.0), min(float(high), 1.0)


@functools.lru_cache(maxsize=1)  # all rules meet the same walks
def _gaps(n: int, eta: float, t: int, repetitions: int, seed: int) -> Array:
    return draw_walks(n, t, repetitions, rng_for(seed, "lead rules", n, t, repetitions)).gaps(eta)


@functools.lru_cache(maxsize=2)  # one for each stream, and all rules meet the same walks
def _gaps_on(stream: str, n: int, eta: float, t: int, repetitions: int, seed: int) -> Array:
    """Return the gaps (t, repetitions) of the noisy totals after 0, 1, ... rounds of a stream."""
    rng, gains = rng_for(seed, "lead rules", stream, n, t, repetitions), STREAMS[stream](t, n)
    totals, gaps = np.zeros((repetitions, n)), np.empty((t, repetitions))
    for completed in range(t):
        totals += eta * rng.standard_normal(totals.shape)
        if completed:
            totals += gains[completed - 1]
        gaps[completed] = leading_gap(totals)
    return gaps


def _streams(grid: Grid) -> list[str]:
    return [stream for stream in grid["stream"] if stream in STREAMS]


def _intervals(grid: Grid) -> int:
    sizes = len(grid["rule"]) * len(grid["b"]) * (1 + len(_streams(grid)))
    return len(grid["n"]) * len(grid["eta, t"]) * (sizes + 1)


def _sizes(
    where: dict[str, Any], rule: LeadTolerance, proxy: Array, grid: Grid, repetitions: int, seed: int
) -> Iterator[Point]:
    """Yield how often the batch of round t is larger than b, against the proxy law."""
    t, horizon = where["t"], where["t"] + grid["after"]
    table = rule.table(horizon)
    if rule.n == 2:
        for stream in grid["stream"]:
            law = size_laws(leads_of(stream, horizon), rule.eta, [t], table)[0]
            for b in grid["b"]:
                value = float(law[b + 1 :].sum())
                place = {**where, "what": "size", "stream": stream, "b": b}
                yield Point(place, value, float(proxy[b]), value - EXACT, value + EXACT, ">=")
        return
    game = (rule.n, rule.eta, t, repetitions, seed)
    simulated = {"zero": _gaps(*game)} | {stream: _gaps_on(stream, *game) for stream in _streams(grid)}
    for stream, gaps in simulated.items():
        sizes: Ints = sizes_by_rule(gaps, table, [t])[0]
        for b in grid["b"]:
            count = int((sizes > b).sum())
            low, high = (float(end) for end in clopper_pearson(count, repetitions, _intervals(grid)))
            place = {**where, "what": "size", "stream": stream, "b": b}
            yield Point(place, count / repetitions, float(proxy[b]), low, high, ">=")


def added_by_rule(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Batching by the rule adds at most 2 alpha sqrt(T log n) to the expected regret, on the same reports.

    Lazy is never to end the first batch.
    """
    cells = list(product(grid["rule"], grid["stream"], grid["n"], grid["eta"], grid["alpha"]))
    horizon, points = grid["T"], []
    for name, stream, n, eta, alpha in cells:
        gains, most = STREAMS[stream](horizon, n), 2 * alpha * math.sqrt(horizon * math.log(n))
        where = {"rule": name, "stream": stream, "n": n, "T": horizon, "eta": eta, "alpha": alpha}
        key = (seed, "added by rule", name, stream, n, eta, alpha, repetitions)
        points.append(added_regret(where, gains, most, repetitions, key, len(cells), rule=name))
    return points
