"""Blocks of 2^k rounds of a phase, whose regret Algorithm 2 may test instead of all windows.

[mathematics/004.md#dyadic-windows]
"""

import math
from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.privacy.above_threshold import AboveThreshold


def shortest_block(horizon: int, thresholds: Callable[[int], Array]) -> int:
    """Return the length of the shortest blocks that are worth a query.

    It is the first power of two above its own threshold, or the last one up to T. A regret never exceeds the
    number of rounds, so shorter blocks could only raise false alarms, and each query makes all thresholds
    higher. Leaving them out loses nothing: their regret is below what they would be allowed. `thresholds`
    takes the number of queries asked in all, and returns the thresholds by number of rounds, shape (T + 1,).
    [mathematics/004.md#dyadic-windows]
    """
    size = 1
    # The threshold depends on the number of queries, and this on the size: so it is sought from below.
    while size <= horizon // 2 and thresholds(2 * horizon // size)[size] >= size:
        size *= 2
    return size


class DyadicBlocks:
    """Blocks of 2^k rounds of the phase, each tested once, at its end. [mathematics/004.md#dyadic-windows]

    Rounds of a phase are counted from 1, so the first block of each size lacks a round. `most_windows` is the
    largest number of windows that are looked at in all rounds together.
    """

    STATE = ("_gains", "_own", "_before", "_next")

    def __init__(self, n: int, horizon: int, repetitions: int, shortest: int = 1) -> None:
        self._sizes = 2 ** np.arange(int(math.log2(shortest)), int(math.log2(horizon + 1)) + 1)
        self.most_windows = 2 * horizon // shortest
        self._gains = np.zeros((1, 1, n))  # totals over all rounds so far
        self._own = np.zeros((repetitions, 1, 1))
        # regrets before the current block of each size
        self._before = np.zeros((repetitions, self._sizes.size, n))
        self._next = np.ones(repetitions, dtype=np.intp)  # position of the coming round in the phase

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Bools:
        """See `Windows.test`."""
        regrets, lengths = self.add(gains, own)
        return (
            above.test(regrets - thresholds[lengths])
            if regrets.shape[1]
            else np.zeros(own.size, dtype=np.bool_)
        )

    def add(self, gains: Array, own: Array) -> tuple[Array, Indices]:
        """Take in a round; return the regrets of the blocks that end with it, and their numbers of rounds.

        Regrets have shape (repetitions, k), and are ``-inf`` where no block ends; lengths (k,) or
        (repetitions, k).
        """
        # One row serves all copies until they first see streams of their own.
        if len(gains) > len(self._gains):
            self._gains = np.repeat(self._gains, len(gains), axis=0)
        self._gains += gains[:, None]
        self._own += own[:, None, None]
        self._next += 1
        # No block of the shortest size ends in any copy, so the work on all sizes is spared.
        if (self._next & self._sizes[0] - 1).all():
            return np.zeros((own.size, 0)), np.zeros(0, dtype=np.intp)
        largest = self._next & -self._next  # the largest block that ends; all smaller sizes end as well
        count = np.searchsorted(self._sizes, largest.max(), side="right")
        sizes, before = self._sizes[:count], self._before[:, :count]
        # Regret of a block is now minus before, so only totals are kept and no window of gains.
        now = self._gains - self._own
        regrets = (now - before).max(axis=2)
        ended = sizes <= largest[:, None]
        np.copyto(before, now, where=ended[:, :, None])
        # A phase counts its rounds from 1, so the block [0, size) has one round less, and a lower threshold.
        first = sizes == self._next[:, None]
        return np.where(ended, regrets, -np.inf), np.minimum(sizes - first, self._next[:, None] - 1)

    def steady(self, gains: Array, own: Array) -> int:
        """See `Windows.steady`: all of them, as nothing is foreseen."""
        return len(gains)

    def quiet(self, most: int, above: AboveThreshold) -> int:
        """See `Windows.quiet`: no block ends in them."""
        return min(most, int((-self._next - 1 & self._sizes[0] - 1).min()))

    def add_many(self, gains: Array, own: Array) -> None:
        """See `Windows.add_many`."""
        if gains.shape[1] > len(self._gains):
            self._gains = np.repeat(self._gains, gains.shape[1], axis=0)
        # In the order of the rounds, as sums one by one: both ways of playing must agree to the last bit.
        self._gains = np.add.reduce(np.concatenate([self._gains[None], gains[:, :, None]]))
        self._own = np.add.reduce(np.concatenate([self._own[None], own[..., None, None]]))
        self._next += len(gains)

    def restart(self, which: Bools, gains: Array, own: Array, keep: bool) -> None:
        """See `Windows.restart`."""
        self._before[which] = (self._gains - self._own)[which]
        self._next[which] = 1
        if keep:
            # The printed algorithm begins a phase with the round that ended the last one, so one round is
            # over already.
            self._next[which] = 2
            # The blocks that end with the first round are over, although no query was asked about them.
            self._before[which] -= np.where(
                self._sizes[:, None] > 2, (gains - own[:, None])[which, None], 0.0
            )
