"""Stochastic adversaries: independent rounds from one law, whose coordinates may depend; and laws that shift.

Every repetition plays on a stream of its own, as an expected regret over streams demands.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_ROOM = 1_000_000  # numbers in a chunk


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
        """Return for each repetition the total of so many rounds, shape (repetitions, n), drawn from its law."""
        ...


@dataclass(frozen=True)
class CoinFlips:
    """Each expert's gain is a coin flip of its own, 1 with probability `means`, shape (n,)."""

    means: Array

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """See `Stream`."""
        return (rng.random((count, repetitions, self.means.size)) < self.means).astype(np.float64)

    def totals(self, counts: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """See `Stream`."""
        return rng.binomial(np.asarray(counts)[:, None], self.means).astype(np.float64)


@dataclass(frozen=True)
class Mixture:
    """Each round is one of finitely many gain vectors, (c, n), with these probabilities, (c,)."""

    vectors: Array
    probabilities: Array

    @property
    def means(self) -> Array:
        """See `Stream`."""
        return self.probabilities @ self.vectors

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """See `Stream`."""
        steps = self.probabilities.cumsum()[:-1]
        return self.vectors[np.searchsorted(steps, rng.random((count, repetitions)), side="right")]

    def totals(self, counts: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """See `Stream`."""
        return rng.multinomial(counts, self.probabilities) @ self.vectors


def gaps(stream: Stream) -> Array:
    """Return by how much each expert's expected gain falls short of the largest, shape (n,)."""
    return stream.means.max() - stream.means


def equal_gaps(n: int, gap: float) -> Array:
    """Return the gaps of n experts of which the first is ahead of all others by `gap`."""
    return np.concatenate([[0.0], np.full(n - 1, gap)])


def doubling_gaps(groups: int, least: float) -> Array:
    """Return the gaps of ``1 + groups^2`` experts: after the best, group g has `groups` of gap ``2^g * least``.

    Gaps end at 1. The instance on which the bound of report-noisy-max loses a logarithm. [002.4, spec]
    """
    return np.concatenate([[0.0], np.minimum(least * 2.0 ** np.repeat(np.arange(groups), groups), 1.0)])


def _means(shortfalls: ArrayLike) -> Array:
    """Return expected gains with these gaps, the largest and the smallest equally far from 1/2."""
    below = np.asarray(shortfalls, dtype=np.float64)
    return (1 + below.max()) / 2 - below


def independent(shortfalls: ArrayLike) -> CoinFlips:
    """Return coin flips with these gaps, one for each expert."""
    return CoinFlips(_means(shortfalls))


def alike(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with these gaps that all turn on one draw: where one gains, all better ones gain too."""
    means = _means(shortfalls)
    return _of_one_draw(np.zeros_like(means), means)


def opposed(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with these gaps that all turn on one draw: the others gain where the best does not, first.

    The difference between the best and another expert then has the largest variance that these means allow.
    """
    means = _means(shortfalls)
    best = means == means.max()
    return _of_one_draw(np.where(best, 0.0, 1 - means), np.where(best, means, 1.0))


def deterministic(shortfalls: ArrayLike) -> Mixture:
    """Return the stream whose every round is its mean, with these gaps."""
    return Mixture(_means(shortfalls)[None, :], np.ones(1))


def _of_one_draw(low: Array, high: Array) -> Mixture:
    """Return the stream in which expert a gains 1 when a uniform draw lies in [low_a, high_a)."""
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
    """One law after another: `streams` in turn, each for as many rounds as `lengths` says."""

    streams: Sequence[Stream]
    lengths: Sequence[int]

    @property
    def gaps(self) -> Array:
        """Return the gaps in each round, shape (T, n); no path that shifts with the laws has any."""
        return np.repeat([gaps(stream) for stream in self.streams], self.lengths, axis=0)

    def chunks(self, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the rounds in order, in arrays (rounds, repetitions, n)."""
        for stream, length in zip(self.streams, self.lengths, strict=True):
            yield from chunks(stream, length, repetitions, rng)


def shifting(kind: str, shortfalls: ArrayLike, horizon: int, shifts: int) -> Shifting:
    """Return a stream of a kind of `KINDS` whose experts move up one place at each of `shifts` evenly spaced shifts."""
    edges = np.linspace(0, horizon, shifts + 2).round().astype(int)
    turned = [KINDS[kind](np.roll(shortfalls, s)) for s in range(shifts + 1)]
    return Shifting(turned, np.diff(edges).tolist())


def chunks(stream: Stream, horizon: int, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield `horizon` rounds of a stream in arrays (rounds, repetitions, n) of bounded size."""
    step = max(1, _ROOM // (repetitions * stream.means.size))
    for start in range(0, horizon, step):
        yield stream.rounds(min(step, horizon - start), repetitions, rng)


def pseudo_regret(shortfalls: Array, actions: NDArray[np.intp]) -> Array:
    """Return the gaps of the experts played, summed over rounds.

    Parameters
    ----------
    shortfalls : ndarray, shape (n,) or (T, n)
        Gaps, the same in all rounds or for each round.
    actions : ndarray of int, shape (T, ...)

    Returns
    -------
    ndarray, shape (...)
    """
    if shortfalls.ndim == 1:
        return shortfalls[actions].sum(axis=0)
    rounds = np.arange(len(actions)).reshape(-1, *([1] * (actions.ndim - 1)))
    return shortfalls[rounds, actions].sum(axis=0)
