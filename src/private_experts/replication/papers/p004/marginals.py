"""Learners for rows of random bias, publishing noisy sums of the rows. [mathematics/004.md#marginal-learners]

A row says of each pair of experts which one is right. Gains of a pair that was played are 0, whatever the row
says.
"""

import math

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP


class ReleasedSums:
    """In a phase it publishes sums of rows 1, 2 to 3, 4 to 7 and so on, and plays the largest total's pair.

    A row moves one vector of sums, by at most 2 for each pair: by ``2 sqrt(pairs)`` in Euclidean length.
    """

    def __init__(self, n: int, phase: int, mu: float, rng: np.random.Generator, repetitions: int = 1) -> None:
        self.guarantee: GaussianDP | ApproximateDP = GaussianDP(mu, "central")
        self._noise = 2 * math.sqrt(n // 2) / mu
        self._phase = phase
        self._rng = rng
        self._shape = repetitions, n // 2
        self._round = 0
        self._actions = np.zeros(repetitions, dtype=np.intp)
        self._begin()

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,)."""
        rows = np.arange(self._shape[0])
        # A played pair's later gains are 0; noise of 1e-9 breaks ties among pairs without a published total.
        size = np.where(self._played, -1.0, np.abs(self._published) + 1e-9 * self._rng.random(self._shape))
        pair = size.argmax(axis=1)
        self._actions = 2 * pair + (self._published[rows, pair] < 0)
        return self._actions.copy()

    def update(self, gains: Array) -> None:
        """Take in the gains of a round, shape (repetitions, n)."""
        self._played[np.arange(self._shape[0]), self._actions // 2] = True
        self._sums += gains[:, ::2] - gains[:, 1::2]
        self._round += 1
        place = self._round % self._phase
        if not place:
            self._begin()
        # Places 1, 3, 7, ...: each row is in one published sum alone, so there is nothing to compose.
        elif place & (place + 1) == 0:
            self._publish()

    def _begin(self) -> None:
        self._played = np.zeros(self._shape, dtype=np.bool_)
        self._sums: Array = np.zeros(self._shape)
        self._published: Array = np.zeros(self._shape)

    def _publish(self) -> None:
        self._published += self._sums + self._noise * self._rng.standard_normal(self._shape)
        # Published rows are not published again.
        self._sums[:] = 0.0


class OnePairAtATime(ReleasedSums):
    """It plays the pairs in turn, and publishes of each its sum of all rows so far, just before it plays it.

    So a row of a phase of m rounds moves at most m - 1 numbers, each by at most 2, however the later ones are
    chosen.
    """

    def __init__(self, n: int, phase: int, mu: float, rng: np.random.Generator, repetitions: int = 1) -> None:
        super().__init__(n, phase, mu, rng, repetitions)
        # The first pair is played before any row of the phase, so a row moves m - 1 numbers at most.
        self._noise = 2 * math.sqrt(phase - 1) / mu

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,)."""
        pair = self._round % self._phase
        noisy_sum = self._sums[:, pair] + self._noise * self._rng.standard_normal(self._shape[0])
        self._actions = 2 * pair + (noisy_sum < 0)
        return self._actions.copy()

    def _publish(self) -> None:
        """Nothing is published by itself."""


class RevealedRows(ReleasedSums):
    """It reveals each row with probability delta, and plays the pair of the largest total of revealed rows.

    So a row changes the law of the plays with probability delta alone, which is (0, delta)-DP. Until a row is
    revealed all totals are 0, and it plays at random.
    """

    def __init__(
        self, n: int, phase: int, delta: float, rng: np.random.Generator, repetitions: int = 1
    ) -> None:
        super().__init__(n, phase, math.inf, rng, repetitions)
        self.guarantee = ApproximateDP(0.0, delta, "central")
        self._delta = delta

    def update(self, gains: Array) -> None:
        """Take in the gains of a round, shape (repetitions, n)."""
        revealed = self._rng.random((self._shape[0], 1)) < self._delta
        self._published += np.where(revealed, gains[:, ::2] - gains[:, 1::2], 0.0)
        super().update(gains)

    def _publish(self) -> None:
        """Nothing is published by itself."""
