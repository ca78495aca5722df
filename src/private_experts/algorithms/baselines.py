"""Two yardsticks for other algorithms: follow the leader of the true gains, and choose at random."""

import math

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.central import CentralAlgorithm
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.validation import generator, whole


class FollowTheLeader(CentralAlgorithm):
    """Plays the expert with the largest true total so far, without privacy. [mathematics/000.md#yardsticks]

    Parameters
    ----------
    n : int
        Number of experts.
    repetitions : int
        Number of copies. They differ only where each has a stream of its own.

    Examples
    --------
    Two experts gain in turn. It always plays the one that gained last, and gains nothing at all:

    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import earned, play, streams
    >>> gains = streams.alternating(101, 2)[1:]  # expert 1 gains first
    >>> actions = play(FollowTheLeader(2), gains)
    >>> float(earned(gains, actions).sum()), float(gains.sum(axis=0).max())
    (0.0, 50.0)
    """

    STATE = ("_total",)

    def __init__(self, n: int, *, repetitions: int = 1) -> None:
        super().__init__("follow the leader", n, repetitions)
        self.guarantee = GaussianDP(math.inf, "central")
        self._total = np.zeros(n)

    def predict(self) -> Indices:
        """Return the leaders, shape (repetitions,). See `Algorithm.predict`."""
        return np.full(self.repetitions, self._total.argmax(axis=-1))

    def update_unchecked(self, gains: Array) -> None:
        """Add the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        # A sum out of place: gains of one row become those of all copies where copies see different streams.
        self._total = self._total + gains


class Uniform(BaseAlgorithm):
    """Plays a fresh random expert each round. It ignores all gains, so it reveals nothing.

    [mathematics/000.md#yardsticks]

    Parameters
    ----------
    n : int
        Number of experts.
    rng : numpy.random.Generator or int
        For the choices.
    repetitions : int
        Number of independent copies.

    Examples
    --------
    >>> from private_experts.algorithms import Uniform
    >>> from private_experts.randomness import rng_for
    >>> uniform = Uniform(4, rng=rng_for(0, "uniform"), repetitions=8)
    >>> uniform.predict().tolist(), str(uniform.guarantee)
    ([3, 0, 1, 0, 1, 3, 3, 3], '0-GDP (local)')
    """

    STATE = ("_actions",)

    def __init__(self, n: int, *, rng: np.random.Generator | int, repetitions: int = 1) -> None:
        n = whole(n, "random choice", "n")
        repetitions = whole(repetitions, "random choice", "repetitions")
        # Its actions do not depend on any data, which is 0-GDP, even where the gains are seen.
        self.guarantee = GaussianDP(0.0, "local")
        self._n = n
        self._rng = generator(rng, "random choice")
        self._repetitions = repetitions
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    def predict(self) -> Indices:
        """Return uniform draws, one a round, shape (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            self._actions = self._rng.integers(self._n, size=self._repetitions)
        return self._actions.copy()

    def probabilities(self) -> Array:
        """Return 1 / n for each expert, shape (1, n). See `BaseAlgorithm.probabilities`."""
        return np.full((1, self._n), 1 / self._n)

    def update(self, gains: Array) -> None:
        """Ignore the gains. See `Algorithm.update`."""
        self._actions = None
        self.rounds_played += 1
