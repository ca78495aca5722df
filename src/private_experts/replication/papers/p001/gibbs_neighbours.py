"""Gibbs measures of losses near each other: transport, ratios, concentration. [001, Sections 3, B and D]

Linear losses shift Gaussians and attain the bounds where the edge hardly truncates them.
[mathematics/001.md#gibbs-measures]
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from private_experts.private_oco.closeness import log_closeness
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    near,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.balls.piecewise_linear import exact
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.convex_losses import Maxima, linear
from private_experts.replication.papers.p001.measures import (
    DOMAINS,
    HIGH,
    LOW,
    Case,
    Measure,
    cases,
    on_interval,
    with_unresolved,
)
from private_experts.replication.papers.p001.scales import closeness
from private_experts.replication.papers.p001.shifts import Laws, furthest_quantiles
from private_experts.replication.papers.p001.transport import largest_shift

Sense = Literal["<=", ">="]

_CELLS = 10_000  # of the interval, for the library's distance


def _mean_shift(laws: Sequence[Measure], dimension: int) -> Ball:
    """Return how far the mean of one measure is from that of another."""
    one, two = laws
    along = [linear(1.0, dimension, k) for k in range(dimension)]
    return sqrt(sum((square(one.mean(coordinate) - two.mean(coordinate)) for coordinate in along), ball(0)))


def _quantiles_apart(
    where: Mapping[str, Any], laws: Sequence[Laws], unit: Any, bound: float, sense: Sense
) -> Point:
    """Return the evidence of the largest shift of a quantile, as a share of a unit; both ends are exact."""
    low, high = furthest_quantiles(laws, unit)
    return Point(where, (low + high) / 2, bound, low, high, sense, certified=True)


def _program(case: Case, pair: Sequence[Maxima], laws: Laws, unit: Any) -> Point:
    """Return how far the library's distance is off, against two cells (stated, not derived) and a step."""
    low, high = furthest_quantiles([laws], unit)
    edges = np.linspace(LOW, HIGH, _CELLS + 1)
    points = DOMAINS["interval"].grid(_CELLS)
    family = GridGibbs(points, beta=case.beta, lam=case.lam)
    one, two = family.log_masses(np.stack([loss.at(points) for loss in pair]))
    off, width = (
        abs(ball(largest_shift(one, two, edges)) / unit - ball(low, high)),
        ball(HIGH - LOW) / _CELLS / unit,
    )
    return at_point({**case.where, "pair": "program's"}, off, 2 * width + (high - low))


@precision()
def wasserstein(grid: Grid, seed: int) -> list[Point]:
    """Gibbs measures of losses with a G-Lipschitz difference are at most G / lam apart in W_inf.

    Values are shares of G / lam. On the disc the shift of the mean, which is at most W_inf, takes its place;
    see `wasserstein_disc.disc`. On the interval the library's distance of one pair is compared with its ball.
    [mathematics/001.md#wasserstein-lemma] [mathematics/001.md#interval-exactly]
    """
    points = []
    for case in cases(grid):
        rng, unit = rng_for(seed, "wasserstein", *case.where.values()), exact(grid["G"]) / exact(case.lam)
        pairs = list(case.pairs(grid["G"], grid["instances"], rng))
        worst, first = {**case.where, "pair": "worst"}, {**case.where, "pair": "linear"}
        if case.name == "interval":
            place = case.beta, case.lam
            laws = [(on_interval(one, *place), on_interval(two, *place)) for one, two in pairs]
            points.append(_quantiles_apart(worst, laws, unit, 1.0, "<="))
            # Attained up to what the edge cuts off.
            points += [_quantiles_apart(first, laws[:1], unit, 0.99, ">=")] if case.far else []
            points.append(_program(case, pairs[-1], laws[-1], unit))
        else:
            shifts = [_mean_shift(case.measures(*pair), case.dimension) / unit for pair in pairs]
            points.append(at_point(worst, largest(shifts), case.limit(1)))
            points += [at_point(first, shifts[0], ball(0.99), sense=">=")] if case.far else []
    return with_unresolved(points, grid)


def _closeness(case: Case, one: Maxima, two: Maxima, lipschitz: float, phis: Sequence[Ball]) -> list[Ball]:
    """Return the larger divergence of two directions, and the smaller, over u^2; the tail beyond log Phi."""
    first, second = case.measures(one, two)
    shares = [
        divergence / case.scale(lipschitz) ** 2
        for divergence in (first.divergence(second), second.divergence(first))
    ]
    tails = zip(first.ratio_tails(second, phis), second.ratio_tails(first, phis), strict=True)
    return [largest(shares), smallest(shares), *map(largest, tails)]


