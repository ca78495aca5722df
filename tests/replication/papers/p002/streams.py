"""Streams of steady and volatile actions for tests, and a mutant of the random prefix."""

from typing import Any

import numpy as np

from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.replication.papers.p002.volatile import Volatile


def split(gap: float, spread: float, steady: int, volatile: int) -> Volatile:
    """Return volatile actions that lose 1/2 plus or minus `spread`, each half the time. The steady lose 1/2 - `gap`.

    All steady actions but the best lose a hundredth of the gap more.
    """
    return Volatile(0.5 - gap, gap / 100, gap, 0.5 - spread, 0.5 + spread, steady, volatile)


class AnyPrefix(RandomizedPrefix):
    """Draws the end of its prefix from the whole block instead of the second half."""

    def shortest_prefix(self, lengths: Any) -> Any:
        return np.ones_like(lengths)
