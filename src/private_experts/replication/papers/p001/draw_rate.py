"""How often P-COMW draws, and how far the law of its point drifts from the Gibbs measure. [001, 4 and App. C]

A grid is a decision set in its own right, and nothing here needs convexity. So there is no error of
discretisation.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.closeness import draw_probability, drift_bound
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, largest, lower, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.chains import closeness, joint_laws
from private_experts.replication.papers.p001.exact_chains import (
    Between,
    between,
    clipped,
    drift,
    exact_drifts,
    gibbs,
    joint,
    joint_in,
    lotteries,
    marginal,
    more_draws,
)

_BITS = 80
# How far the program's probabilities may be from bounds that are 1e-12 apart at most: of the draws and point,
# and of the point alone, whose law is compared in every round and with every budget.
_APART, _APART_OF_POINTS = 1e-12, 1e-11
_ROUNDING = 1e-12  # of the program's bounds, relative


def _games(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], GridGibbs, Array]]:
    """Yield families of Gibbs measures on an interval, and losses (T, m)."""
    for name, (beta, lam), horizon in product(grid["losses"], grid["beta_lam"], grid["T"]):
        where = {"losses": name, "beta": beta, "lam": lam, "T": horizon}
        family = GridGibbs(Box((-0.5,), (0.5,)).grid(grid["cells"]), beta=beta, lam=lam)
        yield where, family, LOSSES[name](family, horizon, 1.0, rng_for(seed, "switching", *where.values()))


def _on_vertices(horizon: int, delta: float) -> tuple[Array, list[list[Ball]]]:
    """Return the program's logarithms and balls for vertices of which in each round another gets mass delta.

    Ratios this large are clipped, so that the chain misses the new mass each time: nearly the worst drift.
    """
    # Not 0, since the ratios of the new masses have to be finite.
    masses = np.where(np.tri(horizon, horizon, -1), delta, delta * 1e-9)
    exact = [[1 - sum(map(ball, row), ball(0)), *map(ball, row)] for row in masses.tolist()]
    return np.log(np.concatenate([1 - masses.sum(axis=1, keepdims=True), masses], axis=1)), exact


def _log_phi(laws: Array, delta: float) -> float:
    """Return the least log Phi for which neighbouring measures are (Phi, delta)-close."""
    steps = np.unique(np.abs(np.diff(laws, axis=0)))
    # Only the steps themselves are candidates: closeness changes nowhere else.
    low, high = -1, steps.size - 1  # no ratio exceeds the largest step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if closeness(laws, float(steps[middle])) <= delta * (1 + 1e-9) else (middle, high)
        )
    return float(steps[high])


def draw_chance(log_phi: Ball | float, p: Ball | float) -> Ball:
    """Return ``p~ = p + 1 - Phi^-2``."""
    return ball(p) - expm1(-2 * ball(log_phi))


def _farthest(computed: Array, between: Between) -> float:
    """Return the largest distance of numbers from those between two bounds; infinite if the counts differ."""
    if computed.shape != between.low.shape:
        return math.inf
    return max(float(np.abs(end - computed).max()) for end in between)


@precision(_BITS)
def switching(grid: Grid, seed: int) -> list[Point]:
    """E S_T is at most p~ T and P(S_T >= 3 p~ T) at most exp(-p~ T), for p~ = p + 1 - Phi^-2.

    When no ratio is clipped, each lottery draws with probability exactly 1 - (1 - p) / Phi. The law of the
    number of draws lies between two bounds, with which the program's is compared, and so is its bound on the
    probability of a draw. [mathematics/001.md#switching-bound]
    """
    points, off, bounds = [], [], []
    plays = [
        (where, family.laws(losses), between(gibbs(family.points[:, 0], losses, family.beta, family.lam)))
        for where, family, losses in _games(grid, seed)
    ]
    for (where, program, laws), log_phi, p in product(plays, grid["log_phi"], grid["p"]):
        where, horizon = where | {"log_phi": log_phi, "p": p}, where["T"]
        lots, most = lotteries(laws, log_phi, p), draw_chance(log_phi, p) * horizon
        bounds.append(abs(draw_probability(log_phi, p) / draw_chance(log_phi, p) - 1))
        law = joint(laws, lots)
        off.append(_farthest(joint_laws(program, log_phi, p)[-1], law))
        chances = [ball(*ends) for ends in zip(*(end.tolist() for end in marginal(law)), strict=True)]
        # The event must be decided for every number of draws, or the tail would not be a ball.
        assert all(draws >= 3 * most or draws < 3 * most for draws in range(horizon))
        mean = sum((draws * chance for draws, chance in enumerate(chances)), ball(0))
        tail = sum((chance for draws, chance in enumerate(chances) if draws >= 3 * most), ball(0))
        points.append(at_point({**where, "quantity": "mean"}, mean, most, trivial=horizon - 1))
        points.append(at_point({**where, "quantity": "tail"}, tail, exp(-most), trivial=1.0))
        if lots.unclipped:
            # Without clipping the mean ratio under the current law is 1, so the lottery's chance is the same
            # in all rounds.
            exactly = (horizon - 1) * (1 - (1 - ball(p)) * exp(-ball(log_phi)))
            points.append(at_point({**where, "quantity": "unclipped"}, abs(mean - exactly), ball(1e-9)))
    return [*points, *_program({"log_phi": 0.0, "p": 0.0, "quantity": ""}, off, _APART, bounds)]


def _program(
    nowhere: Mapping[str, Any], off: Sequence[float], apart: float, bounds: Sequence[Ball]
) -> list[Point]:
    """Return the evidence on how far the program's laws are from exact ones, and may be, and its bounds."""
    where = {"beta": 0.0, "lam": 0.0, "T": 0, **nowhere}
    return [
        at_point({"losses": "program's law", **where}, ball(max(off)) * (1 + ball(apart)), ball(apart)),
        at_point({"losses": "program's bound", **where}, largest(bounds), ball(_ROUNDING)),
    ]


def _apart(laws: Between, log_phi: float) -> float:
    """Return a float surely not below the least delta with which consecutive measures are close."""
    # From below, so that a ratio at the boundary counts as beyond: delta may only come out too large.
    phi = lower(exp(ball(log_phi)))
    before, after = (Between(laws.low[side], laws.high[side]) for side in (slice(None, -1), slice(1, None)))
    maybe = np.maximum(after.high / before.low, before.high / after.low) * (1 + 1e-15) > phi
    return max(float(np.where(maybe, side.high, 0.0).sum(axis=1).max()) for side in (before, after)) * (
        1 + 1e-13
    )


def allowed(rounds: int, delta: float, draws: Ball | None) -> Ball:
    """Return ``3 delta`` times the rounds before, and ``exp(-p~ T)`` with the budget ``3 p~ T``."""
    return 3 * ball(delta) * rounds + (0 if draws is None else exp(-draws))


class Case(NamedTuple):
    """A sequence of measures: the program's logarithms, balls, and floats on both sides; and its Phi."""

    where: dict[str, Any]
    delta: float
    log_phi: float
    program: Array
    exact: list[list[Ball]]
    laws: Between
    keep: list[list[Ball]]


def _cases(grid: Grid, seed: int) -> Iterator[Case]:
    """Yield cases whose Phi is the least at which measures are (Phi, delta)-close, but 1e-13 in log Phi."""
    sequences = []
    for where, family, losses in _games(grid, seed):
        exact = gibbs(family.points[:, 0], losses, family.beta, family.lam)
        sequences += [(where, delta, family.laws(losses), exact) for delta in grid["delta"]]
    for horizon, delta in product(grid["T"], filter(None, grid["delta"])):
        where = {"losses": "vertices", "beta": "", "lam": "", "T": horizon}
        sequences.append((where, delta, *_on_vertices(horizon, delta)))
    for where, delta, program, exact in sequences:
        log_phi, laws = _log_phi(program, delta) + 1e-13, between(exact)
        assert _apart(laws, log_phi) <= delta * (1 + 1e-9)
        yield Case({**where, "delta": delta}, delta, log_phi, program, exact, laws, clipped(exact, log_phi))


def _whole(x: Ball) -> int:
    """Return the largest whole number up to x, which has to be sure."""
    number = x.floor().unique_fmpz()
    if number is None:
        raise ValueError(f"more bits are needed to tell which whole number is below {x}")
    return int(number)


def _drifts(
    case: Case, p: float, budgets: Sequence[Any], rounds: Sequence[int]
) -> tuple[list[Point], float, list[Ball]]:
    """Return evidence on a chain with several budgets, and how far the program's laws and bounds are off."""
    horizon, laws, points, bounds = len(case.exact), case.laws, [], []
    off: list[float] = []
    lots, expected = lotteries(laws, case.log_phi, p), draw_chance(case.log_phi, p) * horizon
    draws = draw_probability(case.log_phi, p) * horizon

    def laws_with(limit: float) -> tuple[list[Between], list[Between]]:
        """Return the joint laws, and those of the point."""
        joints = joint_in(laws, lots, limit, rounds)
        computed, places = (
            joint_laws(case.program, case.log_phi, p, limit),
            [marginal(law, axis=0) for law in joints],
        )
        off.extend(_farthest(computed[t - 1].sum(axis=0), law) for t, law in zip(rounds, places, strict=True))
        return joints, places

    # Without a budget the draws do not matter to the point, and balls can carry its law through all rounds.
    free, exactly = laws_with(math.inf)[0], exact_drifts(case.exact, case.keep, p, rounds)
    for budget in budgets:
        own = budget == "3 p~ T"
        limit = float(_whole(3 * expected)) if own else float(budget)
        apart = exactly
        if limit < horizon - 1:
            ideals = [Between(laws.low[t - 1], laws.high[t - 1]) for t in rounds]
            # With a budget draws and point are one chain, whose state is too large for balls.
            apart = [drift(*pair) for pair in zip(laws_with(limit)[1], ideals, strict=True)]
        for t, value, law in zip(rounds, apart, free, strict=True):
            bound = allowed(t - 1, case.delta, expected if own else None)
            missed = abs(drift_bound(t - 1, case.delta, draws if own else None) - bound)
            bounds.append(missed / bound if bound > 0 else missed)
            bound += ball(1e-13)
            if math.isfinite(limit) and not own:
                bound += more_draws(law, int(limit))
            where = {**case.where, "p": p, "budget": str(budget), "t": t}
            points.append(at_point(where, value, bound, {"log_phi": case.log_phi}, trivial=1.0))
    return points, max(off), bounds


@precision(_BITS)
def lemma_c1(grid: Grid, seed: int) -> list[Point]:
    """The law of x_t is within 3 delta (t - 1) of mu_t in variation plus exp(-p~ T), with budget 3 p~ T.

    Without clipping (delta = 0) and without a budget it is mu_t. For any other budget B the added term is
    P(S_t > B) in the chain without a budget. 1e-13 is allowed, and log Phi is larger by 1e-13 than is found
    in floats, so that measures are surely so close. The program's laws and bounds are compared.
    [mathematics/001.md#lemma-c1]
    """
    chains = [
        _drifts(case, p, grid["budget"], grid["t"]) for case, p in product(_cases(grid, seed), grid["p"])
    ]
    points, off, bounds = zip(*chains, strict=True)
    program = _program(
        {"delta": 0.0, "p": 0.0, "budget": "", "t": 0}, off, _APART_OF_POINTS, [*chain(*bounds)]
    )
    return [*chain(*points), *program]
