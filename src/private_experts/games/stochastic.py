"""Stochastic streams: independent rounds from one law.

The gains of different experts in one round may depend on each other. Every repetition plays on its own stream, because
regret is an expectation over streams. [mathematics/002.md#streams]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from private_experts.arrays import Array, Indices

_ROOM = 1_000_000  # how many numbers a chunk may hold
_AT_ONCE = 2**15  # how many flips are drawn before they are compared; they fit into a processor's cache


class Stream(Protocol):
    """Independent rounds from one law of gain vectors in [0, 1]^n. [mathematics/002.md#streams]

    Examples
    --------
    Whatever has these three names is a stream, such as one without chance:

    >>> import numpy as np
    >>> from private_experts.games.stochastic import gaps
    >>> class Constant:
    ...     means = np.array([0.75, 0.5])
    ...     def rounds(self, count, repetitions, rng):
    ...         return np.tile(self.means, (count, repetitions, 1))
    ...     def totals(self, counts, rng):
    ...         return np.outer(counts, self.means)
    >>> gaps(Constant()).tolist()
    [0.0, 0.25]
    """

    @property
    def means(self) -> Array:
        """Expected gains, shape (n,)."""
        ...

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of some rounds, shape (count, repetitions, n)."""
        ...

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        """Return total gains (repetitions, n): for each repetition a draw of the total of its number of rounds."""
        ...


@dataclass(frozen=True)
class CoinFlips:
    """Independent coin flips: an expert gains 1 with its own probability, otherwise 0. [mathematics/002.md#streams]"""

    means: Array  # probabilities (n,), which are the expected gains

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of `count` rounds, shape (count, repetitions, n). See `Stream.rounds`."""
        flips = np.empty((count, repetitions, self.means.size))
        step = max(1, _AT_ONCE // max(1, repetitions * self.means.size))
        for start in range(0, count, step):
            part = flips[start : start + step]
            np.less(rng.random(out=part), self.means, out=part)
        return flips

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        """Return total gains of `counts` rounds, shape (repetitions, n). See `Stream.totals`."""
        return rng.binomial(np.asarray(counts)[:, None], self.means).astype(np.float64)


@dataclass(frozen=True)
class Mixture:
    """Rounds that are each one of c gain vectors, drawn with given probabilities. [mathematics/002.md#streams]"""

    vectors: Array  # gains in [0, 1], shape (c, n)
    probabilities: Array  # shape (c,)

    @property
    def means(self) -> Array:
        """Mean gain of each expert, shape (n,)."""
        return self.probabilities @ self.vectors

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of `count` rounds, shape (count, repetitions, n). See `Stream.rounds`."""
        steps = self.probabilities.cumsum()[:-1]
        return self.vectors[np.searchsorted(steps, rng.random((count, repetitions)), side="right")]

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        """Return total gains of `counts` rounds, shape (repetitions, n). See `Stream.totals`."""
        return rng.multinomial(counts, self.probabilities) @ self.vectors


def gaps(stream: Stream) -> Array:
    """Return how far each expert's expected gain is below the largest one, shape (n,). [mathematics/002.md#setting]"""
    result: Array = stream.means.max() - stream.means
    return result


def chunks(stream: Stream, horizon: int, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield rounds of a stream in arrays (rounds, repetitions, n) of bounded size. [mathematics/002.md#streams]"""
    step = max(1, _ROOM // (repetitions * stream.means.size))
    for start in range(0, horizon, step):
        yield stream.rounds(min(step, horizon - start), repetitions, rng)


def pseudo_regret(shortfalls: Array, actions: Indices) -> Array:
    """Return the sum over rounds of the gaps of the experts played. [mathematics/002.md#setting]

    Gaps have shape (n,), or (T, n) where they are given for each round, and actions (T, ...).
    """
    if shortfalls.ndim == 1:
        result: Array = shortfalls[actions].sum(axis=0)
        return result
    rounds = np.arange(len(actions)).reshape(-1, *([1] * (actions.ndim - 1)))
    result = shortfalls[rounds, actions].sum(axis=0)
    return result
