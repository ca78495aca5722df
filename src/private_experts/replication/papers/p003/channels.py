"""Private channels for the lower bound's steps, and the laws of their reports as balls.

A channel is a pattern: the outputs that a label makes likelier by the factor e^epsilon, equally many for each
label. [mathematics/003.md#lower-bound-chain]
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from private_experts.arrays import Array, Bools
from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    smallest,
    sqrt,
    square,
)

Pattern = Bools

RESPONSE = "randomised response"


def channels(size: int, epsilon: float, seed: int) -> Iterator[tuple[str, Pattern]]:
    """Yield channels from N labels by name, as patterns (N, outputs)."""
    yield RESPONSE, np.eye(size, dtype=np.bool_)
    bits = hadamard(size)[:, 1:] > 0  # the label's sign in a random row, by randomised response
    yield "signs", np.concatenate([bits, ~bits], axis=1)
    # Sets of this size are optimal, but too many for more labels.
    if size <= 8:
        sets = np.array(list(combinations(range(size), max(round(size / (1 + math.exp(epsilon))), 1))))
        yield "subsets", (sets[None] == np.arange(size)[:, None, None]).any(axis=-1)
    pattern = rng_for(seed, "pattern", size, epsilon).random(size) < 0.5
    # By exclusive or: every label then has as many likely outputs, as the class asks.
    yield "random pattern", pattern[np.arange(size)[:, None] ^ np.arange(size)]


def row(size: int, number: int) -> Pattern:
    """Return the channel that reports the label's sign in one row by randomised response."""
    plus = hadamard(size)[number] > 0
    return np.stack([plus, ~plus], axis=1)


def law(pattern: Pattern, epsilon: float) -> Array:
    """Return the law of a channel's output in floating point, shape (N, outputs)."""
    weights = np.where(pattern, math.exp(epsilon), 1.0)
    return weights / weights.sum(axis=1, keepdims=True)


def allowed(x: Ball) -> Ball:
    """Return m = min((e^epsilon - 1)^2, 1) of ``x = e^-epsilon``."""
    return smallest([square(1 / x - 1), ball(1)])


def exact_gap(pairs: int, horizon: int, epsilon: Ball) -> Ball:
    """Return the gap ``a = sqrt(K / (9 T m e^epsilon))`` as a ball."""
    return sqrt(pairs / (9 * ball(horizon) * allowed(exp(-epsilon)) * exp(epsilon)))


def level(channel: Array) -> Ball:
    """Return the largest log-ratio of two labels' probabilities of an output, taking floats as exact."""
    # Of each output the likeliest and the unlikeliest label have the largest ratio; few pairs are different.
    extremes = np.unique(np.stack([channel.max(axis=0), channel.min(axis=0)], axis=1), axis=0)
    return largest(log(ball(most) / ball(least)) for most, least in extremes.tolist())


def reports(pattern: Pattern, gap: Ball, epsilon: Ball) -> tuple[list[Ball], list[Ball]]:
    """Return by pair the KL divergence of a report's two laws, and the integral of (a b)^2 / min q.

    The two laws of an output depend on the sum of row i, how many labels make the output likelier, the sum of
    their signs, and whether some label does not. Many pairs and outputs share these.
    """
    size, outputs = pattern.shape
    likely_outputs = pattern.sum(axis=1)
    if (likely_outputs != likely_outputs[0]).any():
        raise ValueError("a channel's labels have different numbers of likely outputs")
    more, total = expm1(epsilon), int(likely_outputs[0]) * expm1(epsilon) + outputs
    signs = np.rint(hadamard(size)[1:]).astype(int)
    along, sums, whole = signs @ pattern.astype(int), signs.sum(axis=1), pattern.sum(axis=0)
    cached: dict[tuple[int, int, int], tuple[Ball, Ball]] = {}

    def both(row_sum: int, likely: int, sign: int) -> tuple[Ball, Ball]:
        # A zero without width: the smallest divergence is asked for.
        if row_sum == sign == 0:  # both laws are the same
            return ball(0), ball(0)
        first = (size - row_sum + more * (likely - sign)) / (size * total)
        change = gap * (row_sum + more * sign) / (size * total)
        least = (1 + more if likely == size else ball(1)) / total
        # An output of probability 0 under the first law adds nothing.
        divergence = first * log(first / (first + change)) if likely - sign + size - row_sum else ball(0)
        return divergence, square(change) / least

    divergences, squares = [], []
    for row_sum, of_pair in zip(sums.tolist(), along.tolist(), strict=True):
        sums_of_pair = [ball(0), ball(0)]
        kinds, counts = np.unique(np.stack([whole, of_pair]), axis=1, return_counts=True)
        for (likely, sign), count in zip(kinds.T.tolist(), counts.tolist(), strict=True):
            key = (row_sum, likely, sign)
            if key not in cached:
                cached[key] = both(*key)
            sums_of_pair = [old + count * new for old, new in zip(sums_of_pair, cached[key], strict=True)]
        divergences.append(sums_of_pair[0])
        squares.append(sums_of_pair[1])
    return divergences, squares


def least(divergences: Sequence[Ball]) -> Ball:
    """Return the smallest of divergences, which is not negative."""
    return smallest(divergences).nonnegative_part()
