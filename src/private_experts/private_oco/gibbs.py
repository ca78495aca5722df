"""Gibbs measures exp(-beta (l(x) + lam/2 |x|^2)) on the points of a grid, for any losses, in log space."""

import math
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.private_oco.gaussian_levels import Steps, grid_steps
from private_experts.private_oco.slopes import Slopes
from private_experts.validation import check_steepness, checked_loss, checked_number


class Law(Protocol):
    """A distribution of actions, one action a row.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco.gibbs import GridLaw, Law
    >>> law: Law = GridLaw(np.log([0.25, 0.75]))
    >>> law.sample(np.random.default_rng(0), 2).shape
    (2,)
    """

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[Any]:
        """Draw independent actions, shape (size,) or (size, d)."""
        ...

    def log_density(self, actions: NDArray[Any]) -> Array:
        """Return the logarithms of the normalised density at k actions, shape (k,)."""
        ...


class Family(Protocol):
    """The Gibbs measures of one set, beta and lam, indexed by the sum of the losses so far.

    Attributes
    ----------
    beta : float
        Inverse temperature, positive.
    lam : float
        Strength of the quadratic regulariser, positive.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import Ball, LinearGibbs
    >>> from private_experts.private_oco.gibbs import Family
    >>> family: Family = LinearGibbs(Ball(2, 0.5), beta=2.0, lam=6.0)
    >>> family.nothing.tolist()
    [0.0, 0.0]
    """

    beta: float
    lam: float

    @property
    def nothing(self) -> Array:
        """The sum of no losses, all zeros, in the shape of a loss."""
        ...

    def accepted(self, loss: Array, lipschitz: float) -> Array:
        """Return a loss, values (m,) or a slope (d,), as floats if it fits the set and `lipschitz`."""
        ...

    def steps(self, lipschitz: float) -> Steps:
        """Return what draws and lotteries reveal when one G-Lipschitz loss is replaced by another."""
        ...

    def law(self, total: Array) -> Law:
        """Return the Gibbs measure of a sum of losses, in the shape of a loss."""
        ...


class GridGibbs(Described):
    """Gibbs measures on a grid. An action is the number of a point, a loss its values at the points.

    The grid with equal weights is a decision set in its own right. What holds for every reference measure
    holds on it exactly. What needs convexity holds up to the width of a cell. So guarantees on a grid do
    without: they need only that a loss varies by at most G times the grid's diameter, which is looked at.
    [mathematics/001.md#finite-sets]

    Parameters
    ----------
    points : ndarray, shape (m, d)
        The points of the set, such as the `grid` of a `Box` or `Ball`.
    beta : float
        Inverse temperature, positive.
    lam : float
        Strength of the quadratic regulariser, positive.

    Raises
    ------
    InputError
        When the points are no such array, or beta or lam is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import Box, GridGibbs
    >>> family = GridGibbs(Box([-1.0], [1.0]).grid(3), beta=2.0, lam=1.0)
    >>> loss = family.points[:, 0]  # the identity: the leftmost point is best
    >>> np.exp(family.log_masses(loss)).round(3).tolist()
    [0.675, 0.278, 0.047]
    """

    STATE = ()
    DERIVED = ("_slopes", "_diameter", "_regulariser")

    def __init__(self, points: Array, *, beta: float, lam: float) -> None:
        beta = checked_number("Gibbs measure: beta", beta, 0, ends=False)
        lam = checked_number("Gibbs measure: lam", lam, 0, ends=False)
        if not (
            isinstance(points, np.ndarray) and points.ndim == 2 and points.size and np.isfinite(points).all()
        ):
            shape = points.shape if isinstance(points, np.ndarray) else type(points).__name__
            raise InputError(
                f"points of a grid: {shape}: write an array of finite numbers, shape (points, dimension)"
            )
        self.points, self.beta, self.lam = points, beta, lam
        # Twice the largest distance from the middle bounds the diameter without a look at all pairs.
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        self._diameter = 2 * float(np.linalg.norm(points - middle, axis=-1).max())  # or more
        self._regulariser = 0.5 * lam * (points**2).sum(axis=-1)

    @property
    def nothing(self) -> Array:
        """The sum of no losses, shape (m,)."""
        return np.zeros(len(self.points))

    def accepted(self, loss: Array, lipschitz: float) -> Array:
        """Return a loss's values at the points; too steep a one is found in one dimension and along axes."""
        loss = checked_loss(loss, len(self.points), "the loss of each point")
        if lipschitz < math.inf:
            steepness = self._slopes.steepest(loss)
            # Pairs that are not compared may be steeper; the range over the diameter is a slope that some
            # pair surely has.
            if not self._slopes.miss_nothing:
                steepness = max(steepness, self._slope_of_range(float(np.ptp(loss))))
            if steepness > lipschitz:
                check_steepness(steepness - self._slopes.blur(loss), lipschitz)
        return loss

    def _slope_of_range(self, span: float) -> float:
        """Return the least slope that a function of this range may have."""
        return span / self._diameter if self._diameter else math.inf if span else 0.0

    @cached_property
    def _slopes(self) -> Slopes:
        return Slopes(self.points)

    def log_masses(self, totals: Array) -> Array:
        """Return log-probabilities of the points under sums of losses, (..., m). [001, (3.1) to (3.3)]"""
        exponents = -self.beta * (totals + self._regulariser)
        # For few points half of the time of SciPy's log_softmax is its look at what it was given.
        exponents -= exponents.max(axis=-1, keepdims=True)
        exponents -= np.log(np.exp(exponents).sum(axis=-1, keepdims=True))
        return np.asarray(exponents)

    def laws(self, losses: Array) -> Array:
        """Return the log-probabilities of mu_1 to mu_T, (..., T, m); mu_t rests on t - 1 losses."""
        totals = np.zeros_like(losses)
        # mu_t knows the losses before round t: shifted by one, and the first knows none.
        np.cumsum(losses[..., :-1, :], axis=-2, out=totals[..., 1:, :])
        return self.log_masses(totals)

    def steps(self, lipschitz: float) -> Steps:
        """Return what draws and lotteries reveal. See `Family.steps`."""
        return grid_steps(self.beta * lipschitz * self._diameter)

    def law(self, total: Array) -> "GridLaw":
        """Return the Gibbs measure of a sum of losses, shape (m,)."""
        return GridLaw(self.log_masses(total))


class GridLaw:
    """A distribution on the numbers of m points, by the logarithms of their probabilities."""

    def __init__(self, log_masses: Array) -> None:
        self.log_masses = log_masses
        # Not normalised: the draw is scaled by the last sum, so that rounding cannot point past the end.
        self._cumulative = np.exp(log_masses).cumsum()

    def sample(self, rng: np.random.Generator, size: int) -> Indices:
        """Draw numbers of points, by inversion. See `Law.sample`."""
        return np.asarray(
            np.searchsorted(self._cumulative, rng.random(size) * self._cumulative[-1], side="right")
        )

    def log_density(self, actions: Indices) -> Array:
        """Return the logarithms of the probabilities of points. See `Law.log_density`."""
        return self.log_masses[actions]
