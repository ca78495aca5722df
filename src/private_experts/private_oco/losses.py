"""Convex losses (T, m) on the points of a grid: streams fixed in advance, and one that knows the algorithm.

The adversary is still oblivious: it reacts to the law of the point, which does not depend on what was drawn.
"""

from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.validation import generator


def random_slopes(horizon: int, dimension: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return slopes of length `lipschitz` in independent uniform directions, shape (T, d)."""
    slopes = generator(rng, "losses").standard_normal((horizon, dimension))
    # A normal vector has a uniform direction.
    return np.asarray(lipschitz * slopes / np.linalg.norm(slopes, axis=-1, keepdims=True))


def linear(family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return linear losses in random directions.

    Parameters
    ----------
    family : GridGibbs
        Gibbs measures on the grid whose points the losses are for.
    horizon : int
        Number of rounds T, at least 1.
    lipschitz : float
        The Lipschitz constant G, at least 0.
    rng : numpy.random.Generator or int
        Source of the losses.

    Returns
    -------
    ndarray, shape (T, m)
        Values at the points.

    Examples
    --------
    >>> from private_experts.private_oco import Box, GridGibbs
    >>> from private_experts.private_oco.losses import linear
    >>> from private_experts.randomness import rng_for
    >>> family = GridGibbs(Box([-1.0], [1.0]).grid(4), beta=1.0, lam=1.0)
    >>> linear(family, 2, 1.0, rng_for(0, "losses")).round(2).tolist()
    [[-0.75, -0.25, 0.25, 0.75], [-0.75, -0.25, 0.25, 0.75]]
    """
    return random_slopes(horizon, family.points.shape[1], lipschitz, rng) @ family.points.T


def constant(family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return the same linear loss in each round; the best point lies on the edge. See `linear`."""
    return np.tile(lipschitz * family.points[:, 0], (horizon, 1))


def absolute(family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return distances from random points of the grid. See `linear`."""
    centres = family.points[generator(rng, "losses").integers(len(family.points), size=horizon)]
    return lipschitz * _distances(family.points, centres)


def quadratic(family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return squared distances from random points of the grid, scaled to be G-Lipschitz. See `linear`."""
    centres = family.points[generator(rng, "losses").integers(len(family.points), size=horizon)]
    squares = _distances(family.points, centres) ** 2
    # |x - c|^2 has slope 2 |x - c|, largest at the farthest point: scaled so that it is G there.
    return np.asarray(0.5 * lipschitz * squares / np.sqrt(squares.max(axis=-1, keepdims=True)))


def hinges(family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int) -> Array:
    """Return maxima of three randomly shifted linear functions, with kinks and flat parts. See `linear`."""
    rng = generator(rng, "losses")
    dimension, span = family.points.shape[1], float(np.abs(family.points).max())
    slopes = random_slopes(3 * horizon, dimension, lipschitz, rng) * rng.random((3 * horizon, 1))
    pieces = slopes @ family.points.T + lipschitz * span * rng.uniform(-1, 1, (3 * horizon, 1))
    return np.asarray(pieces.reshape(horizon, 3, -1).max(axis=1))


def against_the_mean(
    family: GridGibbs, horizon: int, lipschitz: float, rng: np.random.Generator | int
) -> Array:
    """Return linear losses that punish the side of mu_t's mean, in one dimension its sign. See `linear`."""
    losses, total = np.zeros((horizon, len(family.points))), family.nothing
    for t in range(horizon):
        mean = np.exp(family.log_masses(total)) @ family.points
        length = float(np.linalg.norm(mean))
        # At a mean of 0 no side is favoured, and any direction is as bad.
        direction = mean / length if length > 1e-12 else np.eye(len(mean))[0]
        losses[t] = lipschitz * family.points @ direction
        total = total + losses[t]
    return losses


# by the names under which the claims ask for them
LOSSES: dict[str, Callable[[GridGibbs, int, float, np.random.Generator], Array]] = {
    "linear": linear,
    "constant": constant,
    "absolute": absolute,
    "quadratic": quadratic,
    "hinges": hinges,
    "against-the-mean": against_the_mean,
}


def _distances(points: Array, centres: Array) -> Array:
    """Return the distances of points (m, d) from centres (T, d), shape (T, m)."""
    squares = (centres**2).sum(axis=-1)[:, None] + (points**2).sum(axis=-1) - 2 * centres @ points.T
    # The expanded square may be negative by a rounding at equal points.
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
