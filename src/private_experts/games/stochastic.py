"""Stochastic streams: independent rounds from one law, and laws that shift.

The gains of different experts in one round may depend on each other. Every repetition plays on its own stream, because
regret is an expectation over streams. [mathematics/002.md#streams]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_ROOM = 1_000_000  # how many numbers a chunk may hold


class Stream(Protocol):
    """Independent rounds from one law of gain vectors in [0, 1]^n."""

    @property
    def means(self) -> Array:
        """Expected gains, shape (n,)."""
        ...

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of `count` rounds, shape (count, repetitions, n)."""
        ...

    def totals(self, counts: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return total gains, shape (repetitions, n): for each repetition a draw of the total of `counts` rounds."""
        ...


@dataclass(frozen=True)
class CoinFlips:
    """Independent coin flips: an expert gains 1 with its probability in `means`, shape (n,), otherwise 0."""

    means: Array

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of so many rounds, shape (count, repetitions, n)."""
        return (rng.random((count, repetitions, self.means.size)) < self.means).astype(np.float64)

    def totals(self, counts: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return total gains of `counts` rounds, shape (repetitions, n)."""
        return rng.binomial(np.asarray(counts)[:, None], self.means).astype(np.float64)


@dataclass(frozen=True)
class Mixture:
    """Each round is one of c gain vectors, shape (c, n), with the given probabilities, shape (c,)."""

    vectors: Array
    probabilities: Array

    @property
    def means(self) -> Array:
        """Mean gain of each expert, shape (n,)."""
        return self.probabilities @ self.vectors

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of so many rounds, shape (count, repetitions, n)."""
        steps = self.probabilities.cumsum()[:-1]
        return self.vectors[np.searchsorted(steps, rng.random((count, repetitions)), side="right")]

    def totals(self, counts: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return total gains of `counts` rounds, shape (repetitions, n)."""
        return rng.multinomial(counts, self.probabilities) @ self.vectors


def gaps(stream: Stream) -> Array:
    """Return how far each expert's expected gain is below the largest one, shape (n,)."""
    return stream.means.max() - stream.means


def equal_gaps(n: int, gap: float) -> Array:
    """Return the gaps of n experts, the first of which is ahead of all others by `gap`."""
    return np.concatenate([[0.0], np.full(n - 1, gap)])


def doubling_gaps(groups: int, least: float) -> Array:
    """Return the gaps of ``1 + groups^2`` experts: the best, then `groups` groups of `groups` experts each.

    Group g = 0, 1, ... has the gap ``2^g * least``, but at most 1. On this instance the bound for report-noisy-max has
    an extra logarithm. [mathematics/002.md#doubling-gaps]
    """
    return np.concatenate([[0.0], np.minimum(least * 2.0 ** np.repeat(np.arange(groups), groups), 1.0)])


def _means(shortfalls: ArrayLike) -> Array:
    """Return expected gains with these gaps. The largest and the smallest are equally far from 1/2."""
    below = np.asarray(shortfalls, dtype=np.float64)
    return (1 + below.max()) / 2 - below


def independent(shortfalls: ArrayLike) -> CoinFlips:
    """Return independent coin flips with these gaps."""
    return CoinFlips(_means(shortfalls))


def alike(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with these gaps that share one uniform draw. When an expert gains, all better ones gain too."""
    means = _means(shortfalls)
    return _of_one_draw(np.zeros_like(means), means)


def opposed(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with these gaps that share one uniform draw. The others gain first where the best does not.

    So the best expert and another one gain together as rarely as their means allow. Their difference then has the
    largest variance that these means allow.
    """
    means = _means(shortfalls)
    best = means == means.max()
    return _of_one_draw(np.where(best, 0.0, 1 - means), np.where(best, means, 1.0))


def deterministic(shortfalls: ArrayLike) -> Mixture:
    """Return the stream without chance: every round has the expected gains, with these gaps."""
    return Mixture(_means(shortfalls)[None, :], np.ones(1))


def _of_one_draw(low: Array, high: Array) -> Mixture:
    """Return the stream in which expert a gains 1 when one uniform draw lies in [low_a, high_a), otherwise 0."""
    cuts = np.unique(np.concatenate([[0.0, 1.0], low, high]))
    middle = (cuts[1:] + cuts[:-1])[:, None] / 2
    return Mixture(((low <= middle) & (middle < high)).astype(np.float64), np.diff(cuts))


KINDS: dict[str, Callable[[ArrayLike], CoinFlips | Mixture]] = {
    "independent": independent,
    "alike": alike,
    "opposed": opposed,
    "deterministic": deterministic,
}


@dataclass(frozen=True)
class Shifting:
    """Streams one after another: each of `streams` for as many rounds as `lengths` says."""

    streams: Sequence[Stream]
    lengths: Sequence[int]

    @property
    def gaps(self) -> Array:
        """Return each round's gaps to the expert that is best in it, shape (T, n)."""
        return np.repeat([gaps(stream) for stream in self.streams], self.lengths, axis=0)

    def chunks(self, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the rounds in order, in arrays of shape (rounds, repetitions, n)."""
        for stream, length in zip(self.streams, self.lengths, strict=True):
            yield from chunks(stream, length, repetitions, rng)


def shifting(kind: str, shortfalls: ArrayLike, horizon: int, shifts: int) -> Shifting:
    """Return a stream of a kind in `KINDS` with evenly spaced `shifts`. At each, every gap moves to the next expert."""
    edges = np.linspace(0, horizon, shifts + 2).round().astype(int)
    turned = [KINDS[kind](np.roll(shortfalls, s)) for s in range(shifts + 1)]
    return Shifting(turned, np.diff(edges).tolist())


def chunks(stream: Stream, horizon: int, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield `horizon` rounds of a stream in arrays of bounded size, shape (rounds, repetitions, n)."""
    step = max(1, _ROOM // (repetitions * stream.means.size))
    for start in range(0, horizon, step):
        yield stream.rounds(min(step, horizon - start), repetitions, rng)


def pseudo_regret(shortfalls: Array, actions: NDArray[np.intp]) -> Array:
    """Return the sum over rounds of the gaps of the experts played.

    Parameters
    ----------
    shortfalls : ndarray, shape (n,) or (T, n)
        Gaps, either the same in all rounds or given for each round.
    actions : ndarray of int, shape (T, ...)

    Returns
    -------
    ndarray, shape (...)
    """
    if shortfalls.ndim == 1:
        return shortfalls[actions].sum(axis=0)
    rounds = np.arange(len(actions)).reshape(-1, *([1] * (actions.ndim - 1)))
    return shortfalls[rounds, actions].sum(axis=0)
