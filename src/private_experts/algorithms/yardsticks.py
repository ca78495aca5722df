"""Two yardsticks for other algorithms: follow the leader of the true gains, and choose at random."""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import GaussianDP


class FollowTheLeader:
    """Plays the expert with the largest true total so far; no noise, no privacy."""

    def __init__(self, n: int, repetitions: int = 1) -> None:
        self.guarantee = GaussianDP(math.inf, "central")
        self._total = np.zeros(n)
        self._repetitions = repetitions

    def predict(self) -> NDArray[np.intp]:
        """Return the leader, the same for all repetitions, shape (repetitions,)."""
        return np.full(self._repetitions, self._total.argmax())

    def update(self, gains: NDArray[np.float64]) -> None:
        """Add the true gains of a round, shape (n,)."""
        self._total += gains


class Uniform:
    """Plays a fresh random expert each round. It ignores all gains, so it reveals nothing."""

    def __init__(self, n: int, rng: np.random.Generator, repetitions: int = 1) -> None:
        self.guarantee = GaussianDP(0.0, "local")
        self._n = n
        self._rng = rng
        self._repetitions = repetitions

    def predict(self) -> NDArray[np.intp]:
        """Return uniform draws, shape (repetitions,)."""
        return self._rng.integers(self._n, size=self._repetitions)

    def update(self, gains: NDArray[np.float64]) -> None:
        """Ignore the gains."""
