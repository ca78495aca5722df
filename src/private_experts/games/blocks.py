"""Expected pseudo-regret of algorithms that select once per dyadic block, without playing the rounds.

Such an algorithm selects an expert from the totals of a prefix of each block. So its regret depends only on the law of
these totals. The *error* of a selection is the expected gap of its expert, which is what it costs in each round.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.games.stochastic import CoinFlips, Mixture, Stream, gaps

_NEGLIGIBLE = 1e-30


def block_regret(errors: ArrayLike, horizons: Sequence[int]) -> Array:
    """Return the regret from the errors of the experts of blocks 0, 1, ... [mathematics/002.md#dyadic-leader]

    Parameters
    ----------
    errors : array_like, shape (..., blocks)
        Entry m is the error of the expert played in rounds 2^m..2^(m+1)-1.
    horizons : sequence of int
        Each at least 1 and less than ``2^blocks``.

    Returns
    -------
    ndarray, shape (..., len(horizons))
        In units of the gains.

    Raises
    ------
    InputError
        When a horizon lies beyond the blocks.

    Examples
    --------
    Blocks of 1, 2 and 4 rounds, and the regret after 1, 3 and 5 rounds:

    >>> from private_experts.games.blocks import block_regret
    >>> block_regret([0.5, 0.25, 0.125], horizons=[1, 3, 5]).tolist()
    [0.5, 1.0, 1.25]
    """
    cost = np.asarray(errors, dtype=np.float64)
    first = 2 ** np.arange(cost.shape[-1])[:, None]
    if max(horizons) >= 2 ** cost.shape[-1]:
        raise InputError(f"{cost.shape[-1]} blocks end before round {max(horizons)}; write a smaller horizon")
    return cost @ np.clip(np.asarray(horizons) - first + 1, 0, first).astype(np.float64)


def sampled_errors(
    algorithm: DyadicLeader,
    stream: Stream,
    blocks: int,
    repetitions: int,
    rng: np.random.Generator,
    by_law: bool = True,
) -> Array:
    """Return errors of the experts of the first `blocks` blocks, in independent repetitions.

    [mathematics/002.md#dyadic-leader]

    Parameters
    ----------
    algorithm : DyadicLeader
        The algorithm whose prefixes and selection law are used. It plays no round.
    stream : Stream
        Where the totals come from.
    blocks : int
        Number of blocks, at least 1.
    repetitions : int
        Number of independent copies.
    rng : numpy.random.Generator
        For the prefixes, the totals and the selections.
    by_law : bool
        Whether to return the expected error given the totals, which has less variance, or that of a drawn selection.

    Returns
    -------
    ndarray, shape (repetitions, blocks)
        Gaps of the selected experts, in units of the gains.

    Examples
    --------
    >>> from private_experts.algorithms import DyadicLeader
    >>> from private_experts.games.blocks import sampled_errors
    >>> from private_experts.games.instances import equal_gaps, independent
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> leader = DyadicLeader(3, PureDP(1.0, "central"), rng=rng_for(0, "unused"), selection="gumbel")
    >>> stream = independent(equal_gaps(3, gap=0.5))
    >>> errors = sampled_errors(leader, stream, blocks=8, repetitions=1000, rng=rng_for(0, "errors"))
    >>> errors.mean(axis=0)[[0, 4, 7]].round(2).tolist()
    [0.33, 0.12, 0.0]
    """
    shortfalls = gaps(stream)
    errors = np.full((repetitions, blocks), shortfalls.mean())
    for m in range(blocks - 1):
        length = np.full(repetitions, 2**m)
        totals = stream.totals(rng.integers(algorithm.shortest_prefix(length), length + 1), rng)
        errors[:, m + 1] = algorithm.law(totals) @ shortfalls if by_law else shortfalls[algorithm.select(totals)]
    return errors


def exact_errors(algorithm: DyadicLeader, stream: CoinFlips | Mixture, blocks: int) -> Array:
    """Return the expected errors of the experts of the first `blocks` blocks, without simulation.

    [mathematics/002.md#dyadic-leader]

    Parameters
    ----------
    algorithm : DyadicLeader
        The algorithm whose prefixes and selection law are used. It plays no round.
    stream : CoinFlips or Mixture
        Either without randomness, or with two experts whose gains are 0 and 1.
    blocks : int
        Number of blocks, at least 1.

    Returns
    -------
    ndarray, shape (blocks,)
        In units of the gains.

    Raises
    ------
    InputError
        When the stream is of another kind.

    Examples
    --------
    The pseudo-regret of 255 rounds, with the whole block and with a random prefix of it:

    >>> from private_experts.algorithms import DyadicLeader, RandomizedPrefix
    >>> from private_experts.games.blocks import block_regret, exact_errors
    >>> from private_experts.games.instances import equal_gaps, independent
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> stream, guarantee, rng = independent(equal_gaps(2, gap=0.5)), PureDP(1.0, "central"), rng_for(0, "unused")
    >>> for leader in DyadicLeader(2, guarantee, rng=rng, selection="gumbel"), RandomizedPrefix(2, guarantee, rng=rng):
    ...     print(block_regret(exact_errors(leader, stream, blocks=8), horizons=[255]).round(3).tolist())
    [4.383]
    [5.716]
    """
    lengths = 2 ** np.arange(blocks - 1)
    prefixes = [np.arange(low, high + 1) for low, high in zip(algorithm.shortest_prefix(lengths), lengths, strict=True)]
    found = prefix_errors(algorithm.law, stream, np.concatenate([[], *prefixes]).astype(int))
    parts = np.split(found, np.cumsum([len(each) for each in prefixes])[:-1]) if prefixes else []
    return np.array([gaps(stream).mean(), *(part.mean() for part in parts)])


def prefix_errors(law: Callable[[Array, Indices], Array], stream: CoinFlips | Mixture, lengths: Indices) -> Array:
    """Return the expected error of a selection from the totals of r rounds, for each r of `lengths`.

    For a softmax this is q_r. [002, Section 4]

    Parameters
    ----------
    law : callable
        ``law(scores, counts)``, as of `DyadicLeader`.
    stream : CoinFlips or Mixture
        Either without randomness, or with two experts whose gains are 0 and 1. In the second case the law of their
        difference is used.
    lengths : ndarray of int, ascending
        Numbers of rounds, at least 1.

    Returns
    -------
    ndarray, shape (len(lengths),)
        In units of the gains.

    Raises
    ------
    InputError
        When the stream is neither.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games.blocks import prefix_errors
    >>> from private_experts.games.instances import deterministic, equal_gaps
    >>> from private_experts.privacy.selection import exponential_law
    >>> def softmax(scores, counts):
    ...     return exponential_law(scores, 0.5, counts)
    >>> prefix_errors(softmax, deterministic(equal_gaps(3, gap=0.5)), np.array([1, 10, 20])).round(4).tolist()
    [0.3045, 0.0705, 0.0066]
    """
    shortfalls = gaps(stream)
    if isinstance(stream, Mixture) and len(stream.vectors) == 1:
        below, counts = np.unique(shortfalls, return_counts=True)
        return law(-lengths[:, None] * below, counts) @ (counts * below)
    step, most = _step(stream), int(lengths[-1]) if len(lengths) else 0
    ahead = np.arange(-most, most + 1.0)
    cost = law(np.stack([ahead, np.zeros_like(ahead)], axis=1), np.ones(2, dtype=np.intp)) @ shortfalls
    wanted, errors = set(lengths.tolist()), []
    for r, (start, chances) in enumerate(_differences(step, most), start=1):
        if r in wanted:
            errors.append(chances @ cost[most + start : most + start + chances.size])
    return np.array(errors)


def _step(stream: CoinFlips | Mixture) -> Array:
    """Return the probabilities that the first of two experts gains 1 less than the second, as much, and 1 more."""
    if isinstance(stream, CoinFlips) and stream.means.size == 2:
        first, second = stream.means
        return np.array([(1 - first) * second, first * second + (1 - first) * (1 - second), first * (1 - second)])
    if isinstance(stream, Mixture) and stream.vectors.shape[1] == 2 and np.isin(stream.vectors, (0, 1)).all():
        ahead = stream.vectors[:, 0] - stream.vectors[:, 1]
        return np.array([stream.probabilities[ahead == each].sum() for each in (-1, 0, 1)])
    raise InputError("exact errors: write a stream without chance, or of two experts whose gains are 0 and 1")


def _differences(step: Array, most: int) -> Iterator[tuple[int, Array]]:
    """Yield for r = 1, 2, ..., `most` the law of a walk of r such steps: its first value, and the probabilities.

    Values at the ends that are less likely than 1e-30 are left out. So the length of the law grows like sqrt(r) and
    not like r.
    """
    start, law = 0, np.ones(1)
    for _ in range(most):
        law = np.convolve(law, step)
        low, high = 0, law.size
        while law[low] <= _NEGLIGIBLE:
            low += 1
        while law[high - 1] <= _NEGLIGIBLE:
            high -= 1
        start, law = start - 1 + low, law[low:high]
        yield start, law
