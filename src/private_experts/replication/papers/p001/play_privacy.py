"""Exact privacy of whole plays, by every accounting. [001, Theorem 4.1]

The set is a needle: a box with one long side, along which all losses are linear. In many dimensions the
measures are narrow against it, so that the edge hides nothing. [mathematics/001.md#needles]
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.private_oco import gaussian_accounting
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.parameters import Parameters, private_parameters
from private_experts.private_oco.private_accounting import private_log_phi
from private_experts.replication.balls.balls import Ball, ball, largest, log, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.delta_curves import Lattice, Needle, epsilon_between
from private_experts.replication.papers.p001.loss_steps import loss_steps
from private_experts.replication.papers.p001.scales import mended_epsilon
from private_experts.replication.papers.p001.smoothed_delta import Smoothed

LONG_SIDE = 0.99  # the others are as short as the diameter 1 demands
_ROUNDING = 1e-12  # of the program's probabilities


def _gaussian(horizon: int, dimension: int, spent: float, delta: float, p: float | None = None) -> Parameters:
    return gaussian_accounting.lazy_private_parameters(
        horizon, dimension, float(calibrate_mu(epsilon=spent, delta=delta)), p
    )


def _every_round(horizon: int, dimension: int, spent: float, delta: float) -> Parameters:
    """Return the parameters of fresh draws, written as those of P-COMW with p = 1."""
    level = float(calibrate_mu(epsilon=spent, delta=delta))
    return Parameters(
        *gaussian_accounting.every_round_parameters(horizon, dimension, level), 0.0, 1.0, horizon - 1
    )


ACCOUNTINGS: dict[str, Callable[[int, int, float, float], Parameters]] = {
    "mended": private_parameters,
    "careful": partial(private_parameters, accounting="careful"),
    "gaussian": _gaussian,
    # most rounds draw whatever the loss, so that draws cost most
    "gaussian, p = 0.9": partial(_gaussian, p=0.9),
    "every round": _every_round,
}


def _slopes(horizon: int, change: int, before: float, after: float) -> Array:
    """Return the slopes (2, T) of two streams that are opposite in one round, and these around it."""
    slopes = np.where(np.arange(horizon) < change, before, after) * np.ones((2, 1))
    # At slope 1 and opposite: the farthest apart that neighbours may be.
    slopes[:, change] = 1.0, -1.0
    return slopes


class _OnGrid:
    """A play on a grid on the long side of the needle, on both orders of two streams of linear losses."""

    def __init__(self, play: Parameters, cells: int, slopes: Array) -> None:
        self._play, self._slopes = play, slopes
        self._points = Box((-LONG_SIDE / 2,), (LONG_SIDE / 2,)).grid(cells)
        rest = (play.beta, play.lam, play.log_phi, play.p)
        # Both orders, since delta is not symmetric in its two laws.
        self._steps = [loss_steps(self._points[:, 0], pair, *rest) for pair in (slopes, slopes[::-1])]

    def epsilon(self, delta: float, noise: float) -> Ball:
        """Return a ball around what the play gives away: the larger epsilon of both orders."""
        fresh = self._play.p == 1
        curves = (Lattice(steps) if fresh else Smoothed(steps, delta, noise) for steps in self._steps)
        return largest(epsilon_between(curve, delta) for curve in curves)

    def off_the_program(self) -> Ball:
        """Return how far the program's probabilities of draws and of keeping are from exact ones, at most."""
        program = GridGibbs(self._points, beta=self._play.beta, lam=self._play.lam)
        laws = program.laws(self._slopes[..., None] * self._points[:, 0])
        errors = []
        for law, steps in zip(laws, self._steps, strict=True):
            keep = keep_probabilities(law, self._play.log_phi, self._play.p)
            pairs = [
                (np.exp(law), steps.fresh.chances),
                (keep, steps.keep.chances if steps.keep.chances.size else 0.0),
            ]
            apart = max(float(np.abs(one - other).max()) for one, other in pairs) * (1 + gamma(2))
            errors.append(apart + steps.each_off)  # no probability is above 1
        return largest(errors)


