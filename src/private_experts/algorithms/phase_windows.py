"""The windows of a phase whose regret Algorithm 2 tests: all of them, or blocks of 2^k rounds. [004, Algorithm 2]"""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.above_threshold import AboveThreshold

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FAR = (
    40.0  # in scales of a query's noise: what is as much further from the threshold does not count beside the nearest
)


class Windows(Protocol):
    """The regrets in several windows of the current phase, all of which end with the last round."""

    asked: int  # the largest number of windows that are looked at in all rounds together

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Mask:
        """Take in a round, and ask whether the regret of a window that ends with it is above its threshold.

        Parameters
        ----------
        gains : ndarray, shape (1, n) or (repetitions, n)
        own : ndarray, shape (repetitions,)
            The gains of the played experts.
        thresholds : ndarray, shape (T + 1,)
            By the window's number of rounds; from 1 on non-decreasing and concave.
        above : AboveThreshold

        Returns
        -------
        ndarray of bool, shape (repetitions,)
        """
        ...

    def restart(self, which: Mask, gains: Array, own: Array, keep: bool) -> None:
        """Forget all rounds in the repetitions `which`. With `keep` the last round, which is given again, is kept."""
        ...


def shortest_block(horizon: int, thresholds: Callable[[int], Array]) -> int:
    """Return the length of the shortest blocks that are worth a query.

    It is the first power of two above its own threshold, or the last one up to T. A regret never exceeds the number of
    rounds, so shorter blocks could only raise false alarms, and each query makes all thresholds higher. Leaving them
    out loses nothing: their regret is below what they would be allowed. [mathematics/004.md#dyadic-windows]

    Parameters
    ----------
    horizon : int
        Number of rounds T.
    thresholds : callable
        Takes the number of queries asked in all. Returns the thresholds by number of rounds, shape (T + 1,).
    """
    size = 1
    while size <= horizon // 2 and thresholds(2 * horizon // size)[size] >= size:
        size *= 2
    return size


class DyadicBlocks:
    """Blocks of 2^k rounds of the phase. Each is looked at once, when it ends.

    Rounds of a phase are counted from 1, so the first block of each size lacks a round.
    """

    def __init__(self, n: int, horizon: int, repetitions: int, shortest: int = 1) -> None:
        self._sizes = 2 ** np.arange(int(math.log2(shortest)), int(math.log2(horizon + 1)) + 1)
        self.asked = 2 * horizon // shortest
        self._gains = np.zeros((1, 1, n))  # totals over all rounds so far
        self._own = np.zeros((repetitions, 1, 1))
        self._before = np.zeros((repetitions, self._sizes.size, n))  # regrets before the current block of each size
        self._next = np.ones(repetitions, dtype=np.intp)  # position of the coming round in the phase

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Mask:
        """See `Windows`."""
        regrets, lengths = self.add(gains, own)
        return above.test(regrets - thresholds[lengths]) if regrets.shape[1] else np.zeros(own.size, dtype=np.bool_)

    def add(self, gains: Array, own: Array) -> tuple[Array, NDArray[np.intp]]:
        """Take in a round, and return the regrets of the blocks that end with it, and their numbers of rounds.

        Regrets have the shape (repetitions, k) and are ``-inf`` where no block ends. When no block ends anywhere, k is
        0. Numbers of rounds have the shape (k,) or (repetitions, k).
        """
        if len(gains) > len(self._gains):
            self._gains = np.repeat(self._gains, len(gains), axis=0)
        self._gains += gains[:, None]
        self._own += own[:, None, None]
        self._next += 1
        if (self._next & self._sizes[0] - 1).all():
            return np.zeros((own.size, 0)), np.zeros(0, dtype=np.intp)
        largest = self._next & -self._next  # the largest block that ends; all smaller sizes end as well
        count = np.searchsorted(self._sizes, largest.max(), side="right")
        sizes, before = self._sizes[:count], self._before[:, :count]
        now = self._gains - self._own
        regrets = (now - before).max(axis=2)
        ended = sizes <= largest[:, None]
        np.copyto(before, now, where=ended[:, :, None])
        first = sizes == self._next[:, None]
        return np.where(ended, regrets, -np.inf), np.minimum(sizes - first, self._next[:, None] - 1)

    def restart(self, which: Mask, gains: Array, own: Array, keep: bool) -> None:
        """See `Windows`."""
        self._before[which] = (self._gains - self._own)[which]
        self._next[which] = 1
        if keep:
            self._next[which] = 2
            # The blocks that end with the first round are over, although no query was asked about them.
            self._before[which] -= np.where(self._sizes[:, None] > 2, (gains - own[:, None])[which, None], 0.0)