@precision()
def density_ratio(grid: Grid, seed: int) -> list[Point]:
    """Such measures are close with log Phi = u^2 + u sqrt(2 log(2/delta)), and KL is at most u^2 / 2.

    The paper's proof bounds KL by u^2. Gaussians attain u^2 / 2. The library's log Phi is compared with its
    ball. [mathematics/001.md#density-ratio-lemma]
    """
    points = []
    for case in cases(grid):
        u, rng = case.scale(grid["G"]), rng_for(seed, "density ratio", *case.where.values())
        phis = [closeness(u, -log(ball(delta))) for delta in grid["delta"]]
        pairs = case.pairs(grid["G"], grid["instances"], rng)
        # Bits are raised until the divergence is told from its bound, which linear losses nearly attain.
        numbers = [case.sharply(_closeness, 0.5, *pair, grid["G"], phis) for pair in pairs]
        divergences, _, *tails = zip(*numbers, strict=True)
        for delta, phi, tail in zip(grid["delta"], phis, tails, strict=True):
            where = {**case.where, "quantity": "tail / delta", "delta": delta}
            points.append(at_point(where, largest(tail) / delta, ball(1)))
            computed = log_closeness(near(u), delta)
            points.append(agreement({**where, "quantity": "library's log Phi"}, computed, phi, 1e-14))
        # At u^2 / 2, which is sharp: the lemma's u^2 would be met by twice as much.
        where = {**case.where, "quantity": "KL / u^2", "delta": ""}
        with precision(case.bits):
            points.append(at_point(where, largest(divergences), case.limit(0.5), {"lemma": 1.0}))
        if case.far:
            where = {**where, "quantity": "KL / u^2, linear"}
            points.append(at_point(where, numbers[0][1], ball(0.499), sense=">="))
    return with_unresolved(points, grid)


def _deviations(case: Case, total: Maxima, function: Maxima, lipschitz: float) -> list[Ball]:
    """Return the largest shares of their bounds that a function's log moments and its tails have."""
    (law,), c = case.measures(total), ball(case.beta) * case.lam
    mean, moments, tails = law.mean(function), [], []
    # In units in which the bound is k^2 / 2, and both signs, as a moment need not be symmetric.
    for s in (near(k * sqrt(c) / lipschitz) for k in (-3.0, -1.0, -0.3, 0.3, 1.0, 3.0)):
        bound = square(ball(s)) * lipschitz**2 / (2 * c)
        moments.append((law.log_moment(function, s) - s * mean) / bound)
    widths = [ball(k) * lipschitz / sqrt(c) for k in np.linspace(0.2, 6, 30).tolist()]
    for width, mass in zip(widths, law.tails(function, mean, widths), strict=True):
        tails.append(mass / tail_bound(c, width, lipschitz))
    return [largest(moments), largest(tails)]


def tail_bound(c: Ball, width: Ball, lipschitz: float) -> Ball:
    """Return the bound on the mass where a function is so far from its mean."""
    return 2 * exp(-c * square(width) / (2 * lipschitz**2))


@precision()
def concentration(grid: Grid, seed: int) -> list[Point]:
    """An L-Lipschitz function F has log E exp(s(F - E F)) at most s^2 L^2 / (2 beta lam) (Herbst).

    Linear functions of a Gaussian attain it. The tail bound 2 exp(-c r^2 / (2 L^2)) follows by Markov's
    inequality and is checked as well. [mathematics/001.md#concentration]
    """
    lipschitz, points = grid["G"], []
    for case in cases(grid):
        rng, numbers = rng_for(seed, "concentration", *case.where.values()), []
        for number, (total, other) in enumerate(case.pairs(lipschitz, grid["instances"], rng)):
            # Lipschitz functions need not be convex: a difference of losses is not.
            function = other - total if number % 2 == 0 else case.convex(lipschitz, 3, rng)
            numbers.append(case.sharply(_deviations, 1, total, function, lipschitz))
        moments, tails = zip(*numbers, strict=True)
        where = {**case.where, "quantity": "log moment / bound"}
        with precision(case.bits):
            points.append(at_point(where, largest(moments), case.limit(1)))
        points.append(at_point({**where, "quantity": "tail / bound"}, largest(tails), ball(1)))
        if case.far:
            where = {**where, "quantity": "log moment / bound, linear"}
            points.append(at_point(where, moments[0], ball(0.999), sense=">="))
    return with_unresolved(points, grid)


def _gap(case: Case, total: Maxima, other: Maxima, loss: Maxima, lipschitz: float) -> list[Ball]:
    """Return how far two measures are moved differently by a loss, in their log-ratio, over u^2."""
    laws = case.measures(total, other, total + loss, other + loss)
    one, two, one_next, two_next = (law.log_total for law in laws)
    return [abs((two_next - two) - (one_next - one)) / case.scale(lipschitz) ** 2]


@precision()
def second_order(grid: Grid, seed: int) -> list[Point]:
    """After a round differs, log mu_{t+1}/mu_t and log mu'_{t+1}/mu'_t differ by at most 2 u^2 anywhere.

    The difference does not depend on the point: it is one of four log-partition functions. A linear loss
    after opposite linear losses attains the bound. [mathematics/001.md#second-order-bound]
    """
    lipschitz, points = grid["G"], []
    for case in cases(grid):
        rng = rng_for(seed, "second order", *case.where.values())
        gaps: list[Ball] = []
        for number, (total, other) in enumerate(case.pairs(2 * lipschitz, grid["instances"], rng)):
            if number == 0:  # the mean moves from one side of the origin to the other
                loss = linear(lipschitz, case.dimension)
                total, other = total - loss, other - loss
            else:
                loss = case.convex(lipschitz, 1 + number % 3, rng)
            gaps += case.sharply(_gap, 2, total, other, loss, lipschitz)
        with precision(case.bits):
            points.append(
                at_point(
                    {**case.where, "losses": "worst"}, largest(gaps), case.limit(2), {"paper_route": 3.0}
                )
            )
        if case.far:
            points.append(at_point({**case.where, "losses": "linear"}, gaps[0], ball(1.99), sense=">="))
    return with_unresolved(points, grid)
