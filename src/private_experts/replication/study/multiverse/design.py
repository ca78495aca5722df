"""Which universes are played: balanced blocks, drawn without replacement, so that a share of them stands for all.

A universe, and all that follow by adding 1 to the number of every choice's option at once (modulo its k), are a block.
In each block every option of a choice is as frequent as every other. The mean over the blocks drawn is unbiased, and
the spread between blocks tells its error. [mathematics/000.md#multiverse]
"""

import math
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Indices
from private_experts.randomness import rng_for

Numbers = Indices


def blocks(sizes: Sequence[int]) -> Numbers:
    """Return the first universe of every block (blocks, choices), in the order of the universes' numbers."""
    universes = np.indices(sizes).reshape(len(sizes), -1)
    number = np.arange(universes.shape[1])
    first = number
    for step in range(1, math.lcm(*sizes)):
        moved = (universes + step) % np.array(sizes)[:, None]
        first = np.minimum(first, np.ravel_multi_index(tuple(moved), sizes))
    return np.ascontiguousarray(universes[:, first == number].T)


def count(sizes: Sequence[int], share: float) -> tuple[int, int]:
    """Return how many blocks are drawn, and of how many. At least two, if there are two: a single one has no spread."""
    there = math.prod(sizes) // math.lcm(*sizes)
    return min(there, max(2, round(share * there))), there


def sample(sizes: Sequence[int], share: float, seed: int, state: str) -> Numbers:
    """Draw the blocks that a state plays, (blocks, size of a block, choices). A larger share takes in a smaller one."""
    starts = blocks(sizes)
    drawn, _ = count(sizes, share)
    chosen = np.sort(rng_for(seed, "multiverse", state).permutation(len(starts))[:drawn])
    steps = np.arange(math.lcm(*sizes))[:, None]
    universes: Numbers = (starts[chosen][:, None, :] + steps) % np.array(sizes)
    return universes
