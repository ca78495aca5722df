"""Regret bounds on the worst streams that are known, where expected regrets are computed and not simulated.

That a stream is the worst is not proved. Its regret is, in balls, and the library's number is compared with
it. [mathematics/000.md#worst-streams] [mathematics/000.md#regret-sharper]
[mathematics/000.md#half-divergence]
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.games.regret import static_regret
from private_experts.replication.balls.balls import Ball, ball, log, near, precision, sqrt
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.balls.sums import signed
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_leads import alone, first_leads, other_half, total_of
from private_experts.replication.papers.p000.fixed_stream_regret import plays, unlearned
from private_experts.replication.papers.p000.gap_law import mean_of_largest
from private_experts.replication.papers.p000.half_divergence import largest_curvature
from private_experts.replication.papers.p000.sampled_points import near_points
from private_experts.replication.papers.p000.worst_streams import (
    regret_of_leads,
    regret_of_rise,
    seesaw_then_rise,
    worst_leads,
    worst_rise,
)
from private_experts.replication.study.intervals import mean_interval

# relative: how far the library's regret may be from the ball, which is proved to 1.5e-5 or better
_ROUNDING = 1e-4


def scales_of(noise: str, horizon: int, eta: float) -> Array:
    """Return the noise of the totals: a "walk" eta sqrt(t), or "constant" eta sqrt(T), as the tree has."""
    return eta * np.sqrt(np.arange(1, horizon + 1) if noise == "walk" else np.full(horizon, horizon))


def printed_bound(noise: str, eta: float, n: int, horizon: int) -> Ball:
    """Return (eta + 2/eta) sqrt(2 T log n); for constant noise (s + T/s) sqrt(2 log n), s = eta sqrt(T)."""
    return (eta + (2 if noise == "walk" else 1) / ball(eta)) * sqrt(2 * horizon * log(n))


def sharper_bound(noise: str, eta: float, n: int, horizon: int) -> Ball:
    """Return (eta + 1/(2 eta)) sqrt(T) E max N; for constant noise (s + T/(4s)) E max N, s = eta sqrt(T)."""
    return (eta + (0.5 if noise == "walk" else 0.25) / ball(eta)) * sqrt(horizon) * _mean_of_largest(n)


def halved_bound(noise: str, eta: float, n: int, horizon: int) -> Ball:
    """Return the same with `largest_curvature` for half of E max N in the second term."""
    second = (1 if noise == "walk" else 0.5) / ball(eta) * largest_curvature(n)
    return sqrt(horizon) * (eta * _mean_of_largest(n) + second)


@functools.cache
def _mean_of_largest(n: int) -> Ball:
    with precision():
        return mean_of_largest(n)


def certain_regret_of_leads(leads: Array, scales: Array) -> Ball:
    """Return `regret_of_leads` as a ball, for leads whose sums floats hold and scales of `scales_of`."""
    before = np.cumsum(leads) - leads
    law, off = first_leads(before / scales, 3)  # two roundings in the scales, and one in the quotient
    lost = leads.size * cdf().lost
    earned = signed(float(leads @ law), float(np.abs(leads) @ law), leads.size + 1, off, lost)
    return max(float(leads.sum()), 0.0) - earned


def certain_regret_of_rise(n: int, scales: Array, rise: int) -> Ball:
    """Return `regret_of_rise` as a ball, for scales of `scales_of`."""
    seesaw = scales.size - rise
    pairs = seesaw // 2
    ahead, often = np.unique(1 / scales[1:seesaw:2], return_counts=True)
    behind, off = other_half(ahead, n)
    lone, apart = alone(np.arange(rise) / scales[seesaw:], n)
    return pairs - ball(pairs * (n // 2)) / n - total_of(behind, off, often) + rise - total_of(lone, apart)


def _worst(grid: Grid) -> Iterator[tuple[dict[str, Any], Ball, float, float]]:
    """Yield a cell, its worst regret known, the library's number, and uniform play's on this stream.

    Cells are left out where the printed bound is above T.
    """
    for noise, n, horizon, eta in product(grid["noise"], grid["n"], grid["T"], grid["eta"]):
        if printed_bound(noise, eta, n, horizon) <= horizon:
            scales = scales_of(noise, horizon, eta)
            if n == 2 and horizon <= grid["programmed"]:
                leads = worst_leads(scales, grid["parts"])
                computed, true = regret_of_leads(leads, scales), certain_regret_of_leads(leads, scales)
                lazy = abs(float(leads.sum())) / 2
            else:
                rise = worst_rise(n, scales)
                computed, true = regret_of_rise(n, scales, rise), certain_regret_of_rise(n, scales, rise)
                lazy = rise * (1 - 1 / n)
            yield {"noise": noise, "n": n, "T": horizon, "eta": eta}, true, computed, lazy


def _bound(of: Callable[[str, float, int, int], Ball], where: Mapping[str, Any]) -> Ball:
    return of(where["noise"], where["eta"], where["n"], where["T"])


def _compared(grid: Grid, point: Callable[[Mapping[str, Any], Ball, float], Point]) -> list[Point]:
    """Return in each cell the point of its regret, and that the library's number for it is right."""
    points = []
    with precision():
        for where, regret, computed, lazy in _worst(grid):
            points.append(point({"what": "regret", **where}, regret, lazy))
            points.append(agreement({"what": "library", **where}, computed, regret, _ROUNDING))
    return points


