"""Dyadic blocks: each block is played by the noisy leader of the block before."""

import math
from typing import ClassVar, Literal

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.arrays import Array, Bools, Indices
from private_experts.privacy.guarantees import PureDP, check_guarantee, of_simulated_noise
from private_experts.privacy.selection import (
    exponential_law,
    exponential_mechanism,
    laplace_report_noisy_max,
    report_noisy_max_law,
)
from private_experts.validation import check_word, checked_number, generator


class DyadicLeader(CentralAlgorithm):
    """Plays one expert in each block 2^m..2^(m+1)-1: the noisy leader of the block before.

    The first expert is drawn uniformly. A block's total gains are used for one selection and then forgotten.
    So a replaced gain vector moves the scores of one selection only, each by at most 1.
    [mathematics/002.md#dyadic-leader] [004, Algorithm 1]

    When the rounds are independent draws from one law of gains in [0, 1], the pseudo-regret is at most ``36
    log(n) / gap + 17.4 log(n) / epsilon + 11``, with 16 for Gumbel noise. [mathematics/002.md#whole-blocks]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP
        A central guarantee, with epsilon positive and finite. The noise has scale ``2 / epsilon``. For this
        algorithm the scale ``1 / epsilon`` is printed elsewhere; that is a guarantee of ``2 * epsilon`` here.
        [mathematics/002.md#e002-1]
    rng : numpy.random.Generator or int
        Source of the noise. Seeded noise is a simulation and protects nobody; see
        `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    selection : {"laplace", "gumbel"}
        The law of the noise. Laplace noise is report-noisy-max. Gumbel noise is the exponential mechanism
        with rate ``epsilon / 2``.
    moves_at_most_1 : bool
        The guarantee is about gain vectors that differ by at most 1 in each coordinate. For gains in [0, 1]
        these are all. With true here gains may be of any size, and that one person moves each by at most 1 is
        the caller's word.

    Raises
    ------
    InputError
        When the guarantee is not central pure privacy of a positive level, or the selection is unknown.

    Examples
    --------
    The blocks have 1, 2, 4, 8, ... rounds, and an expert is kept to the end of its block:

    >>> import numpy as np
    >>> from private_experts.algorithms import DyadicLeader
    >>> from private_experts.games import play
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> leader = DyadicLeader(2, PureDP(1.0, "central"), rng=rng_for(0, "selections"))
    >>> play(leader, np.tile([0.1, 0.9], (15, 1))).ravel().tolist()
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    STATE: ClassVar[tuple[str, ...]] = ("_scores", "_leader", "_length", "_played", "_counted")

    def __init__(
        self,
        n: int,
        guarantee: PureDP,
        *,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        selection: Literal["laplace", "gumbel"] = "laplace",
        moves_at_most_1: bool = False,
    ) -> None:
        super().__init__("dyadic leader", n, repetitions, largest=math.inf if moves_at_most_1 else 1.0)
        # Draws come from a seeded generator; the stated level would hold only for secret randomness.
        self.guarantee = of_simulated_noise(
            check_guarantee(guarantee, type(self).__name__, PureDP, "central")
        )
        checked_number("privacy level epsilon", guarantee.epsilon, 0, ends=False)
        check_word("selection", selection, "laplace", "gumbel")
        self._rng = generator(rng, "dyadic leader")
        self._selection = selection
        self._scores = np.zeros((repetitions, n))
        self._leader = np.zeros(repetitions, dtype=np.intp)
        self._length = np.ones(repetitions, dtype=np.intp)  # of the current block
        self._played = np.zeros(repetitions, dtype=np.intp)  # rounds of the current block so far
        self._counted = np.ones(repetitions, dtype=np.intp)  # length of the prefix that counts
        self.restart(np.ones(repetitions, dtype=np.bool_))

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        return self._leader.copy()

    def update_unchecked(self, gains: Array) -> None:
        """Add the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        # Only rounds of the prefix count. Its length was drawn before the block, so it is no function of the
        # data.
        np.add(self._scores, gains, out=self._scores, where=(self._played < self._counted)[:, None])
        self._played += 1
        ended = self._played == self._length
        if ended.any():
            self._begin(ended, 2 * self._length[ended])

    def play_unchecked(self, gains: Array) -> Indices:
        """Play many rounds, a block at once. See `at_once`."""
        actions, played = np.empty((len(gains), self.repetitions), dtype=np.intp), 0
        # A stretch ends where the first copy's block does: until then all leaders stay.
        while played < len(gains):
            part = gains[played : played + self.left]
            actions[played : played + len(part)] = self._leader
            self.add_unchecked(part)
            played += len(part)
        return actions

    @property
    def left(self) -> int:
        """How many rounds there are until a block ends in some repetition."""
        return int((self._length - self._played).min())

    def add_unchecked(self, gains: Array) -> None:
        """Take in rounds of which only the last may end a block, shape (T, n) or (T, repetitions, n)."""
        rounds = gains.reshape(len(gains), -1, self.n)
        counted = self._played + np.arange(len(rounds))[:, None] < self._counted
        shown = np.where(counted[..., None], rounds, 0.0)
        # A sum by another order of additions could change an argmax, and with it the play.
        # in the order of the rounds
        self._scores = np.add.reduce(np.concatenate([self._scores[None], shown]))
        self._played += len(rounds)
        ended = self._played == self._length
        if ended.any():
            self._begin(ended, 2 * self._length[ended])

    def restart(self, which: Bools) -> None:
        """Forget everything in some repetitions, so that the next round is their first.

        The time of a restart must not depend on protected data, unless its own privacy cost is accounted for.
        """
        self._scores[which] = 0.0
        self._begin(which, np.ones(np.count_nonzero(which), dtype=np.intp))

    def select(self, scores: Array) -> Indices:
        """Draw an expert for each vector of total gains, shape (..., n)."""
        if self._selection == "laplace":
            # A replaced vector moves two scores in opposite directions by 1 each, so the scale is 2 /
            # epsilon. [002.md#e002-1]
            return laplace_report_noisy_max(scores, 2 / self.guarantee.epsilon, self._rng)
        # The same factor of 2, for the same reason.
        return exponential_mechanism(scores, self.guarantee.epsilon / 2, self._rng)

    def law(self, scores: Array, counts: Indices | None = None) -> Array:
        """Return the probability of each expert under `select`; ``counts[i]`` experts share the score i."""
        if self._selection == "laplace":
            return report_noisy_max_law(scores, 2 / self.guarantee.epsilon, counts)
        return exponential_law(scores, self.guarantee.epsilon / 2, counts)

    def shortest_prefix(self, lengths: Indices) -> Indices:
        """Return the length of the shortest prefix that may be used of a block: here the whole block.

        The length used is drawn uniformly between this and the whole block, before the block is seen.
        """
        return lengths

    def _begin(self, which: Bools, lengths: Indices) -> None:
        self._leader[which] = self.select(self._scores[which])
        self._scores[which] = 0.0
        self._played[which] = 0
        self._length[which] = lengths
        self._counted[which] = self._rng.integers(self.shortest_prefix(lengths), lengths + 1)
