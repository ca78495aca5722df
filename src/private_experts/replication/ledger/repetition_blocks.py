"""Many repetitions in blocks of a fixed size, which is what memory and caches can take at once.

A block draws under a key of its own, so what it finds does not depend on the others.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray


def blocks(repetitions: int, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return how many repetitions a block has, and the end of its key: ``[(100, (150,)), (50, (150, 1))]``.

    More repetitions are a new experiment. Where there is one block, its key does not know of blocks.
    """
    counts = [min(size, repetitions - start) for start in range(0, repetitions, size)]
    # The first block's key has no number: results with one block are those of a run without blocks.
    return [(count, (repetitions, *[number] * (number > 0))) for number, count in enumerate(counts)]


def repeated(
    play: Callable[..., Sequence[NDArray[Any]]],
    cells: Iterable[tuple[Any, ...]],
    repetitions: int,
    block: int,
) -> list[list[NDArray[Any]]]:
    """Repeat what is played in each cell, in blocks, and return by cell the arrays of all its repetitions.

    ``play(*cell, count, key)`` returns arrays whose last axis is the repetition; for `key` see `blocks`.
    """
    dealt = blocks(repetitions, block)
    found = [play(*cell, count, key) for cell, (count, key) in product(cells, dealt)]
    by_cell = [found[first : first + len(dealt)] for first in range(0, len(found), len(dealt))]
    return [[np.concatenate(parts, axis=-1) for parts in zip(*cell, strict=True)] for cell in by_cell]


def repeated_where_close(
    play: Callable[..., Sequence[NDArray[Any]]],
    cells: Iterable[tuple[Any, ...]],
    close: Callable[[tuple[Any, ...]], bool],
    repetitions: int,
    block: int,
) -> list[list[NDArray[Any]]]:
    """Do as `repeated`, with an eighth of the repetitions in cells where nothing comes close to its bound."""
    counts = ((cell, repetitions if close(cell) else -(-repetitions // 8)) for cell in cells)
    return [repeated(play, [cell], count, block)[0] for cell, count in counts]
