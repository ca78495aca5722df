"""Random generators that depend on what they are for, never on when or where they run."""

import hashlib
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

_AHEAD = 2**15  # numbers that are drawn at once; they fit into a processor's cache


def rng_for(seed: int, *key: str | int | float) -> np.random.Generator:
    """Return the generator that belongs to `key` under `seed`.

    The same seed and key give the same stream on every machine, whatever the number of cores and whichever
    jobs ran before; different keys give independent streams. The key is hashed into a child of
    `numpy.random.SeedSequence(seed)`.

    Parameters
    ----------
    seed : int
        The study's seed, non-negative.
    *key : str, int or float
        What the randomness is for, such as ``("local noise", "NM", 0.5)``. An int and the float equal to it
        are the same key, so that ``mu: 1`` and ``mu: 1.0`` in a config mean the same study.
    """
    text = repr([float(part) if isinstance(part, int | float) else part for part in key])
    digest = hashlib.sha256(text.encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


def ahead(
    draw: Callable[[tuple[int, ...]], NDArray[np.float64]], shape: tuple[int, ...]
) -> Iterator[NDArray[np.float64]]:
    """Yield arrays of this shape without end, many of which are drawn at once: small ones come much faster.

    Parameters
    ----------
    draw : callable
        Given ``(count, *shape)`` it returns `count` independent arrays, as one.
    shape : tuple of int
    """
    count = max(1, _AHEAD // math.prod(shape))
    while True:
        yield from draw((count, *shape))
