"""Hedge with a decreasing rate: a yardstick without privacy. [mathematics/000.md#hedge]"""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_law, exponential_mechanism
from private_experts.validation import generator

_AT_ONCE = 2**13  # numbers that are drawn together; they stay in the processor's cache


class Hedge(CentralAlgorithm):
    """Draws an expert each round with probability proportional to ``exp(rate * total gain)``.

    The rate of round t is ``2 sqrt(log(n) / t)``. On independent rounds its pseudo-regret is of order
    ``log(n) / gap``, although the gap is not known to it. (Mourtada and Gaïffas: On the optimality of the
    Hedge algorithm in the stochastic regime, JMLR 2019) [mathematics/000.md#hedge]

    Parameters
    ----------
    n : int
        Number of experts.
    rng : numpy.random.Generator or int
        Where the draws come from.
    repetitions : int
        Number of independent copies.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms import Hedge
    >>> from private_experts.games import play
    >>> from private_experts.randomness import rng_for
    >>> hedge = Hedge(2, rng=rng_for(0, "draws"), repetitions=1000)
    >>> actions = play(hedge, np.tile([0.2, 0.8], (50, 1)))
    >>> [round(float(actions[t].mean()), 2) for t in (0, 4, 49)]  # share of the copies that play expert 1
    [0.48, 0.86, 1.0]
    """

    STATE = ("_totals", "_round", "_actions")

    def __init__(self, n: int, *, rng: np.random.Generator | int, repetitions: int = 1) -> None:
        super().__init__("Hedge", n, repetitions)
        self.guarantee = PureDP(math.inf, "central")
        self._rng = generator(rng, "Hedge")
        self._totals = np.zeros((repetitions, n))
        self._round = 1
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    def predict(self) -> Indices:
        """Return experts drawn once in a round, shape (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            self._actions = exponential_mechanism(self._totals, self._rate(), self._rng)
        return self._actions.copy()

    def _rate(self) -> float:
        return 2 * math.sqrt(math.log(self._totals.shape[1]) / self._round)

    def probabilities(self) -> Array:
        """Return the coming round's law of the expert (repetitions, n). See `BaseAlgorithm.probabilities`."""
        return exponential_law(self._totals, self._rate())

    def play_unchecked(self, rounds: Array) -> Indices:
        """Play many rounds at once. See `private_experts.algorithms.central.at_once`."""
        actions = np.empty((len(rounds), len(self._totals)), dtype=np.intp)
        start, together, scores = 0, max(1, _AT_ONCE // self._totals.size), np.empty_like(self._totals)
        if self._actions is not None and len(rounds):  # the first round's were drawn before
            actions[0], start = self._actions, 1
            self.update_unchecked(rounds[0])
        for first in range(start, len(rounds), together):
            part = rounds[first : first + together]
            # -log of an exponential is a Gumbel, so the largest score plus noise is a draw from the softmax.
            # as `exponential_mechanism`
            noise = np.log(self._rng.standard_exponential((len(part), *scores.shape)))
            for gains, of_round, named in zip(part, noise, actions[first:], strict=False):
                np.multiply(self._totals, self._rate(), out=scores)
                np.subtract(scores, of_round, out=scores).argmax(axis=-1, out=named)
                self.update_unchecked(gains)
        return actions

    def update_unchecked(self, gains: Array) -> None:
        """Add the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        self._totals += gains
        self._round += 1
        self._actions = None
