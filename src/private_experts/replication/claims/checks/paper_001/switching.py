"""How often P-COMW draws anew, and how far the law of its point drifts from the Gibbs measure. [001, 4 and App. C]

Exact, by running the chain on (draws, point). A grid is a set to play on in its own right, with a discrete reference
measure, and nothing here needs convexity: what is checked holds on it without any error of discretisation.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.chains import closeness, drift, joint_laws
from private_experts.convex.domains import Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES
from private_experts.convex.parameters import draw_probability, drift_bound
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def _plays(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], Array]]:
    """Yield the Gibbs measures (T, m) of losses on an interval."""
    for name, (beta, lam), horizon in product(grid["losses"], grid["beta_lam"], grid["T"]):
        where = {"losses": name, "beta": beta, "lam": lam, "T": horizon}
        family = GridGibbs(Box((-0.5,), (0.5,)).grid(grid["cells"]), beta, lam)
        losses = LOSSES[name](family, horizon, 1.0, rng_for(seed, "switching", *where.values()))
        yield where, family.laws(losses)


def _vertices(horizon: int, delta: float) -> Array:
    """Return measures on the vertices of a simplex: in each round one that had next to nothing gets delta.

    With the reference measure on the vertices, every sequence of measures is one of Gibbs measures of linear losses. A
    ratio as large as these is clipped, so the chain misses the new mass in each round: the lemma at its sharpest.
    """
    masses = np.where(np.tri(horizon, horizon, -1), delta, delta * 1e-9)
    masses = np.concatenate([1 - masses.sum(axis=1, keepdims=True), masses], axis=1)
    return np.asarray(np.log(masses))


def _log_phi(laws: Array, delta: float) -> float:
    """Return the least log Phi for which neighbouring measures are (Phi, delta)-close."""
    steps = np.unique(np.abs(np.diff(laws, axis=0)))
    low, high = -1, steps.size - 1  # nothing is farther than the largest step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if closeness(laws, float(steps[middle])) <= delta * (1 + 1e-9) else (middle, high)
    return float(steps[high])


def switching(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """E S_T is at most p~ T and P(S_T >= 3 p~ T) at most exp(-p~ T), for p~ = p + 1 - Phi^-2. [C001-5]

    And when no ratio is clipped, each lottery draws with probability 1 - (1 - p) / Phi exactly.
    """
    points = []
    for (where, laws), log_phi, p in product(list(_plays(grid, seed)), grid["log_phi"], grid["p"]):
        where = where | {"log_phi": log_phi, "p": p}
        horizon, rate = where["T"], draw_probability(log_phi, p)
        counts = joint_laws(laws, log_phi, p)[-1].sum(axis=1)
        draws = np.arange(counts.size)
        mean, tail = float(counts @ draws), float(counts[draws >= 3 * rate * horizon].sum())
        points.append(Point({**where, "quantity": "mean"}, mean, rate * horizon))
        points.append(Point({**where, "quantity": "tail"}, tail, math.exp(-rate * horizon)))
        if closeness(laws, log_phi) == 0.0:
            exactly = (horizon - 1) * (1 - (1 - p) * math.exp(-log_phi))
            points.append(Point({**where, "quantity": "unclipped"}, abs(mean - exactly), 1e-9))
    return points


def lemma_c1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The law of x_t is within 3 delta (t - 1) of mu_t in total variation, plus exp(-p~ T) with budget 3 p~ T. [C001-3]

    Without clipping (delta = 0) and budget it is mu_t. With any other budget B the term is P(S_t > B) of the chain
    without one. Rounding is allowed 1e-13.
    """
    points = []
    cases = [(where, laws, delta) for (where, laws), delta in product(list(_plays(grid, seed)), grid["delta"])]
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
                points.append(Point({**place, "t": t}, float(apart[t - 1]), bound + 1e-13, notes=notes))
    return points
