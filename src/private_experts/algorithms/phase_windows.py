"""The windows of a phase whose regret Algorithm 2 tests: all of them, or blocks of 2^k rounds. [004, Algorithm 2]"""

from typing import Protocol

from private_experts.arrays import Array, Bools
from private_experts.privacy.above_threshold import AboveThreshold


class Windows(Protocol):
    """The regrets in several windows of the current phase, all of which end with the last round. [004, Algorithm 2]

    Attributes
    ----------
    asked : int
        The largest number of windows that are looked at in all rounds together.

    Examples
    --------
    Expert 0 gains in each round and expert 1 is played, and no window may show a regret above 2.5. AboveThreshold tells
    so once, and is silent until it is restarted:

    >>> import numpy as np
    >>> from private_experts.algorithms.all_windows import AllWindows
    >>> from private_experts.privacy import AboveThreshold, PureDP
    >>> from private_experts.randomness import rng_for
    >>> windows = AllWindows(2, horizon=8, repetitions=1)
    >>> above = AboveThreshold(PureDP(1000.0, "central"), rng=rng_for(0, "queries"))
    >>> [bool(windows.test(np.array([[1.0, 0.0]]), np.zeros(1), np.full(9, 2.5), above)[0]) for _ in range(4)]
    [False, False, True, False]
    """

    asked: int  # the largest number of windows that are looked at in all rounds together

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Bools:
        """Take in a round, and ask whether the regret of a window that ends with it is above its threshold.

        Parameters
        ----------
        gains : ndarray, shape (1, n) or (repetitions, n)
            The round's gains.
        own : ndarray, shape (repetitions,)
            The gains of the played experts.
        thresholds : ndarray, shape (T + 1,)
            By the window's number of rounds; from 1 on non-decreasing and concave.
        above : AboveThreshold
            Asked once for each window.

        Returns
        -------
        ndarray of bool, shape (repetitions,)
        """
        ...

    def restart(self, which: Bools, gains: Array, own: Array, keep: bool) -> None:
        """Forget all rounds in some repetitions.

        Parameters
        ----------
        which : ndarray of bool, shape (repetitions,)
            The repetitions to restart.
        gains : ndarray, shape (1, n) or (repetitions, n)
            The last round's gains, again.
        own : ndarray, shape (repetitions,)
            The gains of the experts that were played in it.
        keep : bool
            Whether the last round belongs to the new phase as well.
        """
        ...
