"""Gibbs measures exp(-beta (l(x) + lam/2 |x|^2)) on the points of a grid, for any losses, in log space."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from private_experts.errors import InputError

Array = NDArray[np.float64]


class Law(Protocol):
    """A distribution of actions, one action a row."""

    def sample(self, rng: np.random.Generator, size: int) -> NDArray:
        """Draw `size` independent actions."""
        ...

    def log_density(self, actions: NDArray) -> Array:
        """Return the logarithms of the normalised density, shape (actions,)."""
        ...


class Family(Protocol):
    """The Gibbs measures of one set, beta and lam, indexed by the sum of the losses so far."""

    beta: float
    lam: float

    @property
    def nothing(self) -> Array:
        """The sum of no losses."""
        ...

    def law(self, total: Array) -> Law:
        """Return the Gibbs measure of a sum of losses."""
        ...


class GridGibbs:
    """Gibbs measures on the points of a grid. An action is the number of a point, a loss its values at the points.

    The grid with equal weights is a decision set in its own right. What holds for every reference measure holds on it
    exactly. What needs convexity holds up to the width of a cell. [mathematics/001.md#finite-sets]

    Parameters
    ----------
    points : ndarray, shape (m, d)
    beta : float
        Inverse temperature, positive.
    lam : float
        Strength of the quadratic regulariser, positive.

    Raises
    ------
    InputError
        When beta or lam is not positive.
    """

    def __init__(self, points: Array, beta: float, lam: float) -> None:
        check_positive(beta=beta, lam=lam)
        self.points, self.beta, self.lam = points, beta, lam
        self._regulariser = 0.5 * lam * (points**2).sum(axis=-1)

    @property
    def nothing(self) -> Array:
        """The sum of no losses, shape (m,)."""
        return np.zeros(len(self.points))

    def log_masses(self, totals: Array) -> Array:
        """Return the logarithms of the points' probabilities under sums of losses (..., m). [001, (3.1) to (3.3)]"""
        return np.asarray(log_softmax(-self.beta * (totals + self._regulariser), axis=-1))

    def laws(self, losses: Array) -> Array:
        """Return the log-probabilities of mu_1 to mu_T for losses (..., T, m); mu_t knows the first t - 1 of them."""
        totals = np.zeros_like(losses)
        np.cumsum(losses[..., :-1, :], axis=-2, out=totals[..., 1:, :])
        return self.log_masses(totals)

    def law(self, total: Array) -> "GridLaw":
        """Return the Gibbs measure of a sum of losses (m,)."""
        return GridLaw(self.log_masses(total))


class GridLaw:
    """A distribution on the numbers of m points."""

    def __init__(self, log_masses: Array) -> None:
        self.log_masses = log_masses
        self._cumulative = np.exp(log_masses).cumsum()

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.intp]:
        """Draw numbers of points, by inversion."""
        return np.searchsorted(self._cumulative, rng.random(size) * self._cumulative[-1], side="right")

    def log_density(self, actions: NDArray[np.intp]) -> Array:
        """Return the logarithms of the probabilities of points."""
        return self.log_masses[actions]


def check_positive(**values: float) -> None:
    """Refuse numbers that are not positive.

    Raises
    ------
    InputError
        When a number is not positive.
    """
    for name, value in values.items():
        if not value > 0:
            raise InputError(f"Gibbs measure: {name} = {value}: write a positive number")
