"""The regret of RW-Meta against the best of learners that are fixed in advance, or react. [000, Theorem 3]"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.games.streams import STREAMS
from private_experts.learners.recorded import Recorded
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, noisy_reports
from private_experts.replication.papers.p000.meta import actions_of, agreement, leading
from private_experts.replication.papers.p000.reacting import bank
from private_experts.replication.papers.p000.sampled_points import mean_point
from private_experts.replication.papers.p000.shortfall import play_totals, regret_points


def printed_bound(eigenvalue: float, horizon: int, m: int) -> float:
    """Return Theorem 3's bound, for the leading eigenvalue of Sigma*_T."""
    spread = max(np.sqrt(2), np.sqrt(eigenvalue / horizon)) + np.sqrt(2)
    return float(spread * np.sqrt(2 * horizon * np.log(m)))


def theorem_3(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """RW-Meta's regret against the best learner is at most its bound, for actions fixed in advance.

    The cells are all combinations, and those of `singled_out`: there another choice between learners breaks
    the bound. For learners that react to the reports the bound is false. [mathematics/000.md#e000-6] Lazy is
    to draw a learner at random in each round.
    """
    cells = list(product(*(grid[name] for name in ("structure", "m", "T", "eta", "stream"))))
    cells += [tuple(cell) for cell in grid["singled_out"]]

    def point(structure: str, m: int, horizon: int, eta: float, stream: str) -> Point:
        rng = rng_for(seed, "theorem 3", structure, m, horizon, eta, stream, repetitions)
        gains = STREAMS[stream](horizon, m)
        advice = actions_of(structure, horizon, m, rng)
        # Fixed in advance: all repetitions get the same actions, whatever their reports were.
        wide = np.repeat(advice[:, :, None], repetitions, axis=2)
        meta = RWMeta([Recorded(wide)], LOCAL, rng=rng, decorrelation=Decorrelation())
        reports = noisy_reports(gains, eta, SimulatedNoise(rng), repetitions)
        gained = earned(gains, advice).sum(axis=0)
        best = gained.max()
        # Against the best in expectation, which is one learner for all repetitions, as actions are fixed.
        regret = best - earned(gains, play(meta, reports)).sum(axis=0)
        eigenvalue = leading(Decorrelation().covariance(eta**2 * agreement(advice)))
        bound = printed_bound(eigenvalue, horizon, m)
        where = {"structure": structure, "m": m, "T": horizon, "eta": eta, "stream": stream}
        notes, lazy = {"lambda": eigenvalue}, float(best - gained.mean())
        return mean_point(where, regret, bound, len(cells), notes=notes, trivial=float(horizon), lazy=lazy)

    return [point(*cell) for cell in cells]


def theorem_3_printed(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """RW-Meta's regret is at most Theorem 3's bound for learners that react to reports, which is false."""
    return [point for cells in grid["pairs"] for point in reacting(cells, repetitions, seed)]


def reacting(cells: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """RW-Meta's regret is at most Theorem 3's bound for two learners that react, joint over these cells.

    The eigenvalue is taken at its largest, ``eta^2 T m/2``, which makes the bound as large as it can be.
    """
    games = list(product(cells["learners"], cells["eta"], cells["T"]))
    points = []
    for name, eta, horizon in games:
        rng = rng_for(seed, "theorem 3 reacting", name, eta, horizon, repetitions)
        gains = np.tile([1.0, 0.0], (horizon, 1))
        reports = noisy_reports(gains, eta, SimulatedNoise(rng), repetitions)
        played = play_totals(
            bank(name, 2, 2, repetitions),
            # The learners come as one bank, whose actions are recorded; RW-Meta sees m of them.
            lambda learners: RWMeta([learners], LOCAL, rng=rng, decorrelation=Decorrelation()),  # noqa: B023
            gains,
            reports,
        )
        bound = printed_bound(eta**2 * horizon, horizon, 2)
        where = {"learners": name, "eta": eta, "T": horizon}
        points += regret_points(where, played, {"expectation": bound, "hindsight": bound}, len(games))
    return points
