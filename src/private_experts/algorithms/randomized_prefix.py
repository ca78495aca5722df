"""Randomised prefix: each block is played by the noisy leader of a random prefix of the block before."""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.dyadic_leader import DyadicLeader


class RandomizedPrefix(DyadicLeader):
    """Plays through each block 2^m..2^(m+1)-1 an expert drawn from a prefix of the block before. [002, Section 4]

    The prefix ends at a round drawn uniformly from the block's second half, before the block is seen. An expert is
    drawn with probability proportional to ``exp((epsilon / 2) * gain)``, where ``gain`` is its total in the prefix.

    The pseudo-regret is at most ``1000 (log(n) / gap + log(n) / epsilon)``. The paper proves it for epsilon up to 1
    [002, Theorem 1]; it holds for every epsilon [mathematics/002.md#range-of-epsilon]. With the whole block as prefix
    the algorithm is ``DyadicLeader(..., selection="gumbel")``. That has less regret in the long run, and where a
    selection's errors fall with the length of the prefix [mathematics/002.md#whole-block].

    Parameters
    ----------
    n : int
        Number of experts.
    epsilon : float
        Privacy level.
    rng : numpy.random.Generator
        As for `DyadicLeader`.
    repetitions : int
        Number of independent copies. Each draws its own prefixes.

    Raises
    ------
    InputError
        When `epsilon` is not a positive number.
    """

    def __init__(self, n: int, epsilon: float, rng: np.random.Generator, repetitions: int = 1) -> None:
        super().__init__(n, epsilon, rng, repetitions, selection="gumbel")

    def shortest_prefix(self, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the length of the shortest prefix that may be used of a block: one round more than half of it."""
        return lengths // 2 + 1
