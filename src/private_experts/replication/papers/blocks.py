"""Expected pseudo-regret of algorithms that select once per dyadic block, without playing the rounds.

Such an algorithm selects an expert from the totals of a prefix of each block. So its regret depends only on
the law of these totals. The *error* of a selection is the expected gap of its expert, which is what it costs
in each round.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.games.streams import CoinFlips, Mixture, Stream, gaps

_NEGLIGIBLE = 1e-30


def block_regret(errors: ArrayLike, horizons: Sequence[int]) -> Array:
    """Return the regret after each horizon from the errors of the experts of blocks, shape (..., blocks).

    Entry m is the error of the expert played in rounds 2^m..2^(m+1)-1. [mathematics/002.md#dyadic-leader]
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

    The algorithm plays no round: its prefixes and selections are used. With `by_law` an error is the expected
    one given the totals, which has less variance than that of a drawn selection. Shape (repetitions, blocks).
    """
    shortfalls = gaps(stream)
    # The first block has nobody to learn from: its expert is drawn uniformly.
    errors = np.full((repetitions, blocks), shortfalls.mean())
    for m in range(blocks - 1):
        length = np.full(repetitions, 2**m)
        totals = stream.totals(rng.integers(algorithm.shortest_prefix(length), length + 1), rng)
        # By the law given the totals: the draw of the expert is averaged out, and only the stream's noise is
        # left.
        errors[:, m + 1] = (
            algorithm.law(totals) @ shortfalls if by_law else shortfalls[algorithm.select(totals)]
        )
    return errors


def exact_errors(algorithm: DyadicLeader, stream: CoinFlips | Mixture, blocks: int) -> Array:
    """Return the expected errors of the experts of the first `blocks` blocks, without simulation.

    [mathematics/002.md#dyadic-leader]

    The stream is either without randomness, or of two experts whose gains are 0 and 1; others are refused.
    """
    lengths = 2 ** np.arange(blocks - 1)
    prefixes = [
        np.arange(low, high + 1)
        for low, high in zip(algorithm.shortest_prefix(lengths), lengths, strict=True)
    ]
    found = prefix_errors(algorithm.law, stream, np.concatenate([[], *prefixes]).astype(int))
    parts = np.split(found, np.cumsum([len(prefix) for prefix in prefixes])[:-1]) if prefixes else []
    return np.array([gaps(stream).mean(), *(part.mean() for part in parts)])


def prefix_errors(
    law: Callable[[Array, Indices], Array], stream: CoinFlips | Mixture, lengths: Indices
) -> Array:
    """Return the expected error of a selection from the totals of r rounds, for each r of `lengths`.

    For a softmax this is q_r. [002, Section 4]

    The law is ``law(scores, counts)``, as of `DyadicLeader`, and the stream one that `exact_errors` takes.
    """
    shortfalls = gaps(stream)
    if isinstance(stream, Mixture) and len(stream.vectors) == 1:
        # Without chance experts of one gap have one score, so the law is computed once for each gap.
        below, counts = np.unique(shortfalls, return_counts=True)
        return law(-lengths[:, None] * below, counts) @ (counts * below)
    step, most = _step(stream), int(lengths[-1]) if len(lengths) else 0
    ahead = np.arange(-most, most + 1.0)
    # A softmax or a noisy maximum depends on differences of scores alone, so the second score is put at 0.
    cost = law(np.stack([ahead, np.zeros_like(ahead)], axis=1), np.ones(2, dtype=np.intp)) @ shortfalls
    wanted, errors = set(lengths.tolist()), []
    for r, (start, chances) in enumerate(_differences(step, most), start=1):
        if r in wanted:
            errors.append(chances @ cost[most + start : most + start + chances.size])
    return np.array(errors)


def _step(stream: CoinFlips | Mixture) -> Array:
    """Return the probabilities that the first of two experts gains 1 less, as much, and 1 more."""
    if isinstance(stream, CoinFlips) and stream.means.size == 2:
        first, second = stream.means
        return np.array(
            [(1 - first) * second, first * second + (1 - first) * (1 - second), first * (1 - second)]
        )
    if isinstance(stream, Mixture) and stream.vectors.shape[1] == 2 and np.isin(stream.vectors, (0, 1)).all():
        ahead = stream.vectors[:, 0] - stream.vectors[:, 1]
        return np.array([stream.probabilities[ahead == lead].sum() for lead in (-1, 0, 1)])
    raise InputError("exact errors: write a stream without chance, or of two experts whose gains are 0 and 1")


def _differences(step: Array, most: int) -> Iterator[tuple[int, Array]]:
    """Yield for r = 1, 2, ..., `most` the law of a walk of r such steps: first value, probabilities.

    Values at the ends that are less likely than 1e-30 are left out. So the length of the law grows like
    sqrt(r) and not like r.
    """
    start, law = 0, np.ones(1)
    for _ in range(most):
        law = np.convolve(law, step)
        low, high = 0, law.size
        # Cut from both ends: the middle of the law is never negligible, so the loops end.
        while law[low] <= _NEGLIGIBLE:
            low += 1
        while law[high - 1] <= _NEGLIGIBLE:
            high -= 1
        start, law = start - 1 + low, law[low:high]
        yield start, law
