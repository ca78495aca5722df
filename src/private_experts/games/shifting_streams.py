"""Stochastic streams whose law shifts. [mathematics/002.md#streams]"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.games.instances import KINDS
from private_experts.games.stochastic import Stream, chunks, gaps


@dataclass(frozen=True)
class Shifting:
    """Streams of as many experts each, one after another, for given numbers of rounds. [mathematics/002.md#streams]"""

    streams: Sequence[Stream]
    lengths: Sequence[int]

    @property
    def gaps(self) -> Array:
        """Each round's gaps to the expert that is best in it, shape (T, n)."""
        return np.repeat([gaps(stream) for stream in self.streams], self.lengths, axis=0)

    def chunks(self, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the rounds in order, in arrays (rounds, repetitions, n) of bounded size, each of a single stream."""
        for stream, length in zip(self.streams, self.lengths, strict=True):
            yield from chunks(stream, length, repetitions, rng)


def shifting(kind: str, shortfalls: ArrayLike, horizon: int, shifts: int) -> Shifting:
    """Return a stream whose law shifts: at each shift, every gap moves to the next expert. [mathematics/002.md#streams]

    Parameters
    ----------
    kind : {"independent", "alike", "opposed", "deterministic"}
        A name in `instances.KINDS`.
    shortfalls : array_like, shape (n,)
        Gaps before the first shift, from 0 to 1.
    horizon : int
        Number of rounds T.
    shifts : int
        Number of shifts, evenly spaced.

    Returns
    -------
    Shifting

    Examples
    --------
    >>> from private_experts.games.shifting_streams import shifting
    >>> shifting("independent", [0.0, 0.25, 0.5], horizon=4, shifts=1).gaps.tolist()
    [[0.0, 0.25, 0.5], [0.0, 0.25, 0.5], [0.5, 0.0, 0.25], [0.5, 0.0, 0.25]]
    """
    edges = np.linspace(0, horizon, shifts + 2).round().astype(int)
    turned = [KINDS[kind](np.roll(shortfalls, s)) for s in range(shifts + 1)]
    return Shifting(turned, np.diff(edges).tolist())
