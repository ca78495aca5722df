"""Which universes are played: balanced blocks, drawn without replacement, so that a share of them stands for all.

Number the options of each choice 0, 1, ..., k - 1. A universe, and all that follow from it by adding 1 to every number
at once (modulo its k), form a block. Blocks do not overlap, have the same size, the least common multiple of all k, and
in each of them every option of a choice is as frequent as every other. A sample is some blocks, drawn at random. So
every universe has the same chance to be played, the mean over the blocks drawn is an unbiased estimate of the mean over
all universes, and the spread between blocks tells its error. [mathematics/000.md#multiverse]
"""

import math
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Indices
from private_experts.randomness import rng_for

Numbers = Indices


def blocks(sizes: Sequence[int]) -> Numbers:
    """Return the first universe of every block, in the order of the universes' numbers.

    - `sizes`: Number of options of each choice, at least 1.
    - returns ndarray of int, shape (blocks, choices): Option numbers.
    """
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
    """Draw the universes to play in a state.

    - `sizes`: Number of options of each choice.
    - `share`: Share of the universes, in (0, 1]; it is rounded to whole blocks, as in `count`.
    - `seed`: The study's seed. A larger share takes in the blocks of a smaller one.
    - `state`: Each state has a draw of its own.
    - returns ndarray of int, shape (blocks, size of a block, choices): Option numbers.
    """
    starts = blocks(sizes)
    drawn, _ = count(sizes, share)
    chosen = np.sort(rng_for(seed, "multiverse", state).permutation(len(starts))[:drawn])
    steps = np.arange(math.lcm(*sizes))[:, None]
    universes: Numbers = (starts[chosen][:, None, :] + steps) % np.array(sizes)
    return universes