def _streams_of(grid: Grid, horizon: int) -> Iterator[tuple[dict[str, Any], Array]]:
    """Yield where two streams differ, and their slopes (2, T)."""
    for share, before, after in grid["streams"]:
        change = int(share * (horizon - 1))
        where = {"change": change + 1, "slope before": before, "slope after": after}
        yield where, _slopes(horizon, change, before, after)


def whole_plays(grid: Grid) -> list[Point]:
    """The paths of a play are (epsilon, delta)-indistinguishable: their exact epsilon is as promised.

    It is that of plays without a budget, and at least that of plays with one. Fresh draws from narrow
    measures may give away all of it, so they are drawn from the needle itself and not from a grid.
    [mathematics/001.md#bounded-delta]
    """
    points, delta = [], grid["delta"]
    for accounting, horizon, promised, dimension in product(
        grid["accounting"], grid["T"], grid["epsilon"], grid["d"]
    ):
        play = ACCOUNTINGS[accounting](horizon, dimension, promised, delta)
        tight = play.p == 1 and dimension >= grid["narrow"]
        for place, slopes in _streams_of(grid, horizon):
            where = {
                "accounting": accounting,
                "T": horizon,
                "epsilon": promised,
                "d": dimension,
                **place,
            }
            with precision():
                allowed = ball(promised) * (1 + ball(grid["attained"]) if tight else 1)
                if tight:
                    needles = (
                        Needle(pair, play.beta, play.lam, LONG_SIDE / 2) for pair in (slopes, slopes[::-1])
                    )
                    spent = largest(epsilon_between(needle, delta) for needle in needles)
                else:
                    spent = _spent(play, grid, slopes, allowed)
                points.append(at_point(where, spent, allowed))
                if tight and place["change"] == 1:
                    least = ball(promised) * (1 - ball(grid["attained"]))
                    points.append(at_point({**where, "side": "below"}, spent, least, sense=">="))
    return points


def _spent(play: Parameters, grid: Grid, slopes: Array, allowed: Ball) -> Ball:
    """Return the epsilon of a play on a grid, with as little noise as decides whether it is allowed."""
    on_grid = _OnGrid(play, grid["cells"], slopes)
    for noise in grid["noise"]:
        spent = on_grid.epsilon(grid["delta"], noise)
        if spent <= allowed or spent > allowed:
            break
    return spent


def program_of_plays(grid: Grid) -> list[Point]:
    """The program's probabilities of draws and of keeping a point are those of the plays, on all streams."""
    points = []
    for accounting, horizon, promised, dimension in product(
        grid["accounting"], grid["T"], grid["epsilon"], grid["d"]
    ):
        play = ACCOUNTINGS[accounting](horizon, dimension, promised, grid["delta"])
        where = {"accounting": accounting, "T": horizon, "epsilon": promised, "d": dimension}
        with precision():
            off = largest(
                _OnGrid(play, grid["cells"], slopes).off_the_program()
                for _, slopes in _streams_of(grid, horizon)
            )
            points.append(at_point(where, off, ball(_ROUNDING)))
    return points


def privacy_theorem(grid: Grid) -> list[Point]:
    """At any scale u the exact epsilon of a play is at most the privacy theorem's, 1.5 eps' + sqrt(...)."""
    points, delta = [], grid["delta"]
    for horizon, dimension, u in product(grid["T"], grid["d"], grid["u"]):
        beta, lam = gibbs_parameters(horizon, dimension, u)
        log_phi, p = private_log_phi(u, horizon, delta), horizon ** (-1 / 3)
        # Without its budget of draws, which could only hide more.
        play = Parameters(beta, lam, log_phi, p, math.inf)
        for place, slopes in _streams_of(grid, horizon):
            with precision():
                allowed = mended_epsilon(ball(u), ball(horizon), -log(ball(delta)))
                spent = _spent(play, grid, slopes, allowed)
                points.append(at_point({"T": horizon, "d": dimension, "u": u, **place}, spent, allowed))
    return points
