"""Gibbs measures of losses that differ little: transport, density ratios, concentration. [001, Sections 3, B and D]

Everything is computed on fine grids of an interval and a disc, for random convex losses and for linear ones. Linear
losses shift Gaussians. Where the edge hardly truncates these, they attain the bounds.
[mathematics/001.md#gibbs-measures]
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from private_experts.convex.closeness import log_closeness
from private_experts.convex.domains import Ball, Box
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import random_slopes
from private_experts.convex.transport import largest_shift
from private_experts.randomness import rng_for
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

# Two from the origin to the nearest edge.
DOMAINS: dict[str, Box | Ball] = {"interval": Box((-2.0,), (6.0,)), "disc": Ball(2, 2.0)}
STEEPEST = {1: 10.0, 2: 1.0}  # largest slope of the common part of two losses, by dimension


def _convex(points: Array, lipschitz: float, pieces: int, rng: np.random.Generator) -> Array:
    """Return values (m,) of the maximum of `pieces` random linear functions that are G-Lipschitz."""
    dimension, span = points.shape[1], float(np.abs(points).max())
    slopes = random_slopes(pieces, dimension, lipschitz, rng) * rng.random((pieces, 1)) ** 0.5
    heights = lipschitz * span * rng.uniform(-1, 1, (pieces, 1))
    return np.asarray((slopes @ points.T + heights).max(axis=0))


def pairs(points: Array, lipschitz: float, instances: int, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Yield pairs of convex losses with a G-Lipschitz difference: the linear pair, then random, also steeper ones."""
    yield np.zeros(len(points)), lipschitz * points[:, 0]
    for number in range(instances):
        common = _convex(points, STEEPEST[points.shape[1]] * 10.0 ** rng.uniform(-2, 0), 4, rng)
        if number % 3 == 0:  # moved by a linear function
            yield common, common + lipschitz * rng.choice([-1, 1]) * points[:, 0]
        else:
            yield tuple(common + _convex(points, lipschitz / 2, number % 3, rng) for _ in range(2))  # type: ignore[misc]


def families(grid: Grid) -> Iterator[tuple[dict[str, Any], GridGibbs, bool]]:
    """Yield the cases of the grid: parameters, Gibbs measures, and whether the edge is far off for the linear pair.

    A disc gets as many cells as it needs, and is left out where these would be too many; see `with_unresolved`.
    """
    for name, beta, lam in product(grid["set"], grid["beta"], grid["lam"]):
        cells = _cells(grid, name, beta, lam)
        if cells <= grid["most_cells"][name]:
            far = 3 * grid["G"] / lam + 5 / np.sqrt(beta * lam) <= 2.0
            yield {"set": name, "beta": beta, "lam": lam}, GridGibbs(DOMAINS[name].grid(cells), beta=beta, lam=lam), far


def _cells(grid: Grid, name: str, beta: float, lam: float) -> int:
    """Return the cells along a side; on the disc, `fineness` (2) in the shortest length on which a density changes."""
    if name == "interval":
        return int(grid["cells"][name])
    finest = min(1 / np.sqrt(beta * lam), 1 / (beta * (STEEPEST[2] + grid["G"])))
    return max(int(grid["cells"][name]), int(np.ceil(grid.get("fineness", 2) * DOMAINS[name].diameter / finest)))


def with_unresolved(points: list[Point], grid: Grid) -> list[Point]:
    """Return points with a note that names the cases of the grid that have too many cells to be computed, if any."""
    cases = product(grid["set"], grid["beta"], grid["lam"])
    left = [
        f"{name}, beta {beta:g}, lambda {lam:g}"
        for name, beta, lam in cases
        if _cells(grid, name, beta, lam) > grid["most_cells"][name]
    ]
    return (
        [replace(point, notes={**point.notes, "not resolved": "; ".join(left)}) for point in points] if left else points
    )


