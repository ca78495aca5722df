"""Whether a datum's batch is most likely small where two experts' means are equal. It is not, quite.

[mathematics/000.md#equal-means-worst] [mathematics/000.md#e000-8]
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_batches import laws, net
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.two_expert_batches import leads_of
from private_experts.walks.batch_rules import paper_rule


def equal_means_worst(grid: Grid, seed: int) -> list[Point]:
    """On no searched stream is a datum's batch likelier small than on equal means by over `tolerance`.

    The value is the largest excess, over all sizes b, of P(batch <= b). With a tolerance of rounding alone it
    is false on "gains 15 27" for round 30, and on "gains 2 1" for round 4. The program's laws are off by at
    most `within`, if given. [mathematics/000.md#e000-8]
    """
    cells = [
        (grid["stream"], t, eta, alpha) for eta, alpha, t in product(grid["eta"], grid["alpha"], grid["t"])
    ]
    cells += [([stream], t, eta, alpha) for stream, t, eta, alpha in grid.get("also", ())]
    return [point for cell in cells for point in _points(*cell, grid, seed)]


def _points(names: Sequence[str], t: int, eta: float, alpha: float, grid: Grid, seed: int) -> Iterator[Point]:
    horizon = t + grid["after"]
    streams = {name: leads_of(name, horizon) for name in ["zero", *names, *_crossings(t, horizon, grid)]}
    leads = np.stack([*streams.values()])
    # A search may go anywhere, and in a round the true lead moves by at most 1.
    # The nodes have to serve the streams that are asked, not all: fewer nodes, and sharper errors.
    away = np.abs(np.cumsum(leads, axis=1)).max(axis=0)[: t - 1] if not grid["pursued"] else np.arange(1.0, t)
    nodes = net(horizon, eta, alpha, t, np.append(0.0, away))
    distributions, off = laws(nodes, leads)
    # Differences of distributions: their common errors nearly cancel, and "at most b" is what the claim says.
    below = distributions.cumsum(axis=1)
    largest = dict(zip(streams, (below - below[0]).max(axis=1).tolist(), strict=True))
    del largest["zero"]
    if grid["pursued"]:
        rng = rng_for(seed, "search", eta, alpha, t)
        largest["search"] = _search(
            lambda stream: laws(nodes, stream[None])[0][0].cumsum() - below[0], horizon, grid, rng
        )
    where = {"eta": eta, "alpha": alpha, "t": t}
    with precision():
        for name, excess in largest.items():
            yield at_point({**where, "stream": name}, _around(excess, 2 * off), ball(grid["tolerance"]))
        if "within" in grid:
            rule = paper_rule(horizon, eta, 2, alpha)
            programs = [size_laws(streams[name], eta, [t], rule)[0].cumsum() for name in ["zero", *names]]
            apart = float(np.abs(programs - below[: len(programs)]).max())
            yield at_point({**where, "stream": "the program's"}, _around(apart, off), ball(grid["within"]))


def _around(value: float, off: float) -> Ball:
    """Return a ball around a difference of probabilities, which was rounded to a float."""
    return ball(value) + ball(-1, 1) * (ball(off) + 1e-15)


def _crossings(t: int, horizon: int, grid: Grid) -> list[str]:
    """Return the names of streams whose lead crosses 0 near round t."""
    pairs = product(grid["height"], grid["crossing"])
    return [f"cross {height} {t + away}" for height, away in pairs if 2 * height <= t + away < horizon]


def _search(excess: Callable[[Array], Array], horizon: int, grid: Grid, rng: np.random.Generator) -> float:
    """Return the largest excess for any b that a search finds; it changes stretches of leads to help at b."""
    best = -math.inf
    for b in grid["pursued"]:
        leads = rng.choice([-0.1, 0.0, 0.1]) * np.ones(horizon)
        reached = excess(leads)[b]
        for _ in range(grid["steps"]):
            start, length = rng.integers(horizon), rng.integers(1, 10)
            other = leads.copy()
            # Stretches and not single rounds: one round's lead hardly moves the law.
            other[start : start + length] = rng.choice([-1, -0.3, -0.1, 0, 0.1, 0.3, 1])
            excesses = excess(other)
            best = max(best, float(excesses.max()))
            if excesses[b] >= reached:
                leads, reached = other, excesses[b]
    return best
