"""How often P-COMW draws, and how far the law of its point drifts from the Gibbs measure. [001, 4 and App. C]

All values are exact, from the Markov chain of draws and point. A grid with a discrete reference measure is a decision
set in its own right, and nothing here needs convexity. So there is no error of discretisation.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.chains import closeness, joint_laws
from private_experts.convex.domains import Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import Ball, ball, exp, expm1, lower, precision
from private_experts.replication.claims.certified.boxes import at_point
from private_experts.replication.claims.checks.paper_001.exact_chains import (
    Between,
    between,
    drift,
    exact_drifts,
    gibbs,
    joint,
    joint_in,
    lotteries,
    measures,
    more_draws,
    totals,
)
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_BITS = 80
_APART = 1e-11  # how far the program's probabilities may be from bounds that are 1e-12 apart


def _games(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], GridGibbs, Array]]:
    """Yield families of Gibbs measures on an interval, and losses (T, m)."""
    for name, (beta, lam), horizon in product(grid["losses"], grid["beta_lam"], grid["T"]):
        where = {"losses": name, "beta": beta, "lam": lam, "T": horizon}
        family = GridGibbs(Box((-0.5,), (0.5,)).grid(grid["cells"]), beta=beta, lam=lam)
        yield where, family, LOSSES[name](family, horizon, 1.0, rng_for(seed, "switching", *where.values()))


def _vertices(horizon: int, delta: float) -> Array:
    """Return measures on the vertices of a simplex but the first: in each round another one of them gets mass delta.

    Before it has almost no mass. With a reference measure on the vertices, every sequence of measures consists of Gibbs
    measures of linear losses. The large ratios are clipped, so the chain misses the new mass in each round. This is
    nearly the worst case of the drift. [mathematics/001.md#lemma-c1]
    """
    return np.where(np.tri(horizon, horizon, -1), delta, delta * 1e-9)


def _on_vertices(masses: Array) -> tuple[Array, list[list[Ball]]]:
    """Return the program's log-probabilities and exact ones, where the first vertex has the rest."""
    exact = [[1 - sum(map(ball, row), ball(0)), *map(ball, row)] for row in masses.tolist()]
    return np.log(np.concatenate([1 - masses.sum(axis=1, keepdims=True), masses], axis=1)), exact


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
    return [*points, _program({"log_phi": 0.0, "p": 0.0, "quantity": ""}, off)]


def _program(nowhere: Mapping[str, Any], off: Sequence[float]) -> Point:
    """Return the evidence on how far the program's laws are from exact ones."""
    where = {"losses": "any, the program's", "beta": 0.0, "lam": 0.0, "T": 0, **nowhere}
    return at_point(where, ball(max(off)) * (1 + ball(_APART)), ball(_APART))


def _apart(laws: Between, log_phi: float) -> float:
    """Return a float that is surely not below the least delta for which consecutive measures are (Phi, delta)-close."""
    phi = lower(exp(ball(log_phi)))
    before, after = (Between(laws.low[side], laws.high[side]) for side in (slice(None, -1), slice(1, None)))
    maybe = np.maximum(after.high / before.low, before.high / after.low) * (1 + 1e-15) > phi
    return max(float(np.where(maybe, each.high, 0.0).sum(axis=1).max()) for each in (before, after)) * (1 + 1e-13)


def allowed(rounds: int, delta: float, draws: Ball | None) -> Ball:
    """Return ``3 delta`` times the rounds before, and ``exp(-p~ T)`` with the budget ``3 p~ T``."""
    return 3 * ball(delta) * rounds + (0 if draws is None else exp(-draws))


@precision(_BITS)
def lemma_c1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The law of x_t is within 3 delta (t - 1) of mu_t in total variation, plus exp(-p~ T) with budget 3 p~ T.

    Without clipping (delta = 0) and without a budget it is mu_t. For any other budget B the added term is P(S_t > B)
    in the chain without a budget. Drifts lie between two bounds that rounding cannot cross, for which 1e-13 is allowed.
    Log Phi is larger by 1e-13 than is found in floats, so that the measures are surely so close. The program's laws are
    compared. [mathematics/001.md#lemma-c1]
    """
    points: list[Point] = []
    off: list[float] = []
    plays = [
        (where, family.laws(losses), gibbs(family.points[:, 0], losses, family.beta, family.lam))
        for where, family, losses in _games(grid, seed)
    ]
    cases = [(*play, delta) for play, delta in product(plays, grid["delta"])]
    for horizon, delta in product(grid["T"], grid["delta"]):
        if delta:
            where = {"losses": "vertices", "beta": "", "lam": "", "T": horizon}
            cases.append((where, *_on_vertices(_vertices(horizon, delta)), delta))
    ends = {id(exact): between(exact) for _, _, exact, _ in cases}
    for (where, program, exact, delta), p in product(cases, grid["p"]):
        laws, log_phi, horizon, rounds = ends[id(exact)], _log_phi(program, delta) + 1e-13, where["T"], grid["t"]
        assert _apart(laws, log_phi) <= delta * (1 + 1e-9)
        expected, lots = draw_chance(log_phi, p) * horizon, lotteries(laws, log_phi, p)

        def chain(limit: float) -> tuple[list[Between], list[Ball]]:
            """Return the joint laws, and how far the point's is from the ideal one."""
            found = joint_in(laws, lots, limit, rounds)  # noqa: B023
            computed = joint_laws(program, log_phi, p, limit)  # noqa: B023
            points_of = [totals(law, axis=0) for law in found]
            off.extend(_farthest(computed[t - 1].sum(axis=0), law) for t, law in zip(rounds, points_of, strict=True))  # noqa: B023
            ideals = [Between(laws.low[t - 1], laws.high[t - 1]) for t in rounds]  # noqa: B023
            return found, [drift(*pair) for pair in zip(points_of, ideals, strict=True)]

        free, drifts = chain(math.inf)
        if not delta:
            exactly = exact_drifts(exact, log_phi, p)
            drifts = [exactly[t - 1] for t in rounds]
        for budget in grid["budget"]:
            own = budget == "3 p~ T"
            limit = float((3 * expected).floor()) if own else float(budget)  # one that is not known is none
            apart = drifts if limit >= horizon - 1 else chain(limit)[1]
            place = {**where, "delta": delta, "p": p, "budget": str(budget)}
            for t, value, law in zip(rounds, apart, free, strict=True):
                bound = allowed(t - 1, delta, expected if own else None)
                if math.isfinite(limit) and not own:
                    bound += more_draws(law, int(limit))
                notes = {"log_phi": log_phi}
                points.append(at_point({**place, "t": t}, value, bound + ball(1e-13), notes, trivial=1.0))
    return [*points, _program({"delta": 0.0, "p": 0.0, "budget": "", "t": 0}, off)]
