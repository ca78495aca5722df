"""Streams of gains in [0, 1]: fixed in advance, drawn from a law, and shifting.

Those that are fixed in advance have the shape (T, n). Where rounds are independent draws from one law, every
repetition plays on its own stream, because regret is an expectation over streams. The gains of different
experts in one round may depend on each other. *Gaps* say how far each expert's expected gain is below the
largest one. [mathematics/002.md#streams]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices
from private_experts.randomness import rng_for
from private_experts.validation import plain_numbers

_ROOM = 1_000_000  # how many numbers a chunk may hold
_AT_ONCE = 2**15  # how many flips are drawn before they are compared; they fit into a processor's cache


def zero(horizon: int, n: int) -> Array:
    """Return the stream in which no expert ever gains. [000, Theorem 2]

    All means are equal, the worst case for amplification.
    """
    return np.zeros((horizon, n))


def alternating(horizon: int, n: int) -> Array:
    """Return the stream in which experts 0 and 1 gain in turn. Follow-the-leader does badly here.

    [mathematics/000.md#setting]
    """
    gains = np.zeros((horizon, n))
    gains[np.arange(horizon), np.arange(horizon) % 2] = 1.0
    return gains


def turncoat(horizon: int, n: int) -> Array:
    """Return a stream: expert 0 gains in the first half, then expert 1. [mathematics/000.md#setting]

    The gap then shrinks as fast as it can in [0, 1].
    """
    gains = np.zeros((horizon, n))
    gains[: horizon // 2, 0] = 1.0
    gains[horizon // 2 :, 1] = 1.0
    return gains


@plain_numbers
def coin_flips(horizon: int, n: int) -> Array:
    """Return gains that are all fair coin flips, as in the minimax lower bound. [mathematics/000.md#setting]

    The same size gives the same stream.
    """
    return rng_for(0, "coin flips", horizon, n).integers(0, 2, (horizon, n)).astype(np.float64)


def easy(horizon: int, n: int, gap: float = 0.5) -> Array:
    """Return the stream in which expert 0 gains `gap` more than every other expert, in each round.

    [mathematics/000.md#setting]
    """
    gains = np.full((horizon, n), 0.5 - gap / 2)
    gains[:, 0] += gap
    return gains


STREAMS: dict[str, Callable[[int, int], Array]] = {
    "zero": zero,
    "alternating": alternating,
    "turncoat": turncoat,
    "coin-flips": coin_flips,
    "easy": easy,
}


class Stream(Protocol):
    """Independent rounds from one law of gain vectors in [0, 1]^n. [mathematics/002.md#streams]

    Examples
    --------
    Whatever has these three names is a stream, such as one without chance:

    >>> import numpy as np
    >>> from private_experts.games.streams import gaps
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
        """Return total gains (repetitions, n): for each repetition a draw over its number of rounds."""
        ...


@dataclass(frozen=True)
class CoinFlips:
    """Independent coin flips: an expert gains 1 with its own probability. [mathematics/002.md#streams]"""

    means: Array  # probabilities (n,), which are the expected gains

    def rounds(self, count: int, repetitions: int, rng: np.random.Generator) -> Array:
        """Return the gains of `count` rounds, shape (count, repetitions, n). See `Stream.rounds`."""
        flips = np.empty((count, repetitions, self.means.size))
        step = max(1, _AT_ONCE // max(1, repetitions * self.means.size))
        for start in range(0, count, step):
            part = flips[start : start + step]
            # The uniforms are overwritten by the flips: half the memory, and the same draws in any cut.
            np.less(rng.random(out=part), self.means, out=part)
        return flips

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        """Return total gains of `counts` rounds, shape (repetitions, n). See `Stream.totals`."""
        # A binomial in place of the rounds: the totals have this law whatever the number of rounds.
        return rng.binomial(np.asarray(counts)[:, None], self.means).astype(np.float64)


@dataclass(frozen=True)
class Mixture:
    """Rounds that are one of c gain vectors, drawn with given probabilities. [mathematics/002.md#streams]"""

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
    """Return how far each expert's expected gain is below the largest, (n,). [mathematics/002.md#setting]"""
    result: Array = stream.means.max() - stream.means
    return result


def chunks(stream: Stream, horizon: int, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield a stream in arrays (rounds, repetitions, n) of bounded size. [mathematics/002.md#streams]"""
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


def equal_gaps(n: int, gap: float) -> Array:
    """Return the gaps of n experts, the first ahead of all others by `gap`. [mathematics/002.md#setting]"""
    return np.concatenate([[0.0], np.full(n - 1, gap)])


def doubling_gaps(groups: int, least: float) -> Array:
    """Return the gaps of ``1 + groups^2`` experts: the best, then `groups` groups of `groups` experts each.

    Group g = 0, 1, ... has the gap ``2^g * least``, but at most 1. On this instance the bound for
    report-noisy-max has an extra logarithm. There are `groups` groups of as many experts each.
    [mathematics/002.md#doubling-gaps]
    """
    return np.concatenate([[0.0], np.minimum(least * 2.0 ** np.repeat(np.arange(groups), groups), 1.0)])


def independent(shortfalls: ArrayLike) -> CoinFlips:
    """Return independent coin flips with given gaps. [mathematics/002.md#streams]

    The largest and the smallest expected gain are equally far from 1/2.
    """
    return CoinFlips(_means(shortfalls))


def alike(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with given gaps that share one uniform draw. [mathematics/002.md#streams]

    When an expert gains, all better ones gain too.
    """
    means = _means(shortfalls)
    return _of_one_draw(np.zeros_like(means), means)


def opposed(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with given gaps and one uniform draw: others gain first where the best does not.

    So the best expert and another one gain together as rarely as their means allow. Their difference then has
    the largest variance that these means allow. [mathematics/002.md#streams]
    """
    means = _means(shortfalls)
    best = means == means.max()
    return _of_one_draw(np.where(best, 0.0, 1 - means), np.where(best, means, 1.0))


def deterministic(shortfalls: ArrayLike) -> Mixture:
    """Return the stream without chance: every round has the expected gains. [mathematics/002.md#streams]

    A mixture of a single vector.
    """
    return Mixture(_means(shortfalls)[None, :], np.ones(1))


def _means(shortfalls: ArrayLike) -> Array:
    """Return expected gains with these gaps. The largest and the smallest are equally far from 1/2."""
    below = np.asarray(shortfalls, dtype=np.float64)
    result: Array = (1 + below.max()) / 2 - below
    return result


def _of_one_draw(low: Array, high: Array) -> Mixture:
    """Return the stream in which expert a gains 1 where one uniform draw lies in [low_a, high_a).

    The least of `low` is 0.
    """
    cuts = np.unique(np.concatenate([low, high, [1.0]]))
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
    """Streams of equally many experts, one after another, of given lengths. [mathematics/002.md#streams]"""

    streams: Sequence[Stream]
    lengths: Sequence[int]

    @property
    def gaps(self) -> Array:
        """Each round's gaps to the expert that is best in it, shape (T, n)."""
        return np.repeat([gaps(stream) for stream in self.streams], self.lengths, axis=0)

    def chunks(self, repetitions: int, rng: np.random.Generator) -> Iterator[Array]:
        """Yield the rounds in order, in bounded arrays (rounds, repetitions, n), each of a single stream."""
        for stream, length in zip(self.streams, self.lengths, strict=True):
            yield from chunks(stream, length, repetitions, rng)


def shifting(kind: str, shortfalls: ArrayLike, horizon: int, shifts: int) -> Shifting:
    """Return a stream with shifts: at each, every gap moves to the next expert. [mathematics/002.md#streams]

    Parameters
    ----------
    kind : {"independent", "alike", "opposed", "deterministic"}
        A name in `KINDS`.
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
    >>> from private_experts.games.streams import shifting
    >>> shifting("independent", [0.0, 0.25, 0.5], horizon=4, shifts=1).gaps.tolist()
    [[0.0, 0.25, 0.5], [0.0, 0.25, 0.5], [0.5, 0.0, 0.25], [0.5, 0.0, 0.25]]
    """
    # Rounded edges, not rounded lengths, so that the lengths add up to the horizon.
    edges = np.linspace(0, horizon, shifts + 2).round().astype(int)
    turned = [KINDS[kind](np.roll(shortfalls, s)) for s in range(shifts + 1)]
    return Shifting(turned, np.diff(edges).tolist())
