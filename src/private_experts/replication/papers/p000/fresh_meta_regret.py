"""The mended RW-Meta, with fresh noise: its regret against learners that react, and its worst case."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.fresh_scales import (
    gumbel_scales,
    hindsight_price,
    regret_bound,
    scales_for_any_horizon,
    scales_for_horizon,
)
from private_experts.arrays import Array
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, near, pi, precision, sqrt, square
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.repetition_blocks import repeated_where_close
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, noisy_reports
from private_experts.replication.papers.p000.reacting import bank
from private_experts.replication.papers.p000.shortfall import Totals, best_totals, play_totals, regret_points
from private_experts.replication.papers.p000.worst_pair import worst_pair

BLOCK = 2400  # repetitions that are drawn together
PER_UNIT = 8  # points of the grid on which the worst pair's regret is computed
_ROUNDING = 1e-12  # relative: how far the program's bound may be from the formula


def extra_noise(choice: str, noise_scales: Iterable[float], m: int) -> tuple[Array, float, float]:
    """Return the normal scales (T,), the Gumbel scale and the regret bound of a choice of scales."""
    noise = np.array(list(noise_scales))
    if choice == "gumbel":
        gumbel, scales, bound = gumbel_scales(noise, m)
        return scales, gumbel, bound
    scales = scales_for_horizon(noise) if choice == "horizon" else np.array([*scales_for_any_horizon(noise)])
    return scales, 0.0, regret_bound(scales, noise, m)


def theorem_3_fresh(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The regret of `FreshMeta` is within its bound, if learners react. [mathematics/000.md#theorem-3-fresh]

    The stream gives expert 0 all gains, so a learner decides in each round whether to be right. Learners that
    react punish too little noise, and a steady pair punishes too much. Lazy is to draw a learner at random in
    each round.
    """
    cells = list(product(grid["choice"], grid["learners"], grid["m"], grid["eta"], grid["T"]))

    def plays(
        choice: str, name: str, m: int, eta: float, horizon: int, count: int, key: tuple[int, ...]
    ) -> tuple[Array, Array, Array]:
        rng = rng_for(seed, "fresh", choice, name, m, eta, horizon, *key)
        noise, gains = [eta] * horizon, np.tile([1.0, 0.0], (horizon, 1))
        scales, gumbel, _ = extra_noise(choice, noise, m)
        played = play_totals(
            bank(name, m, 2, count),
            lambda learners: FreshMeta([learners], LOCAL, scale=scales, rng=rng, gumbel=gumbel),
            gains,
            noisy_reports(gains, noise, SimulatedNoise(rng), count),
        )
        return played.learners, played.noise, played.own

    def close(cell: tuple[Any, ...]) -> bool:
        return cell[1] in grid.get("close", grid["learners"])

    points = []
    for cell, arrays in zip(
        cells, repeated_where_close(plays, cells, close, repetitions, BLOCK), strict=True
    ):
        choice, name, m, eta, horizon = cell
        noise = [eta] * horizon
        where = {"choice": choice, "learners": name, "m": m, "eta": eta, "T": horizon}
        bound = extra_noise(choice, noise, m)[2]
        bounds = {"expectation": bound, "hindsight": bound + hindsight_price(noise, m)}
        for point in regret_points(where, Totals(*arrays), bounds, len(cells)):
            lazy = best_totals(arrays[0])[str(point.where["best"])] - float(arrays[0].mean())
            points.append(replace(point, lazy=lazy))
    return points


def theorem_3_fresh_worst(grid: Mapping[str, Any]) -> list[Point]:
    """The largest mean regret that two learners can cause is at most the bound, and comes close to it.

    Both are balls. The program's bound must agree with the formula. Lazy is to draw a learner at random, whom
    one learner that is right in every round beats by T/2. [mathematics/000.md#worst-pair]
    """
    points = []
    with precision():
        for choice, eta, horizon in product(grid["choice"], grid["eta"], grid["T"]):
            scales, _, computed = extra_noise(choice, [eta] * horizon, 2)
            bound, regret = _bound_for_two(scales.tolist(), eta), worst_pair(scales.tolist(), eta, PER_UNIT)
            where = {"choice": choice, "eta": eta, "T": horizon}
            notes, attained = {"share": near(regret / bound)}, ball(grid["attained"][choice]) * bound
            points.append(
                at_point(
                    {"what": "regret", **where},
                    regret,
                    bound,
                    notes,
                    trivial=float(horizon),
                    lazy=horizon / 2,
                )
            )
            # From the other side: a bound that is far from attained would be no sharp theorem.
            points.append(at_point({"what": "regret", **where}, regret, attained, notes, ">="))
            points.append(agreement({"what": "library", **where}, computed, bound, _ROUNDING))
    return points


def _bound_for_two(scales: Sequence[float], eta: float) -> Ball:
    """Return `regret_bound` in balls for two learners, constant noise; ``E max N`` is ``1 / sqrt(pi)``."""
    now = [ball(scale) for scale in scales]
    growth = [
        (sqrt(square(after) + square(eta)) - before).max(ball(0))
        for before, after in zip(now, [*now[1:], ball(0)], strict=True)
    ]
    return sum((1 / (4 * before) + more for before, more in zip(now, growth, strict=True)), now[0]) / sqrt(
        pi()
    )
