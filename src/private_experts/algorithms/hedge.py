"""Hedge with a decreasing rate: a yardstick without privacy. [mathematics/000.md#hedge]"""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_mechanism

Array = NDArray[np.float64]


class Hedge:
    """Draws an expert each round with probability proportional to ``exp(rate * total gain)``.

    The rate of round t is ``2 sqrt(log(n) / t)``. On independent rounds its pseudo-regret is of order
    ``log(n) / gap``, although the gap is not known to it. (Mourtada and Gaïffas: On the optimality of the Hedge
    algorithm in the stochastic regime, JMLR 2019)

    Parameters
    ----------
    n : int
        Number of experts.
    rng : numpy.random.Generator
        Where the draws come from.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, n: int, rng: np.random.Generator, repetitions: int = 1) -> None:
        self.guarantee = PureDP(math.inf, "central")
        self._rng = rng
        self._totals = np.zeros((repetitions, n))
        self._round = 1

    def predict(self) -> NDArray[np.intp]:
        """Return experts drawn afresh, shape (repetitions,)."""
        rate = 2 * math.sqrt(math.log(self._totals.shape[1]) / self._round)
        return exponential_mechanism(self._totals, rate, self._rng)

    def update(self, gains: Array) -> None:
        """Add the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        self._totals += gains
        self._round += 1
