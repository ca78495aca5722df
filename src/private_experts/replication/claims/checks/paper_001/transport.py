"""The true infinite-order Wasserstein distance of Gibbs measures on a disc. [001, Section 3 and Appendix B]

[mathematics/001.md#transport]
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.transport import least_radius
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_001.convex_losses import pairs
from private_experts.replication.claims.checks.paper_001.measures import DOMAINS
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def disc(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On a disc too, measures of losses with a G-Lipschitz difference are at most G / lam apart in W_inf.

    A coupling moves mass from cell to cell, so a diagonal of a cell is allowed. The distance is exact on the grid up to
    the mass that rounding leaves over. The trivial bound is the diameter. [mathematics/001.md#transport]
    """
    points, domain = [], DOMAINS["disc"]
    for beta, lam in product(grid["beta"], grid["lam"]):
        family = GridGibbs(domain.grid(grid["cells"]), beta=beta, lam=lam)
        diagonal = 2**0.5 * domain.diameter / grid["cells"]
        rng, radii, shifts = rng_for(seed, "wasserstein disc", beta, lam), [], []
        for pair in pairs(2, float(np.abs(family.points).max()), grid["G"], grid["instances"], rng):
            one, two = np.exp(family.log_masses(np.stack([loss.at(family.points) for loss in pair])))
            radii.append(least_radius(one, two, family.points))
            shifts.append(float(np.linalg.norm((one - two) @ family.points)))
        where = {"beta": beta, "lam": lam}
        unit, notes = grid["G"] / lam, {"largest shift of the mean": max(shifts)}
        points.append(
            Point({**where, "pair": "worst"}, max(radii), unit + diagonal, trivial=domain.diameter, notes=notes)
        )
        points.append(Point({**where, "pair": "linear"}, radii[0], shifts[0] - 1e-5, sense=">=", trivial=0.0))
    return points