def printed_bounds(grid: Grid) -> list[Point]:
    """The paper's bounds hold on the worst streams known; `share` of them is used. Lazy is uniform play."""

    def point(where: Mapping[str, Any], regret: Ball, lazy: float) -> Point:
        most = _bound(printed_bound, where)
        notes = {"share": near(regret / most)}
        return at_point(where, regret, most, notes, trivial=float(where["T"]), lazy=lazy)

    return _compared(grid, point)


def sharper_bounds(grid: Grid) -> list[Point]:
    """The sharper bounds hold on the same streams. Lazy is uniform play."""
    return _within(sharper_bound, grid)


def sharper_bound_attained(grid: Grid) -> list[Point]:
    """For two experts the worst stream known uses nearly all of the sharper bound; the value is the share."""
    return _attained(sharper_bound, grid)


def halved_bounds(grid: Grid) -> list[Point]:
    """The bounds with half the divergence hold on the same streams. Lazy is uniform play."""
    return _within(halved_bound, grid)


def halved_bound_attained(grid: Grid) -> list[Point]:
    """For many experts the worst stream known uses most of that bound; the value is the share."""
    return _attained(halved_bound, grid)


def _within(bound: Callable[[str, float, int, int], Ball], grid: Grid) -> list[Point]:
    def point(where: Mapping[str, Any], regret: Ball, lazy: float) -> Point:
        return at_point(where, regret, _bound(bound, where), lazy=lazy)

    return _compared(grid, point)


def _attained(bound: Callable[[str, float, int, int], Ball], grid: Grid) -> list[Point]:
    def point(where: Mapping[str, Any], regret: Ball, lazy: float) -> Point:
        return at_point(where, regret / _bound(bound, where), ball(grid["share"]), sense=">=")

    return _compared(grid, point)


def played_regrets(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Played on these streams, RW-FTPL and RW-AdaBatch have the computed mean regret, up to a tolerance.

    Lazy is uniform play.
    """
    cells = list(product(("rw-ftpl", "rw-adabatch"), grid["n"], grid["T"], grid["eta"]))
    points = []
    for name, n, horizon, eta in cells:
        scales = scales_of("walk", horizon, eta)
        if n == 2:
            leads = worst_leads(scales)
            gains = np.column_stack([np.maximum(leads, 0.0), np.maximum(-leads, 0.0)])
            computed = regret_of_leads(leads, scales)
        else:
            rise = worst_rise(n, scales)
            gains, computed = seesaw_then_rise(n, horizon, rise), regret_of_rise(n, scales, rise)
        key = (seed, "worst played", name, n, horizon, eta, repetitions)
        regrets = static_regret(gains, plays(name, gains, eta, 0.01, repetitions, *key))
        measured = mean_interval(regrets / computed, intervals=2 * len(cells))
        where, lazy = {"algorithm": name, "n": n, "T": horizon, "eta": eta}, unlearned(gains) / computed
        points += near_points(where, measured, 1, grid["tolerance"], lazy=lazy)
    return points
