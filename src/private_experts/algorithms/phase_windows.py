"""The windows of a phase that Algorithm 2 tests: all of them, or blocks of 2^k rounds. [004, Algorithm 2]"""

from typing import Protocol

from private_experts.arrays import Array, Bools
from private_experts.privacy.above_threshold import AboveThreshold


class Windows(Protocol):
    """The regrets in windows of the current phase, which all end with the last round. [004, Algorithm 2]"""

    most_windows: int  # the largest number of windows that are looked at in all rounds together

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Bools:
        """Take in a round, and ask whether the regret of a window that ends with it is above its threshold.

        Gains have shape (1 or repetitions, n), and those of the played experts, `own`, (repetitions,).
        Thresholds (T + 1,) are by a window's number of rounds, from 1 on non-decreasing and concave. `above`
        is asked once for each window.
        """
        ...

    def steady(self, gains: Array, own: Array) -> int:
        """Return how many of coming rounds, given as for `add_many`, grow no regret by more than is foreseen.

        `quiet` is about these alone. Where gains are in [0, 1] all rounds are such.
        """
        ...

    def quiet(self, most: int, above: AboveThreshold) -> int:
        """Return how many coming rounds, at most `most`, need no test, and draw what `test` draws in them."""
        ...

    def add_many(self, gains: Array, own: Array) -> None:
        """Take in rounds without a test: gains (rounds, 1 or repetitions, n), `own` (rounds, repetitions)."""
        ...

    def restart(self, which: Bools, gains: Array, own: Array, keep: bool) -> None:
        """Forget all rounds in some repetitions.

        Gains of the last round are given again. With `keep` this round belongs to the new phase as well.
        """
        ...
