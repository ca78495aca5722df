"""All windows of a phase that end with the last round, whose regret Algorithm 2 tests. [004, Algorithm 2]"""

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.above_threshold import AboveThreshold

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FAR = (
    40.0  # in scales of a query's noise: what is as much further from the threshold does not count beside the nearest
)


class AllWindows:
    """All windows of the phase that end with the last round. [mathematics/004.md#quiet-rounds]

    Most rounds need no look. Whether some query of a round is above is decided by one exponential variable: it is when
    the round's hazard exceeds it (`AboveThreshold.hazard`). A window's regret grows by at most 1 a round, and its
    threshold grows as well. So after a look at all windows a bound on the hazard is known for some rounds. Where the
    variable is above this bound, there is nothing to look at. Nothing is approximated but by rounding.

    Parameters
    ----------
    n : int
        Number of experts.
    horizon : int
        Number of rounds.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    asked : int
        An upper bound on the number of windows that are looked at in all rounds together.

    Examples
    --------
    Expert 1 is played throughout. Expert 0 gains in all rounds but the first, in which expert 1 does:

    >>> import numpy as np
    >>> from private_experts.algorithms.all_windows import AllWindows
    >>> windows = AllWindows(2, horizon=8, repetitions=1)
    >>> for gains in [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]:
    ...     windows.add(np.array([gains]), np.array([gains[1]]))
    >>> windows.regrets(np.array([0])).tolist()  # of the windows that begin with round 1, 2 and 3
    [[1.0, 2.0, 1.0]]
    """

    def __init__(self, n: int, horizon: int, repetitions: int) -> None:
        self.asked = horizon**2
        self._ahead = np.zeros((n, repetitions, horizon + 1))  # totals of gains less own gains, before each round
        self._first = np.zeros(repetitions, dtype=np.intp)  # how many rounds came before the phase
        self._bound = np.full(repetitions, np.inf)  # on the hazard of a round
        self._until = np.zeros(repetitions, dtype=np.intp)  # for which rounds it holds
        self._round = 0

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Mask:
        """See `Windows.test`."""
        self.add(gains, own)
        patience = above.patience()
        ends = np.zeros(own.size, dtype=np.bool_)
        rows = np.flatnonzero((patience < self._bound) | (self._until < self._round))
        if rows.size:
            ends[rows] = above.exceeds(self._look(rows, thresholds, above), patience, rows)
        return ends

    def add(self, gains: Array, own: Array) -> None:
        """Take in a round. Its gains and those of the played experts are as in `Windows.test`."""
        self._ahead[:, :, self._round + 1] = self._ahead[:, :, self._round] + (gains - own[:, None]).T
        self._round += 1

    def regrets(self, rows: NDArray[np.intp], start: int = 0) -> Array:
        """Return the regrets of windows that end with the last round.

        Parameters
        ----------
        rows : ndarray of int, shape (k,)
            The repetitions in question.
        start : int
            How many rounds come before the earliest window.

        Returns
        -------
        ndarray, shape (k, rounds so far - start)
            By the window's first round.
        """
        ends = self._ahead[:, rows, self._round]
        return np.asarray((ends[:, :, None] - self._ahead[:, rows, start : self._round]).max(axis=0))

    def restart(self, which: Mask, gains: Array, own: Array, keep: bool) -> None:
        """See `Windows.restart`."""
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
