"""Hedge with a decreasing rate: a yardstick without privacy. [mathematics/000.md#hedge]"""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.inversion import experts_at
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_law
from private_experts.validation import generator

_AT_ONCE = 2**13  # numbers that are drawn together; they stay in the processor's cache


class Hedge(CentralAlgorithm):
    """Draws an expert each round with probability proportional to ``exp(rate * total gain)``.

    The rate of round t is ``2 sqrt(log(n) / t)``. On independent rounds its pseudo-regret is of order
    ``log(n) / gap``, although the gap is not known to it. (Mourtada and Gaïffas: On the optimality of the
    Hedge algorithm in the stochastic regime, JMLR 2019) [mathematics/000.md#hedge] Memory is 8 n bytes, or
    8 n for each repetition where they are told gains of their own.

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
    [0.51, 0.84, 1.0]
    """

    STATE = ("_totals", "_round", "_actions")

    def __init__(self, n: int, *, rng: np.random.Generator | int, repetitions: int = 1) -> None:
        super().__init__("Hedge", n, repetitions)
        self.guarantee = PureDP(math.inf, "central")
        self._rng = generator(rng, "Hedge")
        self._totals = np.zeros((1, n))  # of all copies, until they are told gains of their own
        self._round = 1
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    def predict(self) -> Indices:
        """Return experts drawn once in a round, shape (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            self._actions = (
                self._of_a_round() if len(self._totals) == 1 else self._drawn(self._totals[None])[0]
            )
        return self._actions.copy()

    def probabilities(self) -> Array:
        """Return the coming round's law of the expert, shape (repetitions, n), or (1, n) where all have one.

        See `BaseAlgorithm.probabilities`.
        """
        return exponential_law(self._totals, float(self._rates(1)[0]))

    def play_unchecked(self, rounds: Array) -> Indices:
        """Play many rounds at once. See `private_experts.algorithms.central.at_once`."""
        actions = np.empty((len(rounds), self.repetitions), dtype=np.intp)
        start = 0
        if self._actions is not None and len(rounds):  # the first round's were drawn before
            actions[0], start = self._actions, 1
            self.update_unchecked(rounds[0])
        together = max(1, _AT_ONCE // max(rounds[:1].size, self.repetitions))
        for first in range(start, len(rounds), together):
            part = rounds[first : first + together]
            totals = np.empty((len(part) + 1, *np.broadcast_shapes(part.shape[1:], self._totals.shape)))
            totals[0] = self._totals
            for before, gains, after in zip(totals, part, totals[1:], strict=False):
                np.add(before, gains, out=after)
            actions[first : first + together] = self._drawn(totals[:-1])
            self._totals, self._round = totals[-1].copy(), self._round + len(part)
        return actions

    def update_unchecked(self, gains: Array) -> None:
        """Add the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        self._totals = self._totals + gains
        self._round += 1
        self._actions = None

    def _of_a_round(self) -> Indices:
        """Do what `_drawn` does for one round and one law, with fewer calls."""
        exponents = 2 * math.sqrt(math.log(self.n) / self._round) * self._totals[0]
        sums = np.exp(exponents - exponents.max()).cumsum()
        found: Indices = sums.searchsorted((1 - self._rng.random((1, self.repetitions))[0]) * sums[-1])
        return found

    def _rates(self, count: int) -> Array:
        """Return the rates of coming rounds."""
        rates: Array = 2 * np.sqrt(math.log(self.n) / np.arange(self._round, self._round + count))
        return rates

    def _drawn(self, totals: Array) -> Indices:
        """Draw the experts (T, repetitions) of coming rounds, before which the totals are (T, rows, n)."""
        exponents = self._rates(len(totals))[:, None, None] * totals
        exponents -= exponents.max(axis=-1, keepdims=True)
        np.exp(exponents, out=exponents)
        return experts_at(exponents, self._rng.random((len(totals), self.repetitions)))
