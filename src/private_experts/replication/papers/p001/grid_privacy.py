"""Exact privacy of P-COMW on grids: one round, and short plays. [001, Appendix D]"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.private_oco.closeness import log_closeness
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, log, precision, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.paths import action_laws, least_epsilon, path_laws
from private_experts.replication.papers.p001.round_costs import HALF, Lottery, Streams, piecewise_losses
from private_experts.replication.papers.p001.scales import closeness
from private_experts.replication.papers.p001.short_plays import (
    SURE,
    epsilon_around,
    path_probabilities,
    steps,
)

_ROUNDING = 1e-12  # of the program's probabilities of paths, and of keeping a point


def _neighbours(
    family: GridGibbs, name: str, horizon: int, where: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return two streams of 1-Lipschitz losses (T, m) that differ in one round, opposite and linear there."""
    losses = LOSSES[name](family, horizon, 1.0, rng)
    one, two = losses.copy(), losses.copy()
    # Opposite linear losses: their difference has the largest slope that neighbours may have.
    one[where], two[where] = family.points[:, 0], -family.points[:, 0]
    return one, two


def claim_d1(grid: Grid, seed: int) -> list[Point]:
    """The lottery after the loss that differs costs 2 log(Phi)/p at most, a later 2 u^2/p, a draw log Phi'.

    This holds on every history, whatever was clipped. A draw may also fail, with probability delta'. The
    values are costs as shares of these bounds, the largest over all points of an interval. The program's
    probabilities of keeping are compared with exact ones at all points of a grid, in two lotteries.
    [mathematics/001.md#claim-d1]
    """
    points = []
    for name, horizon, u, p, clip in product(grid["losses"], grid["T"], grid["u"], grid["p"], grid["clip"]):
        where = {"losses": name, "T": horizon, "u": u, "p": p, "clip": clip}
        with precision():
            # A change in the first round has all other lotteries after it, one in the middle has half of
            # them.
            costs = [_shares(grid, where, change, seed) for change in (0, horizon // 2)]
            for step in costs[0]:
                share = largest(cost[step] for cost in costs)
                points.append(
                    at_point({**where, "step": step}, share, ball(_ROUNDING if step == "program" else 1))
                )
    return points


def _shares(grid: Grid, where: Mapping[str, Any], change: int, seed: int) -> dict[str, Ball]:
    """Return costs as shares of their bounds if a round differs, and how far the program's lottery is off."""
    name, horizon, u, p, clip = where.values()
    key, places = (seed, "claim d1", *where.values(), change), Box((-HALF,), (HALF,)).grid(grid["cells"])
    family = GridGibbs(places, **gibbs_parameters(horizon, 1, u)._asdict())
    _, other = _neighbours(family, name, horizon, change, rng_for(*key))
    keep = keep_probabilities(family.laws(other), clip * log_closeness(u, horizon**-2.0), p)

    rounds, scale = ball(horizon), square(ball(u))
    lam = sqrt(2 * rounds + 2 * log(rounds) / scale)
    log_phi = clip * closeness(ball(u), 2 * log(rounds))
    lottery = Lottery(log_phi, ball(p))
    losses = piecewise_losses(name, horizon, float(np.abs(places).max()), rng_for(*key))
    streams = Streams.of(losses, change, lam * scale, lam)
    draws = (streams.draws(delta) / closeness(2 * ball(u), -log(ball(delta))) for delta in grid["delta"])
    return {
        "lottery that differs": streams.first_lottery(lottery) / (2 * log_phi / p),
        "later lottery": streams.later_lotteries(lottery) / (2 * scale / p),
        "draw": largest(draws),
        "program": streams.apart(lottery, places[:, 0], keep),
    }


def _streams(points: Array, rounds: int) -> tuple[Array, Indices, Indices]:
    """Return streams of four convex losses over `rounds` rounds, and their ordered pairs of neighbours."""
    # Few losses, so that all streams of them can be tried.
    x = points[:, 0]
    alphabet = np.stack([x, -x, np.abs(x), np.zeros_like(x)])
    numbers = np.arange(4**rounds)
    digits = numbers[:, None] // 4 ** np.arange(rounds) % 4
    step = np.arange(1, 4)[:, None, None] * np.ones(1, dtype=np.intp)
    # Streams are numbers to the base 4: a neighbour differs in one digit.
    others = numbers[:, None] + ((digits + step) % 4 - digits) * 4 ** np.arange(rounds)
    return alphabet[digits], np.broadcast_to(numbers[:, None], others.shape).ravel(), others.ravel()


def paths(grid: Grid) -> list[Point]:
    """For all neighbouring short plays the exact epsilon is at most what the costs of the steps compose to.

    With beta lam D^2 <= 4 the range of the losses gives log Phi' = 2 beta G D, with delta' = 0, and the later
    lotteries' bound 2 u^2. Epsilon is at most the sum of the costs and ``s/2 + sqrt(2 s log(1/delta))``, for
    the sum s of squares ``(2 log(Phi)/p)^2 + B log^2 Phi' + (T - 2)(2 u^2/p)^2``.
    [mathematics/001.md#privacy-theorem]
    """
    points, off = [], []
    for m, rounds, beta, lam, log_phi, p in grid["play"]:
        places = np.linspace(-0.5, 0.5, m)[:, None]
        streams, one, two = _streams(places, rounds - 1)
        # the last one decides nothing
        losses = np.concatenate([streams, np.zeros((len(streams), 1, m))], axis=1)
        laws = GridGibbs(places, beta=beta, lam=lam).laws(losses)
        with precision():
            play = steps(places[:, 0], losses, beta, lam, log_phi, p)
        for budget in map(float, grid["budget"]):
            program, actions = path_laws(laws, log_phi, p, budget)
            played = action_laws(program, actions)
            where = {"points": m, "T": rounds, "beta": beta, "lam": lam, "log_phi": log_phi, "p": p}
            where["budget"] = f"{budget:g}"
            with precision():
                law = path_probabilities(play, budget)
                off.append(float(np.abs(program - law).max()))
                for delta in grid["delta"]:
                    bound = _composed((rounds, beta, lam, log_phi, p), min(budget, rounds - 1), delta)
                    epsilons = least_epsilon(law[one], law[two], delta)
                    # A guide by floats; the ball around its epsilon is computed for the worst pair alone.
                    worst = int(epsilons.argmax())
                    epsilon = epsilon_around(law[one], law[two], delta, float(epsilons[worst]), worst)
                    notes = {"of_actions_alone": float(least_epsilon(played[one], played[two], delta).max())}
                    points.append(at_point({**where, "delta": delta}, epsilon, bound, notes))
    nowhere = {
        "points": 0,
        "T": 0,
        "beta": 0.0,
        "lam": 0.0,
        "log_phi": 0.0,
        "p": 0.0,
        "budget": "",
        "delta": 0.0,
    }
    with precision():  # of numbers whose difference is itself rounded
        points.append(at_point(nowhere, ball(max(off)) * (1 + SURE) + SURE / 100, ball(_ROUNDING)))
    return points


def _composed(play: tuple[int, float, float, float, float], draws: float, delta: float) -> Ball:
    """Return the sum of the costs of a play, or what they compose to at delta if that is less."""
    rounds, beta, lam, log_phi, p = play[0], *map(ball, play[1:])
    costs = [(1, 2 * log_phi / p), (int(draws), 2 * beta), (rounds - 2, 2 * beta / lam / p)]
    plain = sum((times * cost for times, cost in costs), ball(0))
    squares = sum((times * square(cost) for times, cost in costs), ball(0))
    # Basic composition is better for few and large costs, and the only one at delta = 0.
    return plain.min(squares / 2 + sqrt(2 * squares * log(1 / ball(delta)))) if delta else plain
