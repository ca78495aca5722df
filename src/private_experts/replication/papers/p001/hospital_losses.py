"""P-COMW and its rivals on convex losses of real data: guessing hospitals' densities, report by report.

A round is one hospital's report of one week. The set is the interval of all densities, less a half, and the
loss is that of a guess: its distance from the density, or half of its square. Both are convex with slopes of
at most 1. [mathematics/001.md#rivals-on-hospitals]
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.private_oco.dp_ftrl import dp_ftrl_regulariser
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.rivals import NOISE, bounds, gibbs_rivals, noisy_sums
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import mean_interval

HALF = 0.5  # the interval is [-HALF, HALF]
CELLS = 128  # of the interval, in the middles of which Gibbs measures are summed
MIDDLES = (np.arange(CELLS) + 0.5) / CELLS - HALF


class Guess(NamedTuple):
    """What guesses x cost when y is reported, with its slope in x, and the best fixed guess."""

    loss: Callable[[Array], Array]  # of x - y
    slope: Callable[[Array], Array]
    best: Callable[[Array], float]


GUESSES = {
    "distance": Guess(np.abs, np.sign, lambda reports: float(np.median(reports))),
    "square": Guess(lambda apart: apart**2 / 2, lambda apart: apart, lambda reports: float(reports.mean())),
}


def totals_before(values: Array) -> Array:
    """Return the total losses (T, CELLS) before each round, of losses by round."""
    # Less the round's own loss: a draw does not see what it pays.
    totals: Array = values.cumsum(axis=0)
    totals -= values
    return totals


def gibbs_regret(values: Array, totals: Array, beta: float, lam: float) -> float:
    """Return the expected regret of Gibbs draws by round, from losses and totals before at the middles."""
    lost, regulariser = 0.0, lam * MIDDLES**2 / 2
    parts = 1 + len(values) // 1000  # each stays in the processor's cache
    for paid, before in zip(np.array_split(values, parts), np.array_split(totals, parts), strict=True):
        weights = before + regulariser
        # Relative to the least total, which grows with T: else all weights would underflow.
        weights -= weights.min(axis=1, keepdims=True)
        weights *= -beta
        np.exp(weights, out=weights)
        lost += float((np.einsum("tm,tm->t", weights, paid) / weights.sum(axis=1)).sum())
    return lost


def leader_losses(
    which: str,
    guesses: Sequence[Guess],
    reports: Array,
    level: float,
    repetitions: int,
    rng: np.random.Generator,
) -> Array:
    """Return DP-FTRL's losses of each kind, shape (guesses, repetitions), with its bound's regulariser.

    The slopes of each repetition are those at its own points, so they are added to the noise of sums of
    zeros. All kinds of losses meet the same noise.
    """
    sums = noisy_sums(which, len(reports), 1, level, repetitions, rng)
    lam = dp_ftrl_regulariser(NOISE[which](len(reports)), 1, level)
    slopes, lost = np.zeros((2, len(guesses), repetitions))
    nothing = np.zeros(1)
    for report in reports:
        # In one dimension the regularised leader is a clipped quotient.
        apart = np.minimum(np.maximum(-(slopes + sums.release()[:, 0]) / lam, -HALF), HALF) - report
        for guess, off, paid, slope in zip(guesses, apart, lost, slopes, strict=True):
            paid += guess.loss(off)
            slope += guess.slope(off)
        sums.add(nothing)
    return lost


def rivals_on_hospitals(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """In guessing densities, DP-FTRL loses less than P-COMW and fresh draws, though only these are tuned.

    DP-FTRL is played, and the others' losses are sums over the cells of the interval. Lazy is never to move.
    """
    level = float(calibrate_mu(epsilon=grid["epsilon"], delta=grid["delta"]))
    intervals = len(panels) * len(grid["loss"]) * len(grid["played"])
    points = []
    for state, panel in panels.items():
        reports = panel.density.ravel() - HALF  # weeks in order, and in each the hospitals
        leaders = {}
        for which in grid["played"]:
            rng = rng_for(seed, "rivals on hospitals", state, which, repetitions)
            guesses = [GUESSES[name] for name in grid["loss"]]
            lost = leader_losses(which, guesses, reports, level, repetitions, rng)
            leaders[which] = dict(zip(grid["loss"], lost, strict=True))
        for name in grid["loss"]:
            guess, horizon = GUESSES[name], len(reports)
            least = float(guess.loss(guess.best(reports) - reports).sum())
            # With the best fixed guess's share taken off, so that a sum of these is a regret.
            values = guess.loss(MIDDLES - reports[:, None]) - least / horizon
            others = gibbs_rivals(
                partial(gibbs_regret, values, totals_before(values)), horizon, 1, level, grid["factors"]
            )
            never = float(guess.loss(reports).sum()) - least
            notes = {**others, "T": horizon, "of a fixed point": never, **bounds(horizon, 1, level)}
            for which in grid["played"]:
                lost = leaders[which][name] - least
                mean, low, high = map(float, mean_interval(lost, intervals=intervals))
                where = {"state": state, "loss": name, "noise": which}
                points.append(
                    Point(
                        where, mean, min(others.values()), low, high, notes=notes, trivial=never, lazy=never
                    )
                )
    return points
