"""What an adaptive adversary gains by seeing plays: nothing if weights hang on losses alone, else some."""

from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.arrays import Array
from private_experts.games.adaptive import FavouriteAdversary
from private_experts.games.regret import best_sequence, best_total
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, near, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.noisy_share_bounds import (
    adaptive_bound,
    comparator_noise,
    printed_step,
    sharper_bound,
)
from private_experts.replication.papers.p004.share_bounds import noisy_share, private_scale, private_step
from private_experts.replication.study.intervals import mean_interval

_BITS = 80

VECTORS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])  # the losses of two experts


def laws(horizon: int, switches: int, eta: float) -> list[Array]:
    """Return fixed share's law of rounds' experts: axes: losses so far, plays so far (length 1), it."""
    streams = VECTORS[np.indices((4,) * horizon).reshape(horizon, -1)]
    algorithm = FixedShare(
        2, horizon=horizon, switches=switches, eta=eta, rng=rng_for(0, "unused"), repetitions=streams.shape[1]
    )
    by_round = []
    for t, losses in enumerate(streams):
        every = np.broadcast_to(algorithm.weights, losses.shape).reshape(*(4,) * horizon, 2)
        # Weights before round t: the axes of later losses are cut, of plays there is one entry for all.
        past = every[(slice(None),) * t + (0,) * (horizon - t)]  # what comes later does not matter
        by_round.append(past.reshape((4,) * t + (1,) * t + (2,)))
        algorithm.update(1 - losses)
    return by_round


def values(horizon: int, switches: int, eta: float) -> tuple[Ball, Ball]:
    """Return the most expected regret over all adaptive adversaries and over fixed streams, trying all."""
    streams = np.indices((4,) * horizon).reshape(horizon, -1)
    losses = VECTORS[streams]
    best = np.take_along_axis(losses, best_sequence(1 - losses, switches)[..., None], axis=2).sum(axis=(0, 2))
    paid = np.zeros((4,) * horizon + (2,) * horizon)
    for t in range(horizon):
        shape = [1] * (2 * horizon)
        shape[t], shape[horizon + t] = 4, 2
        paid = paid + VECTORS.reshape(shape)
    # The comparison sequence is chosen at the end, from losses alone.
    adaptive = fixed = paid - best.reshape((4,) * horizon + (1,) * horizon)  # whole numbers
    weights = [np.frompyfunc(ball, 1, 1)(law) for law in laws(horizon, switches, eta)]
    larger = np.frompyfunc(lambda one, other: one.max(other), 2, 1)
    for t in range(horizon - 1, -1, -1):
        # Axes: losses of rounds 0..t, plays of rounds 0..t. The play is drawn, and the adversary chooses the
        # losses.
        law = weights[t].reshape(*weights[t].shape[:t], 1, *weights[t].shape[t:])
        adaptive = larger.reduce((adaptive * law).sum(axis=-1), axis=t)
    for t in range(horizon - 1, -1, -1):
        # A fixed stream is an axis that stays: only plays are averaged, and the maximum comes last.
        law = weights[t].reshape(*weights[t].shape[:t], *(1,) * (horizon - t), *weights[t].shape[t:])
        fixed = (fixed * law).sum(axis=-1)
    return ball(adaptive), largest(fixed.ravel())


@precision(_BITS)
def theorem_b1(grid: Grid) -> list[Point]:
    """Against fixed share without noise, the best adaptive adversary gains as much as the best fixed stream.

    Its weights are a function of the losses.
    """
    points = []
    for where, horizon, switches, eta in cells_of(grid, "T", "S", "eta"):
        adaptive, fixed = values(horizon, switches, eta)
        points.append(at_point(where, adaptive - fixed, ball(grid["tolerance"]), {"regret": near(fixed)}))
    return points


def largest_fixed(horizon: int, eta: float) -> float:
    """Return ``T / 2 + eta T (T - 1) / 8``, which no fixed stream of two experts exceedswith any noise."""
    return horizon / 2 + eta * horizon * (horizon - 1) / 8


def simulated_regret(
    horizon: int,
    switches: int,
    eta: float,
    scale: float,
    starts: list[int],
    memory: float,
    repetitions: int,
    *key: Any,
) -> Array:
    """Return the dynamic regret of Algorithm 3 against the adversary, with two experts, by repetition."""
    rng = rng_for(*key, horizon, switches, eta, scale, repetitions)
    algorithm = noisy_share(2, horizon, switches, eta, scale, rng, repetitions)
    adversary = FavouriteAdversary(2, starts, memory, repetitions)
    regret = np.full(repetitions, float(horizon))
    for _ in range(horizon):
        gains = adversary.gains()
        # Expected over the play, which has the same mean and less spread.
        regret -= (algorithm.weights * gains).sum(axis=1)
        # After the gains are chosen: it sees plays of the past only.
        adversary.answer(algorithm.predict())
        algorithm.update(gains)
    return regret


def adaptive_regret_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 3 loses no more to an adaptive adversary than to fixed streams. [mathematics/004.md#e004-10]

    The step, the floor and the noise are as printed, with two experts and one switch.
    """
    points = []
    for horizon, epsilon in grid["games"]:
        eta = printed_step(2, horizon, 1, epsilon)
        starts, memory = [round(grid["turn"] * horizon)], grid["memory"] * horizon**0.5
        regret = simulated_regret(
            horizon, 1, eta, 1 / epsilon, starts, memory, repetitions, seed, "seen plays"
        )
        mean, low, high = (float(end) for end in mean_interval(regret, intervals=len(grid["games"])))
        where = {"T": horizon, "epsilon": epsilon}
        points.append(Point(where, mean, largest_fixed(horizon, eta), low, high, trivial=float(horizon)))
    return points


def adaptive_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Against adaptive adversaries the mended Algorithm 3 has its regret on fixed streams, and a noise term.

    This term is what the noise may add up to along the comparison sequence. It is looked at by itself as
    well. Lazy is never to update: the adversary lets one of both experts gain 1, so half of the rounds are
    lost.
    """
    games = list(product(grid["T"], grid["S"], grid["epsilon"]))
    points = []
    for horizon, switches, epsilon in games:
        scale = private_scale(2, epsilon)
        eta = private_step(2, horizon, switches, scale)
        starts = np.linspace(0, horizon, switches + 2).round().astype(int)[1:-1].tolist()
        memory = grid["memory"] * horizon**0.5
        regret = simulated_regret(
            horizon, switches, eta, scale, starts, memory, repetitions, seed, "adaptive"
        )
        rng = rng_for(seed, "noise", horizon, switches, epsilon, repetitions)
        noise = rng.laplace(scale=scale, size=(horizon, grid["paths"], 2))
        # The comparison sequence may follow the noise when the adversary does, so the noise is taken at its
        # largest.
        largest = best_total(noise, switches)
        bounds = (
            adaptive_bound(2, horizon, switches, eta, scale),
            comparator_noise(2, horizon, switches, scale),
        )
        notes = {"bound_for_fixed_streams": sharper_bound(2, horizon, switches, eta, scale)}
        trivial = horizon, 0.75 * scale * horizon  # the larger of two noises has the mean 3/4 of their scale
        for what, sample, bound, without in zip(
            ("regret", "noise"), (regret, largest), bounds, trivial, strict=True
        ):
            mean, low, high = (float(end) for end in mean_interval(sample, intervals=2 * len(games)))
            where = {"what": what, "T": horizon, "S": switches, "epsilon": epsilon}
            lazy = horizon / 2 if what == "regret" else None
            points.append(
                Point(where, mean, bound, low, high, notes=notes, trivial=float(without), lazy=lazy)
            )
    return points