def wasserstein(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Gibbs measures of losses with a G-Lipschitz difference are at most G / lam apart in W_inf.

    On the disc the shift of the mean, which is at most W_inf, takes its place; see `transport.disc`.
    [mathematics/001.md#wasserstein-lemma]
    """
    lipschitz, points = grid["G"], []
    for where, family, far in families(grid):
        rng, places = rng_for(seed, "wasserstein", *where.values()), family.points
        interval = where["set"] == "interval"
        width = float(places[1, 0] - places[0, 0]) if interval else 0.0
        edges = np.append(places[:, 0] - width / 2, places[-1, 0] + width / 2)
        shifts = []
        for pair in pairs(places, lipschitz, grid["instances"][where["set"]], rng):
            laws = family.log_masses(np.stack(pair))
            mean_shift = float(np.linalg.norm(np.diff(np.exp(laws) @ places, axis=0)))
            shifts.append(largest_shift(laws[0], laws[1], edges) if interval else mean_shift)
        unit, slack = lipschitz / family.lam, 2 * width + 1e-6  # a quantile is known up to a cell
        points.append(Point({**where, "pair": "worst"}, max(shifts), unit + slack))
        if far:
            points.append(Point({**where, "pair": "linear"}, shifts[0], 0.99 * unit - slack, sense=">="))
    return with_unresolved(points, grid)


def density_ratio(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Such measures are (Phi, delta)-close with log Phi = u^2 + u sqrt(2 log(2/delta)), and KL is at most u^2 / 2.

    The paper's proof bounds KL by u^2. Gaussians attain u^2 / 2. [mathematics/001.md#density-ratio-lemma]
    """
    lipschitz, points = grid["G"], []
    deltas = np.array(grid["delta"])
    for where, family, far in families(grid):
        u = lipschitz * np.sqrt(family.beta / family.lam)
        phis = np.array([log_closeness(u, delta) for delta in grid["delta"]])
        rng, tails, divergences = rng_for(seed, "density ratio", *where.values()), [], []
        for pair in pairs(family.points, lipschitz, grid["instances"][where["set"]], rng):
            one, two = family.log_masses(np.stack(pair))
            beyond = np.abs(one - two) > phis[:, None]
            tails.append(np.maximum(beyond @ np.exp(one), beyond @ np.exp(two)) / deltas)
            divergences += [float(np.exp(one) @ (one - two)), float(np.exp(two) @ (two - one))]
        for delta, tail in zip(grid["delta"], np.max(tails, axis=0).tolist(), strict=True):
            points.append(Point({**where, "quantity": "tail / delta", "delta": delta}, tail, 1.0))
        kl = float(max(divergences) / u**2)
        points.append(Point({**where, "quantity": "KL / u^2", "delta": ""}, kl, 0.5 + 1e-6, notes={"lemma": 1.0}))
        if far:
            value = float(divergences[0] / u**2)
            points.append(Point({**where, "quantity": "KL / u^2, linear", "delta": ""}, value, 0.499, sense=">="))
    return with_unresolved(points, grid)


def concentration(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """An L-Lipschitz function F has log E exp(s (F - E F)) at most s^2 L^2 / (2 beta lam), by Herbst's argument.

    Linear functions of a Gaussian attain it. The tail bound 2 exp(-c r^2 / (2 L^2)) follows by Markov's inequality
    and is checked as well. [mathematics/001.md#concentration]
    """
    lipschitz, points = grid["G"], []
    for where, family, far in families(grid):
        c, rng = family.beta * family.lam, rng_for(seed, "concentration", *where.values())
        scales = np.sqrt(c) / lipschitz * np.array([-3.0, -1.0, -0.3, 0.3, 1.0, 3.0])
        widths = lipschitz / np.sqrt(c) * np.linspace(0.2, 6, 30)
        moments, tails = [], []
        for number, (total, other) in enumerate(pairs(family.points, lipschitz, grid["instances"][where["set"]], rng)):
            law = family.log_masses(total)
            function = other - total if number % 2 == 0 else _convex(family.points, lipschitz, 3, rng)
            centred = function - np.exp(law) @ function
            logs = logsumexp(law + scales[:, None] * centred, axis=1)
            moments.append(float((logs / (scales**2 * lipschitz**2 / (2 * c))).max()))
            mass = (np.abs(centred) >= widths[:, None]) @ np.exp(law)
            tails.append(float((mass / (2 * np.exp(-c * widths**2 / (2 * lipschitz**2)))).max()))
        points.append(Point({**where, "quantity": "log moment / bound"}, max(moments), 1 + 1e-6))
        points.append(Point({**where, "quantity": "tail / bound"}, max(tails), 1.0))
        if far:
            points.append(Point({**where, "quantity": "log moment / bound, linear"}, moments[0], 0.999, sense=">="))
    return with_unresolved(points, grid)


def second_order(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """After the round that differs, log mu_{t+1}/mu_t and log mu'_{t+1}/mu'_t differ by at most 2 u^2 at any point.

    The difference does not depend on the point. A linear loss after opposite linear losses attains the bound.
    [mathematics/001.md#second-order-bound]
    """
    lipschitz, points = grid["G"], []
    for where, family, far in families(grid):
        u, rng = lipschitz * np.sqrt(family.beta / family.lam), rng_for(seed, "second order", *where.values())
        gaps = []
        for number, (total, other) in enumerate(
            pairs(family.points, 2 * lipschitz, grid["instances"][where["set"]], rng)
        ):
            if number == 0:
                loss = lipschitz * family.points[:, 0]
                total, other = total - loss, other - loss  # the mean moves from one side of the origin to the other
            else:
                loss = _convex(family.points, lipschitz, 1 + number % 3, rng)
            step = np.stack([total, other, total + loss, other + loss])
            one, two, one_next, two_next = family.log_masses(step)
            gaps.append(float(np.abs((two_next - two) - (one_next - one)).max()))
        points.append(
            Point({**where, "losses": "worst"}, float(max(gaps) / u**2), 2 + 1e-3, notes={"paper_route": 3.0})
        )
        if far:
            points.append(Point({**where, "losses": "linear"}, float(gaps[0] / u**2), 1.99, sense=">="))
    return with_unresolved(points, grid)
