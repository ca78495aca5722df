"""The law of a selection among steady and volatile actions is that of enumeration, and of the player."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from private_experts.arrays import Array, Indices
from private_experts.randomness import rng_for
from private_experts.replication.papers.blocks import block_regret, sampled_errors
from private_experts.replication.papers.p002 import volatile
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.papers.p002.volatile import Volatile, block_errors, chances
from tests.each import each
from tests.replication.papers.p002.streams import split


class Sampled(Volatile):
    """The same with total gains that are drawn: the second route to a regret."""

    def totals(self, counts: Indices, rng: np.random.Generator) -> Array:
        rounds = np.asarray(counts)[:, None]
        gains = rounds * self.means
        heads = rng.binomial(rounds, self.heads, (len(gains), self.volatile))
        gains[:, 1 + self.steady :] = rounds * (1 - self.small) - heads * (self.large - self.small)
        return gains


FEW = Volatile(best=0.3, near=0.05, gap=0.2, small=0.1, large=0.9, steady=3, volatile=2)


@each(("name", "tolerance"), [("whole block", 1e-10), ("noisy max", 1e-4)])
def test_the_law_is_that_of_all_coins_and_of_the_algorithms_own_selection(
    name: str, tolerance: float
) -> None:
    law, expected, r = algorithm_of(name, 2, 2.0, rng_for(0)).law, np.zeros(3), 3
    for heads in product(range(r + 1), repeat=2):
        coins = np.prod([volatile.binom.pmf(count, r, FEW.heads) for count in heads])
        totals = [r * FEW.best, r * (FEW.best + FEW.near), *(r * FEW.small + count * 0.8 for count in heads)]
        each_law = law(-np.array(totals), np.array([1, 3, 1, 1])) * [1, 3, 1, 1]
        expected += coins * np.array([each_law[0], each_law[1], each_law[2:].sum()])
    np.testing.assert_allclose(chances(name, FEW, 2.0, r), expected, atol=tolerance)


@each("name", ["randomised prefix", "whole block", "noisy max"])
def test_the_regret_is_that_of_drawn_totals(name: str) -> None:
    stream: Any = Sampled(best=0.2, near=1e-4, gap=0.01, small=0.0, large=1.0, steady=199, volatile=20)
    algorithm = algorithm_of(name, 220, 1.0, rng_for(1, name))
    exact = block_regret(block_errors(name, algorithm, stream, 10), [1023])[0]
    errors = sampled_errors(algorithm, stream, 10, 400, rng_for(2, name), by_law=name != "noisy max")
    drawn = block_regret(errors, [1023])[:, 0]
    error = drawn.std(ddof=1) / np.sqrt(drawn.size)
    assert abs(drawn.mean() - exact) < 5.5 * error  # a correct law fails this with probability 4e-8
    assert error < 0.1 * exact


def test_interpolated_blocks_are_the_mean_of_all_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    given = "randomised prefix", algorithm_of("randomised prefix", 220, 1.0, rng_for(0))
    interpolated = block_errors(*given, split(0.04, 0.42, 199, 20), 10)
    monkeypatch.setattr(volatile, "_NODES", 10**6)
    np.testing.assert_allclose(interpolated, block_errors(*given, split(0.04, 0.42, 199, 20), 10), rtol=1e-9)
