"""A sampler for densities of which only ratios are known: hit-and-run with a Metropolis step.

It is right only in the limit of many steps. No bound on its error is known here that could enter a privacy statement,
so its samples carry no guarantee. Its tests measure the error where the law is known.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.domains import Domain

Array = NDArray[np.float64]


def hit_and_run(
    log_density: Callable[[Array], Array], domain: Domain, start: Array, steps: int, rng: np.random.Generator
) -> Array:
    """Run independent chains: each step proposes a uniform point of the chord in a random direction.

    Parameters
    ----------
    log_density : callable
        Takes points (n, d) of the set and returns the log-density up to a constant, shape (n,).
    domain : Box or Ball
    start : ndarray, shape (n, d)
        Where each chain begins, inside the set.
    steps : int
        At least 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n, d)
        Where the chains are after the last step.
    """
    points, now = start, log_density(start)
    for _ in range(steps):
        directions = rng.standard_normal(points.shape)
        back, forth = domain.chord(points, directions)
        length = back + (forth - back) * rng.random(len(points))
        proposals = points + length[:, None] * directions
        then = log_density(proposals)
        taken = np.log(1 - rng.random(len(points))) < then - now
        points, now = np.where(taken[:, None], proposals, points), np.where(taken, then, now)
    return points