class AllWindows:
    """All windows of the phase that end with the last round.

    Most rounds need no look. Whether some query of a round is above is decided by one exponential variable: it is when
    the round's hazard exceeds it (`AboveThreshold.hazard`). A window's regret grows by at most 1 a round, and its
    threshold grows as well. So after a look at all windows a bound on the hazard is known for some rounds. Where the
    variable is above this bound, there is nothing to look at. Nothing is approximated but by rounding.
    [mathematics/004.md#quiet-rounds]
    """

    def __init__(self, n: int, horizon: int, repetitions: int) -> None:
        self.asked = horizon**2
        self._ahead = np.zeros((n, repetitions, horizon + 1))  # totals of gains less own gains, before each round
        self._first = np.zeros(repetitions, dtype=np.intp)  # how many rounds came before the phase
        self._bound = np.full(repetitions, np.inf)  # on the hazard of a round
        self._until = np.zeros(repetitions, dtype=np.intp)  # for which rounds it holds
        self._round = 0

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Mask:
        """See `Windows`."""
        self.add(gains, own)
        patience = above.patience()
        ends = np.zeros(own.size, dtype=np.bool_)
        rows = np.flatnonzero((patience < self._bound) | (self._until < self._round))
        if rows.size:
            ends[rows] = above.exceeds(self._look(rows, thresholds, above), patience, rows)
        return ends

    def add(self, gains: Array, own: Array) -> None:
        """Take in a round."""
        self._ahead[:, :, self._round + 1] = self._ahead[:, :, self._round] + (gains - own[:, None]).T
        self._round += 1

    def regrets(self, rows: NDArray[np.intp], start: int = 0) -> Array:
        """Return the regrets of the windows that begin with the rounds from `start` on and end with the last one."""
        ends = self._ahead[:, rows, self._round]
        return np.asarray((ends[:, :, None] - self._ahead[:, rows, start : self._round]).max(axis=0))

    def restart(self, which: Mask, gains: Array, own: Array, keep: bool) -> None:
        """See `Windows`."""
        self._first[which] = self._round - 1 if keep else self._round
        self._until[which] = self._round

    def _look(self, rows: NDArray[np.intp], thresholds: Array, above: AboveThreshold) -> Array:
        """Return the hazard of this round in the repetitions `rows`, and bound that of the rounds to come."""
        start = int(self._first[rows].min())
        lengths = np.arange(self._round - start, 0, -1)
        margins = above.margins(self.regrets(rows, start) - thresholds[lengths], rows)
        margins[np.arange(start, self._round) < self._first[rows, None]] = np.inf
        nearest = np.maximum(margins.min(axis=1, keepdims=True), 0.0)
        kept = (margins < nearest + _FAR).any(axis=0)  # the others add less to the hazard than rounding does
        margins, lengths, left_out = margins[:, kept], lengths[kept], np.count_nonzero(~kept)
        now = above.hazard(margins)
        # A look in so many rounds, and whenever the bound is not enough: this many looks a round.
        rate, self._until[rows] = np.full(rows.size, np.inf), self._round
        better, rounds = np.arange(rows.size), 1
        while better.size:
            bound = self._bound_within(rounds, margins[better], lengths, thresholds, above, rows[better])
            bound += left_out * above.hazard(nearest[better] + _FAR - rounds / above.query_scale)
            better, bound = better[bound + 1 / rounds < rate[better]], bound[bound + 1 / rounds < rate[better]]
            rate[better] = bound + 1 / rounds
            self._bound[rows[better]], self._until[rows[better]] = bound, self._round + rounds
            rounds *= 2
        return now

    @staticmethod
    def _bound_within(
        rounds: int,
        margins: Array,
        lengths: NDArray[np.intp],
        thresholds: Array,
        above: AboveThreshold,
        rows: NDArray[np.intp],
    ) -> Array:
        """Return a bound on a round's hazard within so many rounds.

        Thresholds are concave, so when each round adds 1 to the regret, a margin is least at the beginning or at the
        end. That goes for windows that are yet to start as well.
        """
        last = thresholds.size - 1
        growth = rounds - thresholds[np.minimum(lengths + rounds, last)] + thresholds[lengths]
        old = above.hazard(margins - np.maximum(growth, 0.0) / above.query_scale)
        ends = np.array([1, min(rounds, last)])
        return np.asarray(old + rounds * above.hazard(above.margins(ends - thresholds[ends], rows)))
