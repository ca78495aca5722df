"""How often P-COMW draws, and how far the law of its point drifts from the Gibbs measure. [001, 4 and App. C]

All values are exact, from the Markov chain of draws and point. A grid with a discrete reference measure is a decision
set in its own right, and nothing here needs convexity. So there is no error of discretisation.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.chains import closeness, drift, joint_laws
from private_experts.convex.closeness import draw_probability, drift_bound
from private_experts.convex.domains import Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import Ball, ball, exp, expm1, precision
from private_experts.replication.claims.certified.boxes import at_point
from private_experts.replication.claims.checks.paper_001.exact_chains import Between, joint, lotteries, measures, totals
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_BITS = 80
_ROUNDING = 1e-12  # of the program's probabilities


def _games(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], GridGibbs, Array]]:
    """Yield families of Gibbs measures on an interval, and losses (T, m)."""
    for name, (beta, lam), horizon in product(grid["losses"], grid["beta_lam"], grid["T"]):
        where = {"losses": name, "beta": beta, "lam": lam, "T": horizon}
        family = GridGibbs(Box((-0.5,), (0.5,)).grid(grid["cells"]), beta=beta, lam=lam)
        yield where, family, LOSSES[name](family, horizon, 1.0, rng_for(seed, "switching", *where.values()))


def _vertices(horizon: int, delta: float) -> Array:
    """Return measures on the vertices of a simplex: in each round a vertex with almost no mass gets mass delta.

    With a reference measure on the vertices, every sequence of measures consists of Gibbs measures of linear losses.
    The large ratios are clipped, so the chain misses the new mass in each round. This is nearly the worst case of the
    drift. [mathematics/001.md#lemma-c1]
    """
    masses = np.where(np.tri(horizon, horizon, -1), delta, delta * 1e-9)
    masses = np.concatenate([1 - masses.sum(axis=1, keepdims=True), masses], axis=1)
    return np.asarray(np.log(masses))


def _log_phi(laws: Array, delta: float) -> float:
    """Return the least log Phi for which neighbouring measures are (Phi, delta)-close."""
    steps = np.unique(np.abs(np.diff(laws, axis=0)))
    low, high = -1, steps.size - 1  # no ratio exceeds the largest step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if closeness(laws, float(steps[middle])) <= delta * (1 + 1e-9) else (middle, high)
    return float(steps[high])


def draw_chance(log_phi: float, p: float) -> Ball:
    """Return ``p~ = p + 1 - Phi^-2``."""
    return ball(p) - expm1(-2 * ball(log_phi))


def _farthest(computed: Array, between: Between) -> float:
    """Return the largest distance of numbers from those between two bounds; infinite if there are more or fewer."""
    if computed.shape != between.low.shape:
        return math.inf
    return max(float(np.abs(end - computed).max()) for end in between)


@precision(_BITS)
def switching(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """E S_T is at most p~ T and P(S_T >= 3 p~ T) at most exp(-p~ T), for p~ = p + 1 - Phi^-2.

    When no ratio is clipped, each lottery draws with probability exactly 1 - (1 - p) / Phi. The law of the number of
    draws lies between two bounds, with which the program's is compared. [mathematics/001.md#switching-bound]
    """
    points, off = [], []
    plays = [
        (where, family.laws(losses), measures(family.points[:, 0], losses, family.beta, family.lam))
        for where, family, losses in _games(grid, seed)
    ]
    for (where, program, laws), log_phi, p in product(plays, grid["log_phi"], grid["p"]):
        where, horizon = where | {"log_phi": log_phi, "p": p}, where["T"]
        lots, most = lotteries(laws, log_phi, p), draw_chance(log_phi, p) * horizon
        law = joint(laws, lots)
        off.append(_farthest(joint_laws(program, log_phi, p)[-1], law))
        chances = [ball(*ends) for ends in zip(*(each.tolist() for each in totals(law)), strict=True)]
        assert all(draws >= 3 * most or draws < 3 * most for draws in range(horizon))
        mean = sum((draws * chance for draws, chance in enumerate(chances)), ball(0))
        tail = sum((chance for draws, chance in enumerate(chances) if draws >= 3 * most), ball(0))
        points.append(at_point({**where, "quantity": "mean"}, mean, most, trivial=horizon - 1))
        points.append(at_point({**where, "quantity": "tail"}, tail, exp(-most), trivial=1.0))
        if lots.unclipped:
            exactly = (horizon - 1) * (1 - (1 - ball(p)) * exp(-ball(log_phi)))
            points.append(at_point({**where, "quantity": "unclipped"}, abs(mean - exactly), ball(1e-9)))
    nowhere = {"losses": "any", "beta": 0.0, "lam": 0.0, "T": 0, "log_phi": 0.0, "p": 0.0, "quantity": "program's law"}
    return [*points, at_point(nowhere, ball(max(off)) * (1 + ball(_ROUNDING)), ball(_ROUNDING))]


def lemma_c1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The law of x_t is within 3 delta (t - 1) of mu_t in total variation, plus exp(-p~ T) with budget 3 p~ T.

    Without clipping (delta = 0) and without a budget it is mu_t. For any other budget B the added term is P(S_t > B)
    in the chain without a budget. Rounding is allowed 1e-13. [mathematics/001.md#lemma-c1]
    """
    points = []
    plays = [(where, family.laws(losses)) for where, family, losses in _games(grid, seed)]
    cases = [(where, laws, delta) for (where, laws), delta in product(plays, grid["delta"])]
    for horizon, delta in product(grid["T"], grid["delta"]):
        if delta:
            cases.append(
                ({"losses": "vertices", "beta": "", "lam": "", "T": horizon}, _vertices(horizon, delta), delta)
            )
    for (where, laws, delta), p in product(cases, grid["p"]):
        log_phi, horizon = _log_phi(laws, delta), where["T"]
        expected = draw_probability(log_phi, p) * horizon
        free = joint_laws(laws, log_phi, p)
        for budget in grid["budget"]:
            limit = math.floor(3 * expected) if budget == "3 p~ T" else float(budget)
            law = free if limit >= horizon - 1 else joint_laws(laws, log_phi, p, limit)
            apart = drift(law.sum(axis=1), laws)
            place = {**where, "delta": delta, "p": p, "budget": str(budget)}
            for t in grid["t"]:
                bound = drift_bound(t - 1, delta, expected if budget == "3 p~ T" else None)
                if math.isfinite(limit) and budget != "3 p~ T":
                    bound += float(free[t - 1, int(limit) + 1 :].sum())
                notes = {"log_phi": log_phi}
                points.append(Point({**place, "t": t}, float(apart[t - 1]), bound + 1e-13, trivial=1.0, notes=notes))
    return points
