"""Randomised prefix: each block is played by the noisy leader of a randomised prefix of the block before."""

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Indices
from private_experts.privacy.guarantees import PureDP


class RandomizedPrefix(DyadicLeader):
    """Plays in each block 2^m..2^(m+1)-1 an expert drawn from a prefix of the block before. [002, Section 4]

    The prefix ends at a round drawn uniformly from the block's second half, before the block is seen. An
    expert is drawn with probability proportional to ``exp((epsilon / 2) * gain)``, where ``gain`` is its
    total in the prefix.

    The pseudo-regret is at most ``1000 (log(n) / gap + log(n) / epsilon)``. The paper proves it for epsilon
    up to 1 [002, Theorem 1]; it holds for every epsilon [mathematics/002.md#range-of-epsilon]. With the whole
    block as prefix the algorithm is ``DyadicLeader(..., selection="gumbel")``. That has less regret in the
    long run, and where a selection's errors fall with the length of the prefix
    [mathematics/002.md#whole-block].

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP
        A central guarantee, with epsilon positive and finite.
    rng : numpy.random.Generator or int
        Source of prefixes and draws. Seeded noise is a simulation and protects nobody; see
        `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies. Each draws its own prefixes.
    moves_at_most_1 : bool
        Whether gains may be of any size; see `DyadicLeader`.

    Raises
    ------
    InputError
        When the guarantee is not central pure privacy of a positive level.

    Examples
    --------
    The error falls from block to block, as the prefixes get longer:

    >>> import numpy as np
    >>> from private_experts.algorithms import RandomizedPrefix
    >>> from private_experts.games import play
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> algorithm = RandomizedPrefix(2, PureDP(1.0, "central"), rng=rng_for(0, "prefixes"), repetitions=1000)
    >>> actions = play(algorithm, np.tile([0.9, 0.1], (31, 1)))
    >>> actions[[0, 2, 6, 14, 30]].mean(axis=1).tolist()  # share of copies with the worse expert, by block
    [0.489, 0.406, 0.33, 0.187, 0.069]
    """

    STATE = ()

    def __init__(
        self,
        n: int,
        guarantee: PureDP,
        *,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        moves_at_most_1: bool = False,
    ) -> None:
        super().__init__(
            n,
            guarantee,
            rng=rng,
            repetitions=repetitions,
            selection="gumbel",
            moves_at_most_1=moves_at_most_1,
        )

    def shortest_prefix(self, lengths: Indices) -> Indices:
        """Return the length of the shortest prefix of a block that may be used: one round more than half.

        See `DyadicLeader.shortest_prefix`.
        """
        return lengths // 2 + 1
