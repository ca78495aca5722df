"""Streams of steady and volatile actions for tests, and mutants of the randomised prefix."""

from typing import Any

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.papers.p002.volatile import Volatile


def split(gap: float, spread: float, steady: int, volatile: int) -> Volatile:
    """Return volatile actions that lose 1/2 +- `spread`, half each. The steady lose 1/2 - `gap`.

    All steady actions but the best lose a hundredth of the gap more.
    """
    return Volatile(0.5 - gap, gap / 100, gap, 0.5 - spread, 0.5 + spread, steady, volatile)


class AnyPrefix(RandomizedPrefix):
    """Draws the end of its prefix from the whole block instead of the second half."""

    def shortest_prefix(self, lengths: Any) -> Any:
        return np.ones_like(lengths)


def at_rate(factor: float) -> type[RandomizedPrefix]:
    """Return the randomised prefix that selects at so many times its rate."""

    class Mutant(RandomizedPrefix):
        def law(self, scores: Any, counts: Any = None) -> Any:
            return super().law(factor * scores, counts)

    return Mutant


def instead(mutant: type[DyadicLeader], of: str = "randomised prefix") -> Any:
    """Return a function that makes algorithms by name, with the mutant in place of one of them."""

    def make(name: str, n: int, epsilon: float, rng: Any, repetitions: int = 1) -> DyadicLeader:
        if name == of:
            return mutant(n, PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)
        return algorithm_of(name, n, epsilon, rng, repetitions)

    return make
