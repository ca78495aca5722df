"""The exact privacy of Algorithm 1's vector, beside what composition promises. [003, Lemmas 2 and 3]"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.label_composition import advanced, basic_or_advanced, coordinate_level
from private_experts.distribution_learning.vector_privacy import coordinates, delta_at, delta_bounds, level_at
from private_experts.privacy.guarantees import ApproximateDP
from private_experts.replication.balls.balls import Ball, ball, flint, log, precision, rational, sqrt
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.laplace_sums import together
from private_experts.replication.papers.p003.named import EXACT, Fractions
from private_experts.replication.papers.p003.vector_level import is_private, report

_LIKELY = Fraction("0.95")


def _sure(experts: int) -> Fractions:
    """Return distributions that are each sure of a label of their own."""
    return [[Fraction(k == label) for label in range(experts)] for k in range(experts)]


_CLASSES: Mapping[str, Fractions] = {
    **EXACT,
    "sure, K = 2": _sure(2),
    "sure, K = 3": _sure(3),
    "needle, K = 3": [[_LIKELY, 1 - _LIKELY], [1 - _LIKELY, _LIKELY], [1 - _LIKELY, _LIKELY]],
}
_UP = 1  # of the two bounds of `delta_bounds`
_PARTS = (1, 2)  # of each interval between log-likelihoods, for the library's quadrature
_HALVINGS = 31  # of the epsilon asked for


def _upper(experts: int, shift: float, epsilon: float) -> float:
    return delta_bounds(experts, shift, epsilon)[_UP]


def _level(private: Callable[[Ball], bool | None], most: Ball) -> Ball:
    """Return a ball around the least level that is private, by bisection while balls decide; `most` has to be."""
    if not private(most):
        return flint().arb.nan()
    low, high = ball(0), most
    for _ in range(_HALVINGS):
        middle = ((low + high) / 2).mid()
        found = private(middle)
        if found is None:
            break
        low, high = (low, middle) if found else (middle, high)
    return low.union(high)


def _together_private(experts: int, shift: Ball, delta: Ball, epsilon: Ball) -> bool | None:
    """Tell whether so many Laplace mechanisms are (epsilon, delta)-DP, or None if balls do not decide."""
    found = together(experts, shift, epsilon)
    return True if found <= delta else False if found > delta else None


def vector_privacy(grid: Grid) -> list[Point]:
    """The exact level of Algorithm 1's report is at most that of K Laplace mechanisms, which is far below epsilon.

    The noise is taken for the binary number that the library has for it. All else is recomputed from fractions. The
    library's quadrature of the densities of all labels must give the same level and mass 1, with twice as many nodes as
    well. Its convolution for K mechanisms must give theirs. The notes have what basic and advanced composition promise.
    """
    points = []
    for name, horizon, epsilon in product(grid["class"], grid["T"], grid["eps"]):
        f, delta = _CLASSES[name], grid["delta"]
        experts, classes = len(f), np.array(f, dtype=np.float64)
        scaling = NoisyVector(experts, ApproximateDP(epsilon, delta, "local"), horizon=horizon).scaling
        by_nodes = [coordinates(classes, horizon, scaling.noise, parts) for parts in _PARTS]
        computed = [level_at(partial(delta_at, *each), delta, epsilon) for each in by_nodes]
        mass = max(
            (float(total) for densities, weights in by_nodes for total in densities @ weights),
            key=lambda total: abs(total - 1),
        )
        for_many = level_at(partial(_upper, experts, scaling.true_level), delta, epsilon)
        where = {"class": name, "K": experts, "T": horizon, "eps": epsilon}
        notes = {
            "basic_or_advanced": basic_or_advanced(experts, scaling.true_level, delta),
            "advanced": advanced(experts, scaling.true_level, delta),
        }
        with precision():
            noise, spent = ball(scaling.noise), ball(delta)
            shift = log(ball((experts + 1) * horizon)) / noise
            about = report(f, horizon, noise)
            level = _level(partial(is_private, about, delta=spent), ball(epsilon))
            for_all = _level(partial(_together_private, experts, shift, spent), ball(epsilon))
            share = for_all / ball(epsilon)
            points += [
                at_point({**where, "quantity": "level"}, level, for_all, notes),
                at_point({**where, "quantity": "level of Laplace mechanisms / eps"}, share, ball(grid["share"])),
                *(
                    agreement({**where, "quantity": "level, library", "parts": parts}, each, level, 1e-6)
                    for parts, each in zip(_PARTS, computed, strict=True)
                ),
                agreement({**where, "quantity": "mass, library"}, mass, ball(1), 1e-12),
                agreement({**where, "quantity": "level of Laplace mechanisms, library"}, for_many, for_all, 1e-6),
            ]
    return points


def vector_noise(grid: Grid) -> list[Point]:
    """With the given multiple of the stated noise Algorithm 1 is (epsilon, delta)-LDP for every class.

    The delta of K Laplace mechanisms has a closed form. The library's upper bound on it, from privacy losses that are
    rounded up to a grid, must be within a hundredth of it, and its level of a coordinate must be right.
    """
    points = []
    for where, experts, epsilon, delta in cells_of(grid, "K", "eps", "delta"):
        computed_level = coordinate_level(experts, epsilon, delta)
        computed = delta_bounds(experts, computed_level / grid["multiple"], epsilon, grid["steps"])[_UP]
        with precision():
            asked = ball(epsilon)
            level = asked / (2 * sqrt(-2 * experts * log(ball(delta))) + sqrt(experts * asked))
            true = together(experts, level / rational(str(grid["multiple"])), asked)
            points += [
                at_point({**where, "quantity": "delta"}, true, ball(delta), trivial=1.0),
                agreement({**where, "quantity": "delta, library"}, computed, true, 0.01),
                agreement({**where, "quantity": "level of a coordinate, library"}, computed_level, level, 1e-12),
            ]
    return points
