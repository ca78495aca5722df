"""Randomised prefix: follow the noisy leader of a part of the last dyadic block whose length is drawn at random."""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.dyadic_leader import DyadicLeader


class RandomizedPrefix(DyadicLeader):
    """Plays through each block 2^m..2^(m+1)-1 an expert drawn from a prefix of the block before. [002, Section 4]

    The prefix ends at a round drawn uniformly from the block's second half, before the block is seen; the expert is
    drawn with probability proportional to ``exp((epsilon / 2) * gain)`` of its gain in the prefix. The expected
    pseudo-regret is at most ``1000 (log(n) / gap + log(n) / epsilon)`` for epsilon up to 1. [002, Theorem 1] With the
    whole block for a prefix it is ``DyadicLeader(..., selection="gumbel")``.

    Parameters
    ----------
    n : int
        Number of experts.
    epsilon : float
        Privacy level.
    rng : numpy.random.Generator
        As for `DyadicLeader`.
    repetitions : int
        Number of independent copies; each draws prefixes of its own.

    Raises
    ------
    InputError
        When `epsilon` is not a positive number.
    """

    def __init__(self, n: int, epsilon: float, rng: np.random.Generator, repetitions: int = 1) -> None:
        super().__init__(n, epsilon, rng, repetitions, selection="gumbel")

    def shortest_prefix(self, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many of a block's rounds count at least: one more than half of them."""
        return lengths // 2 + 1
