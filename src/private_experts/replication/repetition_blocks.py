"""Many repetitions in blocks of a fixed size, which is what memory and caches can take at once.

A block draws under a key of its own, so what it finds does not depend on the others.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray


def blocks(repetitions: int, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return how many repetitions each block has, and the end of its key.

    The key ends with the number of all repetitions, so that more of them are a new experiment, and with the number of
    the block. The first block leaves its number out: where it is the only one, the key does not know of blocks.

    Examples
    --------
    >>> blocks(50, 100), blocks(250, 100)
    ([(50, (50,))], [(100, (250,)), (100, (250, 1)), (50, (250, 2))])
    """
    counts = [min(size, repetitions - start) for start in range(0, repetitions, size)]
    return [(count, (repetitions, *[number] * (number > 0))) for number, count in enumerate(counts)]


def repeated(
    play: Callable[..., Sequence[NDArray[Any]]], cells: Iterable[tuple[Any, ...]], repetitions: int, block: int
) -> list[list[NDArray[Any]]]:
    """Repeat what is played in each cell, in blocks, and return what came out.

    Parameters
    ----------
    play : callable
        ``play(*cell, count, key)`` plays so many repetitions. It returns arrays whose last axis is the repetition. Its
        random numbers belong to the cell and to the key, see `blocks`.
    cells : iterable of tuples
        What is played.
    repetitions, block : int
        How many repetitions a cell has, and a block at most.

    Returns
    -------
    list
        For each cell the arrays of all its repetitions.
    """
    dealt = blocks(repetitions, block)
    found = [play(*cell, count, key) for cell, (count, key) in product(cells, dealt)]
    by_cell = [found[first : first + len(dealt)] for first in range(0, len(found), len(dealt))]
    return [[np.concatenate(parts, axis=-1) for parts in zip(*cell, strict=True)] for cell in by_cell]
