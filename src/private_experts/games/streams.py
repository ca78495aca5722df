"""Oblivious adversaries: streams of gains in [0, 1] that are fixed in advance, shape (T, n), by name."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from private_experts.randomness import rng_for

Array = NDArray[np.float64]


def zero(horizon: int, n: int) -> Array:
    """No expert ever gains. All means are equal, the worst case for amplification. [000, Theorem 2]"""
    return np.zeros((horizon, n))


def alternating(horizon: int, n: int) -> Array:
    """Experts 0 and 1 gain in turn. Follow-the-leader does badly here."""
    gains = np.zeros((horizon, n))
    gains[np.arange(horizon), np.arange(horizon) % 2] = 1.0
    return gains


def turncoat(horizon: int, n: int) -> Array:
    """Expert 0 gains in the first half, expert 1 in the second. The gap then shrinks as fast as it can in [0, 1]."""
    gains = np.zeros((horizon, n))
    gains[: horizon // 2, 0] = 1.0
    gains[horizon // 2 :, 1] = 1.0
    return gains


def coin_flips(horizon: int, n: int) -> Array:
    """All gains are fair coin flips, as in the minimax lower bound. The same size gives the same stream."""
    return rng_for(0, "coin flips", horizon, n).integers(0, 2, (horizon, n)).astype(np.float64)


def easy(horizon: int, n: int, gap: float = 0.5) -> Array:
    """Expert 0 gains `gap` more than every other expert, in each round."""
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
