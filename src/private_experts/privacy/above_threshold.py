"""AboveThreshold, the sparse vector technique: tell when a query first exceeds a threshold, and pay once.

Dwork and Roth: The algorithmic foundations of differential privacy, Algorithm 1. [004, Lemma 2.4; S2, spec]
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP

Array = NDArray[np.float64]

_REACH = 40.0  # in units of a noise's scale; e^-40 is below the last bit of 1
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def accuracy(queries: int, epsilon: float, beta: float, sensitivity: float = 1.0) -> float:
    """Return how far off the answers are at most, all at once, with probability 1 - beta. [004, Lemma 2.4]

    ``8 sensitivity (log(queries) + log(2 / beta)) / epsilon``.
    """
    return 8 * sensitivity * (math.log(queries) + math.log(2 / beta)) / epsilon


class AboveThreshold:
    """Compares queries with a threshold of 0, both under noise, until one is above; then it is silent.

    The threshold's noise, of scale ``2 sensitivity / epsilon``, is drawn once; each query's, of scale
    ``4 sensitivity / epsilon``, anew. However many queries there are, the answers are epsilon-DP.

    Parameters
    ----------
    epsilon : float
        Privacy level.
    rng : numpy.random.Generator
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    sensitivity : float
        By how much one datum moves a query at most. It has to be true of the queries that `test` is given.

    Attributes
    ----------
    halted : ndarray of bool, shape (repetitions,)
        Where a query was above.

    Raises
    ------
    InputError
        When `epsilon` or `sensitivity` is not a positive number.
    """

    def __init__(
        self, epsilon: float, rng: np.random.Generator, repetitions: int = 1, sensitivity: float = 1.0
    ) -> None:
        for name, value in (("epsilon", epsilon), ("sensitivity", sensitivity)):
            if not 0 < value < math.inf:
                raise InputError(f"AboveThreshold: {name} = {value}: write a positive number")
        self.guarantee = PureDP(epsilon, "central")
        self.halted = np.zeros(repetitions, dtype=np.bool_)
        self._rng = rng
        self._scale = 2 * sensitivity / epsilon
        self._threshold = rng.laplace(scale=self._scale, size=repetitions)

    def test(self, queries: Array) -> NDArray[np.bool_]:
        """Ask the next queries and tell where one of them was above for the first time.

        Parameters
        ----------
        queries : ndarray, shape (repetitions,) or (repetitions, k)
            Several in a row are asked one after the other; ``-inf`` is never above.

        Returns
        -------
        ndarray of bool, shape (repetitions,)
            False where it had halted before.
        """
        several = queries.reshape(len(queries), -1)
        noisy = several + self._rng.laplace(scale=2 * self._scale, size=several.shape)
        above = (noisy >= self._threshold[:, None]).any(axis=1) & ~self.halted
        self.halted |= above
        return above

    def restart(self, which: NDArray[np.bool_]) -> None:
        """Begin anew in the repetitions `which`, with fresh noise; every beginning costs epsilon."""
        self._threshold[which] = self._rng.laplace(scale=self._scale, size=np.count_nonzero(which))
        self.halted[which] = False


def halting_law(queries: ArrayLike, epsilon: float, sensitivity: float = 1.0) -> Array:
    """Return the exact law of the first query that is found above, by quadrature over the threshold's noise.

    Parameters
    ----------
    queries : array_like, shape (k,)
    epsilon, sensitivity : float
        As of `AboveThreshold`.

    Returns
    -------
    ndarray, shape (k + 1,)
        The probabilities of halting at each query, and of not halting, to about 1e-13.
    """
    scale = 2 * sensitivity / epsilon
    q = np.asarray(queries, dtype=np.float64) / scale
    # In units of the threshold's scale. The integrand is smooth between 0 and the queries, on pieces of unit length.
    kinks = np.clip(np.append(q, 0.0), -_REACH, _REACH)
    edges = np.unique(np.concatenate([kinks, np.arange(-_REACH, _REACH + 1)]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    r = (middle[:, None] + half[:, None] * _NODES).ravel()
    weights = (half[:, None] * _WEIGHTS).ravel() * np.exp(-np.abs(r)) / 2
    away = (r[:, None] - q) / 2  # a query's noise has twice the scale
    tail = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, tail, 1 - tail)
    above = np.where(away < 0, 1 - tail, tail)
    alive = np.concatenate([np.ones((r.size, 1)), below.cumprod(axis=1)], axis=1)
    return np.asarray(weights @ np.concatenate([alive[:, :-1] * above, alive[:, -1:]], axis=1))
