"""The true infinite-order Wasserstein distance of Gibbs measures on a disc. [001, Section 3 and Appendix B]

Flows in whole units find it. A plan proves that a step is enough, and that nothing less is, a set of cells
with more mass than all cells within reach. [mathematics/001.md#transport]
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array, Bools
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, precision, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.cells import Cells, gibbs, mass, mean
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.convex_losses import pairs
from private_experts.replication.papers.p001.measures import DOMAINS
from private_experts.replication.papers.p001.transport import flow_graph, least_radius

Whole = NDArray[np.int32]

LEFT = 1e-6  # the mass that may stay where it is
_UNITS = 10**9  # of mass in all, below 2^31
_SAME = 1e-9  # distances are the same up to this
_APART = 1e-8  # how far the program's distance may be


@precision()
def disc(grid: Grid, seed: int) -> list[Point]:
    """On a disc too, measures of losses with a G-Lipschitz difference are at most G / lam apart in W_inf.

    A coupling moves mass from cell to cell, so a diagonal of a cell is allowed. The distance is exact on the
    grid, for plans that move all but a millionth of the mass. By as much of the diameter it may be below the
    shift of the mean. The trivial bound is the diameter. [mathematics/001.md#transport]
    """
    points, domain, off = [], DOMAINS["disc"], []
    for beta, lam in product(grid["beta"], grid["lam"]):
        family = GridGibbs(domain.grid(grid["cells"]), beta=beta, lam=lam)
        rng, steps, shifts = rng_for(seed, "wasserstein disc", beta, lam), [], []
        span = float(np.abs(family.points).max())
        for pair in pairs(2, span, grid["G"], grid["instances"], rng):
            losses = np.stack([loss.at(family.points) for loss in pair])
            one, other = np.exp(family.log_masses(losses))
            program = least_radius(one, other, family.points)
            laws = gibbs(losses, family.points, family.beta, family.lam)
            steps.append(least_step(laws[0], laws[1], family.points, program))
            shifts.append(shift(laws, family.points))
            off.append(abs(program - steps[-1]))
        across = ball(domain.diameter)
        unit, diagonal = ball(grid["G"]) / lam, sqrt(ball(2)) * across / grid["cells"]
        where, notes = {"beta": beta, "lam": lam}, {"largest shift of the mean": float(largest(shifts).mid())}
        worst, least = largest(steps), shifts[0] - LEFT * across
        points.append(
            at_point({**where, "pair": "worst"}, worst, unit + diagonal, notes, trivial=domain.diameter)
        )
        points.append(at_point({**where, "pair": "linear"}, steps[0], least, sense=">=", trivial=0.0))
    return [*points, at_point({"beta": 0.0, "lam": 0.0, "pair": "program's"}, largest(off), ball(_APART))]


def shift(laws: Cells, points: Array) -> Ball:
    """Return the distance of the means of two measures."""
    return sqrt(sum((square(np.subtract(*mean(laws, coordinate))) for coordinate in points.T), ball(0)))


def least_step(one: Cells, two: Cells, points: Array, guess: float) -> Ball:
    """Return a ball around the least r for which all but a millionth of the mass moves by at most r."""
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))
    radii = np.unique(np.round(apart, 9))
    units = whole(one.masses), whole(two.masses)
    if not _left(one, two, *units) <= LEFT:
        raise ValueError(f"on {len(points)} cells rounding to units leaves more than {LEFT} of the mass")

    def tried(place: int) -> tuple[Ball, Ball]:
        near = apart <= radii[place] + _SAME
        plan, source = flow(*units, near)
        if not near[plan.nonzero()].all():
            raise ValueError("a plan moves mass too far")
        return left_over(one, two, plan), mass(one, source) - mass(two, near[source].any(axis=0))

    place = min(int(np.searchsorted(radii, guess - _APART)), radii.size - 1)
    while place < radii.size - 1 and not tried(place)[0] <= LEFT:  # the largest step is always enough
        place += 1
    below = place - 1
    while below >= 0:
        stays, lacking = tried(below)
        if lacking > LEFT:
            break
        if stays <= LEFT:
            place = below
        below -= 1
    least = apart > radii[below] + _SAME if below >= 0 else apart >= 0
    ends = float(apart[least].min()), float(apart[apart <= radii[place] + _SAME].max())
    return ball(min(ends), max(ends)) * (1 + ball(-1, 1) * gamma(points.shape[1] + 3))


def whole(masses: Array) -> Whole:
    """Return masses in units, of which all are given out: those that were rounded down most get one more."""
    units = np.floor(masses * _UNITS)
    more = np.argsort(units - masses * _UNITS, kind="stable")[: _UNITS - int(units.sum())]
    units[more] += 1
    return np.asarray(units.astype(np.int32))


def flow(units: Whole, others: Whole, near: Bools) -> tuple[Any, Bools]:
    """Return the plan (m, m) in units that moves most to near cells, and the cells that more should leave."""
    from scipy.sparse import csr_array  # few who import this room need it
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    m = len(units)
    graph = flow_graph(units, others, near)
    moved = csr_array(maximum_flow(graph, 2 * m, 2 * m + 1).flow)
    left = graph - moved
    left.eliminate_zeros()
    reached = np.zeros(2 * m + 2, dtype=bool)
    reached[breadth_first_order(left, 2 * m, return_predecessors=False)] = True
    return moved[:m, m : 2 * m], reached[:m]


def left_over(one: Cells, two: Cells, plan: Any) -> Ball:
    """Return a bound on the mass that a plan in units leaves where it is, cut down to the mass there is."""
    if plan.nnz and plan.data.min() < 0:
        raise ValueError("a plan moves no less than nothing")
    return _left(one, two, *(np.asarray(plan.sum(axis=axis, dtype=np.int64)).ravel() for axis in (1, 0)))


def _left(one: Cells, two: Cells, away: NDArray[np.integer], here: NDArray[np.integer]) -> Ball:
    """Return the same from what a plan moves away from each cell, and what it brings there."""
    gaps = (
        np.maximum(one.masses - away / _UNITS, 0.0).sum() + np.maximum(here / _UNITS - two.masses, 0.0).sum()
    )
    wrong = one.error + two.error + one.lost + two.lost + 4 * gamma(2 * len(away) + 3)
    return ball(float(gaps)) + wrong
