"""Late reports: copies that take turns, and one copy that hears late. [mathematics/extensions.md]"""

import math
from typing import Any

import numpy as np

from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.games.regret import static_regret, switches
from private_experts.games.streams import STREAMS
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, bound, noisy_reports, unlearned
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.study.intervals import mean_interval


def delayed_copies(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With delays of at most d, d + 1 copies of RW-FTPL have expected regret at most (d + 1) R(T / (d + 1)).

    R is RW-FTPL's bound. Delays are all d, or drawn before the game. Lazy is uniform play.
    """
    points, cells = [], cells_of(grid, "stream", "n", "T", "delay", "late")
    for where, stream, n, horizon, delay, kind in cells:
        key, gains = (seed, "late", stream, n, horizon, delay, kind), STREAMS[stream](horizon, n)
        delays = _delays(kind, delay, horizon, *key)
        noise, eta = SimulatedNoise(rng_for(*key, repetitions)), grid["eta"]

        def leader(copy: int, n: int = n, noise: SimulatedNoise = noise, eta: float = eta) -> RWFTPL:
            return RWFTPL(n, LOCAL, noise_scale=eta, noise=noise, repetitions=repetitions)

        actions = play(Delayed(leader, delay), gains, sensitivity=LOCAL.mu * eta, noise=noise, delays=delays)
        most = (delay + 1) * bound(eta, n, horizon) / math.sqrt(delay + 1)
        sample, lazy = static_regret(gains, actions), unlearned(gains)
        points.append(mean_point(where, sample, most, len(cells), trivial=horizon, lazy=lazy))
    return points


def _delays(kind: str, delay: int, horizon: int, *key: Any) -> int | list[int]:
    """Return by how many rounds reports are late: all the same, or drawn from 0 to d."""
    if kind == "all":
        return delay
    drawn: list[int] = rng_for(*key, "delays").integers(0, delay + 1, horizon).tolist()
    return drawn


def late_reports(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Told d rounds late, RW-FTPL's regret is larger by at most d times its switches without delay.

    It plays as without delay, d rounds later: that is asked of each copy, on the same noise.
    """
    points, cells = [], cells_of(grid, "stream", "n", "T", "delay")
    for where, stream, n, horizon, delay in cells:
        gains, key = STREAMS[stream](horizon, n), (seed, "told late", stream, n, horizon, delay)
        prompt, late = (_walk(gains, grid["eta"], repetitions, wait, *key) for wait in (0, delay))
        same = np.concatenate([np.repeat(prompt[:1], delay, axis=0), prompt])[:horizon] == late
        points.append(Point({**where, "of": "plays that differ"}, float((~same).sum()), 0.0))
        lost, count = static_regret(gains, late) - static_regret(gains, prompt), switches(prompt)
        most = delay * float(count.mean())
        _, low, high = (float(end) for end in mean_interval(lost - delay * count, intervals=len(cells)))
        notes = {"switches": float(count.mean())}
        sides, place = (float(lost.mean()), most, most + low, most + high), {**where, "of": "regret"}
        points.append(Point(place, *sides, notes=notes, trivial=float(horizon)))
    return points


def _walk(gains: Array, eta: float, repetitions: int, wait: int, *key: Any) -> Indices:
    """Return what RW-FTPL plays when each report comes so many rounds late."""
    noise, n = SimulatedNoise(rng_for(*key, repetitions)), gains.shape[1]
    leader = RWFTPL(n, LOCAL, noise_scale=eta, noise=noise, repetitions=repetitions)
    actions, reports = [], noisy_reports(gains, eta, noise, repetitions)
    for t in range(len(gains)):
        actions.append(leader.predict())
        if t >= wait:
            leader.update(next(reports))
    return np.array(actions)
