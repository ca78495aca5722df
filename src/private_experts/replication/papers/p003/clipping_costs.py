"""Clipping: the number of cells, the span of log-likelihoods, its cost. [003, equations 3-7 and 31]"""

from fractions import Fraction
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.clipping import Clipped, clip
from private_experts.distribution_learning.risk import kl
from private_experts.distribution_learning.scaling import log_span
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, log, log1p, precision
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.classes import dirichlet
from private_experts.replication.papers.p003.exact_classes import EXACT, INSTANCES, apart, clipped, cost
from private_experts.replication.papers.p003.worst_classes import CLIPPED, worst_cost

_ROUNDING = 1e-12
_LITTLE = Fraction(1, 10**9)  # the weight of the distribution that is sure of a label


def random_classes(experts: int, labels: int, instances: int, seed: int) -> Array:
    """Return random classes (instances, K, M). Half of the distributions lie just above multiples of 1/M."""
    rng = rng_for(seed, "classes", experts, labels, instances)
    f = dirichlet(instances * experts, labels, 0.5, rng)
    half = rng.multinomial(labels, f[: f.shape[0] // 2]) / labels
    # Just above a multiple of 1/M an expert has a cell more: the most that rounding up can cost.
    lifted = half + (half > 0) * 1e-4 / labels
    likeliest = np.arange(labels) == half.argmax(axis=-1)[:, None]
    f[: len(half)] = np.where(
        likeliest,
        half + half.sum(axis=-1, keepdims=True) - lifted.sum(axis=-1, keepdims=True) + 1e-4 / labels,
        lifted,
    )
    return f.reshape(instances, experts, labels)


def equation_7(grid: Grid, seed: int, printed: bool = False) -> list[Point]:
    """Clipping uses M to (K + 1) M cells, and clipped probabilities lie between 1 / (T (K + 1) M) and 1 / M.

    Classes with names are clipped without rounding, and the library's span is compared with theirs.
    """
    points = []
    for where, name, horizon in cells_of(grid, "class", "T"):
        sizes, values = clipped(EXACT[name], horizon)
        experts, labels = INSTANCES[name].shape
        most = experts if printed else experts + 1
        with precision():
            ends = min(map(min, values)), max(map(max, values))
            least, top = (ball(end.numerator) * labels / end.denominator for end in ends)
            span, bound = log(top / least), log(most * ball(horizon))
            points += [
                at_point({**where, "quantity": "cells"}, ball(sum(sizes)), ball(most * labels)),
                at_point({**where, "quantity": "cells"}, ball(sum(sizes)), ball(labels), sense=">="),
                at_point({**where, "quantity": "M x probability"}, top, ball(1)),
                at_point(
                    {**where, "quantity": "M x probability"}, least, 1 / (ball(horizon) * most), sense=">="
                ),
                at_point({**where, "quantity": "span"}, span, bound),
            ]
            if not printed:
                library, span_bound = clip(INSTANCES[name], horizon), log_span(experts, horizon)
                more = abs(float(library.total) - sum(sizes))
                same = float(np.log(library.values.max() / library.values.min()))
                points += [
                    at_point({**where, "quantity": "cells, library"}, ball(more), ball(0)),
                    agreement({**where, "quantity": "span, library"}, same, span, 1e-12),
                    agreement({**where, "quantity": "bound on it, library"}, span_bound, bound, 1e-12),
                ]
    for experts, labels, horizon in product(grid["K"], grid["M"], grid["T"]):
        classes = random_classes(experts, labels, grid["instances"], seed)
        points += _searched(clip(classes, horizon), grid["instances"], printed)
    return points


def _searched(cells: Clipped, instances: int, printed: bool) -> list[Point]:
    """Return the points of equation 7 at the worst of random classes, taken as exact binary numbers."""
    experts, labels = cells.values.shape[1:]
    most, horizon = experts + (not printed), cells.horizon
    ratios = cells.values.max(axis=(1, 2)) / cells.values.min(axis=(1, 2))
    where = {"class": f"worst of {instances}, K = {experts}, M = {labels}", "T": horizon}
    scaled = cells.values * labels
    with precision():
        rounding, bound = ball(_ROUNDING), most * ball(horizon)
        probability = {**where, "quantity": "M x probability"}
        return [
            at_point({**where, "quantity": "cells"}, ball(float(cells.total.max())), ball(most * labels)),
            at_point(
                {**where, "quantity": "cells"}, ball(float(cells.total.min())), ball(labels), sense=">="
            ),
            at_point(probability, rounded(scaled.max(), CLIPPED + 1), 1 + rounding),
            at_point(probability, rounded(scaled.min(), CLIPPED + 1), (1 - rounding) / bound, sense=">="),
            at_point({**where, "quantity": "span"}, log(rounded(ratios.max(), 2 * CLIPPED + 1)), log(bound)),
        ]


def equation_7_printed(grid: Grid, seed: int) -> list[Point]:
    """The same with KM cells and a smallest probability of 1 / (TKM). [mathematics/003.md#e003-1]"""
    return equation_7(grid, seed, printed=True)


def _costs(classes: Array, weights: Array, horizon: int) -> Array:
    """Return ``KL(f_1, mix) - KL(clipped f_1, clipped mix)`` for classes (..., K, M), weights (..., K)."""
    cells = clip(classes, horizon)
    mixture = (weights[..., None] * cells.values).sum(axis=-2) * cells.sizes
    return kl(classes[..., 0, :], mixture) - kl(cells.values[..., 0, :] * cells.sizes, mixture)


def clipping_cost(grid: Grid, seed: int, printed: bool = False) -> list[Point]:
    """Clipping adds up to 2 log((K + 1) T) / T - log(1 - 1/T) to a round's KL risk, 3 log((K + 1) T) in all.

    Values are for T rounds. One case is the worst of random classes and weights. The other has a sure label
    against all others, with nearly all weight on the others. Balls decide, and the library's cost of the
    latter is compared.
    """
    rng = rng_for(seed, "weights")
    points = []
    for horizon in grid["T"]:
        for labels in grid["M"]:
            points += _apart_cost(labels, horizon, printed)
        for experts, labels in product(grid["K"], grid["M"]):
            classes = random_classes(experts, labels, grid["instances"], seed)
            weights = rng.dirichlet(np.full(experts, 0.3), size=len(classes))
            where = {"class": f"worst of {grid['instances']}, K = {experts}, M = {labels}", "T": horizon}
            with precision():
                value = horizon * worst_cost(classes, weights, clip(classes, horizon))
                span = log((experts + (not printed)) * ball(horizon))
                second = span / (experts * labels) if printed else span
                bound = span + second - horizon * log1p(-1 / ball(horizon))
                points.append(at_point({**where, "quantity": "cost of clipping"}, value, bound))
    # for T = 2 and K = 1 both sides are log 4, and below q = 1/2 the difference begins with 1.6 / T
    if not printed:
        where, box = {"class": "none", "T": 0, "quantity": "- T log(1 - 1/T)"}, {"q": [1e-300, 0.5]}
        points.append(over_box(where, _smoothing, box, edges=[Edge("q", 0.5, 1)]))
        for horizon in grid["T"]:
            place, least = {**where, "T": horizon, "quantity": "log(2 T)"}, log_span(1, horizon, "proved")
            with precision():
                points.append(agreement(place, least, log(2 * ball(horizon)), 1e-12))
    return points


def _apart_cost(labels: int, horizon: int, printed: bool) -> list[Point]:
    """Return the points of a sure label against all others, with 1e-9 of the weight."""
    f, weights = apart(labels), [_LITTLE, 1 - _LITTLE]
    where = {"class": f"apart, M = {labels}", "T": horizon}
    with precision():
        # Nearly all weight on the others: there a sure label costs the most.
        value = horizon * cost(f, weights, horizon)
        span = log(ball(2 if printed else 3) * horizon)
        bound = span + (span / (2 * labels) if printed else span) - horizon * log1p(-1 / ball(horizon))
        points = [at_point({**where, "quantity": "cost of clipping"}, value, bound)]
        if not printed:  # a difference of logarithms, each rounded to about 1e-15, is multiplied by T
            classes, shares = (np.array(numbers, dtype=np.float64) for numbers in (f, weights))
            computed = horizon * float(_costs(classes, shares, horizon))
            place = {**where, "quantity": "cost of clipping, library"}
            points.append(agreement(place, computed, value, 1e-14 * horizon))
    return points


def _smoothing(q: Ball) -> tuple[Ball, Ball]:
    """Return -log(1 - q) and q log(2 / q), shares of ``-T log(1 - 1/T)``, ``log(2 T)`` at ``q = 1 / T``."""
    return -log1p(-q), q * (log(2) - log(q))


def clipping_cost_printed(grid: Grid, seed: int) -> list[Point]:
    """The same with log(KT) / T + log(KT) / (KTM), as printed in equation 31. [mathematics/003.md#e003-6]"""
    return clipping_cost(grid, seed, printed=True)
