"""Who the adversary is: oblivious streams of gains in [0, 1], shape (T, n), by name."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from private_experts.randomness import rng_for

Array = NDArray[np.float64]


def zero(horizon: int, n: int) -> Array:
    """Nobody ever gains: the worst case for privacy, where all means are equal. [000, Theorem 2]"""
    return np.zeros((horizon, n))


def alternating(horizon: int, n: int) -> Array:
    """Experts 0 and 1 gain in turn, which fools who follows the leader."""
    gains = np.zeros((horizon, n))
    gains[np.arange(horizon), np.arange(horizon) % 2] = 1.0
    return gains


def turncoat(horizon: int, n: int) -> Array:
    """Expert 0 gains in the first half and expert 1 in the second: the gap shrinks as fast as gains in [0, 1] can."""
    gains = np.zeros((horizon, n))
    gains[: horizon // 2, 0] = 1.0
    gains[horizon // 2 :, 1] = 1.0
    return gains


def coin_flips(horizon: int, n: int) -> Array:
    """All gains are fair coin flips, fixed by the size: the minimax lower bound's stream."""
    return rng_for(0, "coin flips", horizon, n).integers(0, 2, (horizon, n)).astype(np.float64)


def easy(horizon: int, n: int, gap: float = 0.5) -> Array:
    """Expert 0 gains `gap` more than anyone else, each round."""
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
