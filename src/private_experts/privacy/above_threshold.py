"""AboveThreshold, the sparse vector technique: report the first query above a threshold, and pay for it once.

Dwork and Roth: The algorithmic foundations of differential privacy, Algorithm 1. [004, Lemma 2.4]
[mathematics/004.md#above-threshold]
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP

Array = NDArray[np.float64]

_REACH = 40.0  # in units of the noise's scale; e^-40 is below the last bit of 1
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def accuracy(queries: int, epsilon: float, beta: float, sensitivity: float = 1.0) -> float:
    """Return the accuracy alpha: with probability 1 - beta no answer is further off than this. [004, Lemma 2.4]

    ``8 sensitivity (log(queries) + log(2 / beta)) / epsilon``. Then queries that are called below are at most alpha,
    and the one that is called above is at least -alpha. [mathematics/004.md#lemma-2-4]
    """
    return 8 * sensitivity * (math.log(queries) + math.log(2 / beta)) / epsilon


class AboveThreshold:
    """Compares noisy queries with a noisy threshold of 0 until one is above. After that it is silent.

    The threshold's noise has the scale ``2 sensitivity / epsilon`` and is drawn once. Each query has its own noise, of
    scale ``4 sensitivity / epsilon``. However many queries there are, the answers are epsilon-DP.
    [mathematics/004.md#above-threshold-privacy]

    Parameters
    ----------
    epsilon : float
        Privacy level.
    rng : numpy.random.Generator
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    sensitivity : float
        The most by which one datum moves a query. The caller must make sure that the queries of `test` obey it.

    Attributes
    ----------
    halted : ndarray of bool, shape (repetitions,)
        In which repetitions a query was above.

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
        """Ask the next queries and return in which repetitions one of them was the first above the threshold.

        Parameters
        ----------
        queries : ndarray, shape (repetitions,) or (repetitions, k)
            Several in a row are asked one after the other. A query of ``-inf`` is never above.

        Returns
        -------
        ndarray of bool, shape (repetitions,)
            False in repetitions that had halted before.
        """
        several = queries.reshape(len(queries), -1)
        noisy = several + self._rng.laplace(scale=2 * self._scale, size=several.shape)
        above = (noisy >= self._threshold[:, None]).any(axis=1) & ~self.halted
        self.halted |= above
        return above

    @property
    def query_scale(self) -> float:
        """The scale of a query's noise."""
        return 2 * self._scale

    def margins(self, queries: Array, rows: NDArray[np.intp]) -> Array:
        """Return how far queries, (k,) or (rows, k), are below the noisy threshold, in units of `query_scale`.

        It depends on the threshold's noise, so nothing but `exceeds` may come of it.
        """
        return np.asarray((self._threshold[rows, None] - queries) / self.query_scale)

    @staticmethod
    def hazard(margins: Array) -> Array:
        """Return ``H = -sum log P(a query is not above)`` of queries with these `margins`, over the last axis.

        Given the threshold, the noises of the queries are independent. So none is above with probability ``exp(-H)``,
        with which a standard exponential variable exceeds H.
        """
        far = np.log1p(-np.exp(-np.abs(margins)) / 2)
        return np.asarray(np.where(margins < 0, math.log(2) - np.minimum(margins, 0.0), -far).sum(axis=-1))

    def patience(self) -> Array:
        """Draw the exponential variables for `exceeds`, one for each repetition."""
        return self._rng.standard_exponential(self.halted.size)

    def exceeds(self, hazard: Array, patience: Array, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Ask many queries at once in the repetitions `rows`, and return in which of them some query is above.

        The law is that of `test`, at the price of one random number: a query is above when the hazard exceeds the
        patience. Where it cannot, the queries need not be computed.
        """
        above = (patience[rows] < hazard) & ~self.halted[rows]
        self.halted[rows] |= above
        return np.asarray(above)

    def restart(self, which: NDArray[np.bool_]) -> None:
        """Start again in the repetitions `which`, with fresh noise. Every start costs epsilon."""
        self._threshold[which] = self._rng.laplace(scale=self._scale, size=np.count_nonzero(which))
        self.halted[which] = False


def halting_law(queries: ArrayLike, epsilon: float, sensitivity: float = 1.0) -> Array:
    """Return the exact law of the first query that is called above, by quadrature over the threshold's noise.

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
    # In units of the threshold's scale. The integrand is smooth between neighbours among 0 and the queries. These
    # intervals are cut into pieces of at most unit length.
    kinks = np.clip(np.append(q, 0.0), -_REACH, _REACH)
    edges = np.unique(np.concatenate([kinks, np.arange(-_REACH, _REACH + 1)]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    r = (middle[:, None] + half[:, None] * _NODES).ravel()
    weights = (half[:, None] * _WEIGHTS).ravel() * np.exp(-np.abs(r)) / 2
    away = (r[:, None] - q) / 2  # a query's noise has twice the threshold's scale
    tail = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, tail, 1 - tail)
    above = np.where(away < 0, 1 - tail, tail)
    alive = np.concatenate([np.ones((r.size, 1)), below.cumprod(axis=1)], axis=1)
    return np.asarray(weights @ np.concatenate([alive[:, :-1] * above, alive[:, -1:]], axis=1))
