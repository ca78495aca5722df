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
        """Return the gains of some rounds.

        Parameters
        ----------
        count : int
            Number of rounds.
        repetitions : int
            Number of independent copies.
        rng : numpy.random.Generator
            For the draws.

        Returns
        -------
        ndarray, shape (count, repetitions, n)
        """
        ...

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        """Return total gains: for each repetition a draw of the total of its number of rounds.

        Parameters
        ----------
        counts : ndarray of int, shape (repetitions,)
            Numbers of rounds.
        rng : numpy.random.Generator
            For the draws.

        Returns
        -------
        ndarray, shape (repetitions, n)
        """
        ...


@dataclass(frozen=True)
class CoinFlips:
    """Independent coin flips: an expert gains 1 with its own probability, otherwise 0. [mathematics/002.md#streams]

    Parameters
    ----------
    means : ndarray, shape (n,)
        Probabilities, which are the expected gains.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.stochastic import CoinFlips
    >>> from private_experts.randomness import rng_for
    >>> flips = CoinFlips(np.array([0.9, 0.1]))
    >>> flips.rounds(4, repetitions=1, rng=rng_for(0, "flips"))[:, 0].tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    >>> flips.totals(np.array([1000, 1000]), rng_for(0, "totals")).tolist()  # of 1000 rounds, in two copies
    [[879.0, 102.0], [906.0, 96.0]]
    """

    means: Array

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
    """Rounds that are each one of c gain vectors, drawn with given probabilities. [mathematics/002.md#streams]

    Parameters
    ----------
    vectors : ndarray, shape (c, n)
        Gains, in [0, 1].
    probabilities : ndarray, shape (c,)
        Their sum is 1.

    Examples
    --------
    Two experts of which always one gains:

    >>> import numpy as np
    >>> from private_experts.games.stochastic import Mixture
    >>> from private_experts.randomness import rng_for
    >>> stream = Mixture(np.eye(2), np.array([0.75, 0.25]))
    >>> stream.means.tolist()
    [0.75, 0.25]
    >>> stream.totals(np.array([1000]), rng_for(0, "totals")).tolist()
    [[782.0, 218.0]]
    """

    vectors: Array
    probabilities: Array

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
    """Return how far each expert's expected gain is below the largest one. [mathematics/002.md#setting]

    Parameters
    ----------
    stream : Stream
        Independent rounds from one law.

    Returns
    -------
    ndarray, shape (n,)
        From 0 to 1; 0 for the best expert.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.stochastic import CoinFlips, gaps
    >>> gaps(CoinFlips(np.array([0.5, 0.75, 0.25]))).tolist()
    [0.25, 0.0, 0.5]
    """
    result: Array = stream.means.max() - stream.means
    return result


def chunks(stream: Stream, horizon: int, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield rounds of a stream in arrays of bounded size. [mathematics/002.md#streams]

    Parameters
    ----------
    stream : Stream
        Independent rounds from one law.
    horizon : int
        Number of rounds in all.
    repetitions : int
        Number of independent copies.
    rng : numpy.random.Generator
        For the draws.

    Yields
    ------
    ndarray, shape (rounds, repetitions, n)
        At most a million numbers, unless a single round has more.

    Examples
    --------
    >>> from private_experts.games.instances import equal_gaps, independent
    >>> from private_experts.games.stochastic import chunks
    >>> from private_experts.randomness import rng_for
    >>> stream = independent(equal_gaps(2, gap=0.5))
    >>> [len(rounds) for rounds in chunks(stream, 1200, repetitions=1000, rng=rng_for(0, "chunks"))]
    [500, 500, 200]
    """
    step = max(1, _ROOM // (repetitions * stream.means.size))
    for start in range(0, horizon, step):
        yield stream.rounds(min(step, horizon - start), repetitions, rng)


def pseudo_regret(shortfalls: Array, actions: Indices) -> Array:
    """Return the sum over rounds of the gaps of the experts played. [mathematics/002.md#setting]

    Parameters
    ----------
    shortfalls : ndarray, shape (n,) or (T, n)
        Gaps, either the same in all rounds or given for each round.
    actions : ndarray of int, shape (T, ...)
        The experts that were played.

    Returns
    -------
    ndarray, shape (...)
        In units of the gains, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.stochastic import pseudo_regret
    >>> float(pseudo_regret(np.array([0.0, 0.25, 0.5]), np.array([2, 1, 0, 0])))
    0.75
    """
    if shortfalls.ndim == 1:
        result: Array = shortfalls[actions].sum(axis=0)
        return result
    rounds = np.arange(len(actions)).reshape(-1, *([1] * (actions.ndim - 1)))
    result = shortfalls[rounds, actions].sum(axis=0)
    return result
