"""Random generators that depend on their purpose, never on when or where they run."""

import hashlib
import math
from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array

_AHEAD = 2**15  # how many numbers are drawn at once; they fit into a processor's cache


def rng_for(seed: int, *key: str | int | float) -> np.random.Generator:
    """Return the generator that belongs to `key` under `seed`.

    The same seed and key give the same random numbers on every machine. The number of cores and the jobs that
    ran before do not matter. Different keys give independent generators. The key is hashed into a child of
    `numpy.random.SeedSequence(seed)`.

    Parameters
    ----------
    seed : int
        The study's seed, non-negative.
    *key : str, int or float
        The purpose of the randomness, such as ``("local noise", "NM", 0.5)``. An int and the float equal to
        it are the same key. So ``mu: 1`` and ``mu: 1.0`` in a config mean the same study.

    Returns
    -------
    numpy.random.Generator
        A new one on each call, at its beginning.

    Examples
    --------
    >>> from private_experts.randomness import rng_for
    >>> rng_for(0, "noise", "NM").integers(100, size=3).tolist()
    [38, 0, 38]
    >>> rng_for(0, "noise", "NM").integers(100, size=3).tolist()  # the same again
    [38, 0, 38]
    >>> rng_for(0, "noise", "PA").integers(100, size=3).tolist()
    [97, 20, 23]
    """
    # 1, 1.0 and np.float64(1) are one key: a config may write either.
    text = repr([float(part) if isinstance(part, int | float) else part for part in key])
    digest = hashlib.sha256(text.encode()).digest()
    # "little" and fixed: the same words on every machine.
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


class Ahead:
    """Arrays of one shape, without end. Many are drawn at once, which is much faster for small arrays.

    Given ``(count, *shape)``, `draw` returns so many independent draws: a method of a generator, or of what
    holds one.
    """

    STATE = ("_drawn", "_place")

    def __init__(self, draw: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...]) -> None:
        self._draw = draw
        # Whole arrays only, so that the order of draws is that of drawing them one by one.
        self._shape = max(1, _AHEAD // math.prod(shape)), *shape
        self._drawn: Array = np.zeros((0, *shape))
        self._place = 0

    def __iter__(self) -> "Ahead":
        """Return the object itself."""
        return self

    def __next__(self) -> Array:
        """Return the next array."""
        if self._place == len(self._drawn):
            self._drawn, self._place = self._draw(self._shape), 0
        self._place += 1
        array: Array = self._drawn[self._place - 1]
        return array

    def ready(self) -> int:
        """Return how many arrays are drawn, at least 1: when there are none, they are drawn now."""
        if self._place == len(self._drawn):
            self._drawn, self._place = self._draw(self._shape), 0
        return len(self._drawn) - self._place

    def take(self, count: int) -> Array:
        """Return the next arrays as one, shape ``(count, *shape)``; `count` is at most what `ready` says."""
        self._place += count
        return self._drawn[self._place - count : self._place]
