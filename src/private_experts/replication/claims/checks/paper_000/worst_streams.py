"""Regret bounds on the worst streams that are known, where expected regrets are computed and not simulated.

[mathematics/000.md#worst-streams] [mathematics/000.md#regret-sharper]
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.games.play import play, private_reports
from private_experts.games.regret import static_regret
from private_experts.games.worst_streams import (
    regret_of_leads,
    regret_of_rise,
    seesaw_then_rise,
    worst_leads,
    worst_rise,
)
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point
from private_experts.replication.intervals import mean_interval
from private_experts.walks.gap import density

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def scales_of(noise: str, horizon: int, eta: float) -> Array:
    """Return the noise of the totals: a "walk" eta sqrt(t), or "constant" eta sqrt(T), as the tree has."""
    return eta * np.sqrt(np.arange(1, horizon + 1) if noise == "walk" else np.full(horizon, horizon))


def printed_bound(noise: str, eta: float, n: int, horizon: int) -> float:
    """Return (eta + 2/eta) sqrt(2 T log n), or with constant noise (s + T/s) sqrt(2 log n) for s = eta sqrt(T)."""
    return (eta + (2 if noise == "walk" else 1) / eta) * math.sqrt(2 * horizon * math.log(n))


def sharper_bound(noise: str, eta: float, n: int, horizon: int) -> float:
    """Return (eta + 1/(2 eta)) sqrt(T) E max N, or with constant noise (s + T/(4s)) E max N for s = eta sqrt(T).

    The mean of the largest of n standard normals is the density of their gap at 0. [mathematics/000.md#gap-density]
    """
    return (eta + (0.5 if noise == "walk" else 0.25) / eta) * math.sqrt(horizon) * float(density(0.0, n))


def _worst(grid: Grid) -> Iterator[tuple[str, float, int, int, float]]:
    """Yield noise, eta, n, T and the regret on the worst stream known.

    Cells in which the printed bound is above the trivial one, T, are left out.
    """
    for noise, n, horizon, eta in product(grid["noise"], grid["n"], grid["T"], grid["eta"]):
        if printed_bound(noise, eta, n, horizon) <= horizon:
            scales = scales_of(noise, horizon, eta)
            if n == 2 and horizon <= grid["programmed"]:
                regret = regret_of_leads(worst_leads(scales, grid["parts"]), scales)
            else:
                regret = regret_of_rise(n, scales, worst_rise(n, scales))
            yield noise, eta, n, horizon, regret


def printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The paper's bounds hold on the worst streams known; `share` is how much of them is used."""
    points = []
    for noise, eta, n, horizon, regret in _worst(grid):
        most, sharper = printed_bound(noise, eta, n, horizon), sharper_bound(noise, eta, n, horizon)
        notes = {"share": regret / most, "share_of_sharper": regret / sharper}
        where = {"noise": noise, "n": n, "T": horizon, "eta": eta}
        points.append(Point(where, regret, most, notes=notes, trivial=float(horizon)))
    return points


def sharper(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The sharper bounds hold on the same streams."""
    return [
        Point({"noise": noise, "n": n, "T": horizon, "eta": eta}, regret, sharper_bound(noise, eta, n, horizon))
        for noise, eta, n, horizon, regret in _worst(grid)
    ]


def attained(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """For two experts the worst stream known uses nearly all of the sharper bound; the value is the share."""
    return [
        Point({"noise": noise, "n": n, "T": horizon, "eta": eta}, regret / most, grid["share"], sense=">=")
        for noise, eta, n, horizon, regret in _worst(grid)
        for most in [sharper_bound(noise, eta, n, horizon)]
    ]


def played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Played on these streams, RW-FTPL and RW-AdaBatch have the computed mean regret, up to the grid's tolerance."""
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
        noise = SimulatedNoise(rng_for(seed, "worst played", name, n, horizon, eta, repetitions))
        guarantee = GaussianDP(1.0, "local")  # of a value that one person moves by eta, so that the noise is eta
        player = (
            RWFTPL(n, guarantee, noise_scale=eta, noise=noise, repetitions=repetitions)
            if name == "rw-ftpl"
            else RWAdaBatch(n, guarantee, noise_scale=eta, noise=noise, repetitions=repetitions, horizon=horizon)
        )
        regrets = static_regret(gains, play(player, private_reports(gains, guarantee, eta, noise, repetitions)))
        mean, low, high = (float(each) for each in mean_interval(regrets / computed, intervals=2 * len(cells)))
        where = {"algorithm": name, "n": n, "T": horizon, "eta": eta}
        points.append(Point({**where, "side": "above"}, mean, 1 - grid["tolerance"], low, high, ">="))
        points.append(Point({**where, "side": "below"}, mean, 1 + grid["tolerance"], low, high, "<="))
    return points
