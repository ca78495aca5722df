"""Dyadic blocks: each block is played by the noisy leader of the block before."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import (
    exponential_law,
    exponential_mechanism,
    laplace_report_noisy_max,
    report_noisy_max_law,
)

Array = NDArray[np.float64]


class DyadicLeader:
    """Plays one expert in each block 2^m..2^(m+1)-1: the noisy leader of the block before.

    The first expert is drawn uniformly. A block's total gains are used for one selection and then forgotten. So a
    replaced gain vector moves the scores of one selection only, each by at most 1.
    [mathematics/002.md#dyadic-leader] [004, Algorithm 1]

    Parameters
    ----------
    n : int
        Number of experts.
    epsilon : float
        Privacy level that holds. The noise has scale ``2 / epsilon``. For this algorithm the scale ``1 / epsilon`` is
        printed elsewhere; that is ``DyadicLeader(n, 2 * epsilon, ...)`` here, whose guarantee is ``2 * epsilon``.
        [mathematics/002.md#e002-1]
    rng : numpy.random.Generator
        Source of the noise. Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    selection : {"laplace", "gumbel"}
        The law of the noise. Laplace noise is report-noisy-max. Gumbel noise is the exponential mechanism with rate
        ``epsilon / 2``.

    Raises
    ------
    InputError
        When `epsilon` is not a positive number or the selection is unknown.
    """

    def __init__(
        self,
        n: int,
        epsilon: float,
        rng: np.random.Generator,
        repetitions: int = 1,
        selection: Literal["laplace", "gumbel"] = "laplace",
    ) -> None:
        if not 0 < epsilon < np.inf:
            raise InputError(f"privacy level epsilon = {epsilon}: write a positive number")
        if selection not in ("laplace", "gumbel"):
            raise InputError(f"selection {selection!r}: write laplace or gumbel")
        self.guarantee = PureDP(epsilon, "central")
        self._rng = rng
        self._selection = selection
        self._scores = np.zeros((repetitions, n))
        self._leader = np.zeros(repetitions, dtype=np.intp)
        self._length = np.ones(repetitions, dtype=np.intp)  # of the current block
        self._played = np.zeros(repetitions, dtype=np.intp)  # rounds of the current block so far
        self._counted = np.ones(repetitions, dtype=np.intp)  # length of the prefix that counts
        self.restart(np.ones(repetitions, dtype=np.bool_))

    def predict(self) -> NDArray[np.intp]:
        """Return the experts of the coming round, shape (repetitions,)."""
        return self._leader.copy()

    def update(self, gains: Array) -> None:
        """Add the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        np.add(self._scores, gains, out=self._scores, where=(self._played < self._counted)[:, None])
        self._played += 1
        ended = self._played == self._length
        if ended.any():
            self._begin(ended, 2 * self._length[ended])

    def restart(self, which: NDArray[np.bool_]) -> None:
        """Forget everything in the repetitions `which`, shape (repetitions,). The next round is their first.

        The time of a restart must not depend on protected data, unless its own privacy cost is accounted for.
        """
        self._scores[which] = 0.0
        self._begin(which, np.ones(np.count_nonzero(which), dtype=np.intp))

    def select(self, scores: Array) -> NDArray[np.intp]:
        """Return an expert for each of the scores (..., n), shape (...)."""
        if self._selection == "laplace":
            return laplace_report_noisy_max(scores, 2 / self.guarantee.epsilon, self._rng)
        return exponential_mechanism(scores, self.guarantee.epsilon / 2, self._rng)

    def law(self, scores: Array, counts: NDArray[np.intp] | None = None) -> Array:
        """Return the probabilities of `select`, shape (..., n). `counts` says how many experts share each score."""
        if self._selection == "laplace":
            return report_noisy_max_law(scores, 2 / self.guarantee.epsilon, counts)
        return exponential_law(scores, self.guarantee.epsilon / 2, counts)

    def shortest_prefix(self, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the length of the shortest prefix that may be used of a block: here the whole block.

        The length used is drawn uniformly between this and the whole block, before the block is seen.
        """
        return lengths

    def _begin(self, which: NDArray[np.bool_], lengths: NDArray[np.intp]) -> None:
        self._leader[which] = self.select(self._scores[which])
        self._scores[which] = 0.0
        self._played[which] = 0
        self._length[which] = lengths
        self._counted[which] = self._rng.integers(self.shortest_prefix(lengths), lengths + 1)
