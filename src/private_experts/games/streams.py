"""Oblivious adversaries: streams of gains in [0, 1] that are fixed in advance, shape (T, n), by name."""

from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.validation import plain_numbers


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
    """Return the stream in which expert 0 gains in the first half, expert 1 in the second. [mathematics/000.md#setting]

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
