"""Repetitions in blocks: all of them are there, and each block has random numbers of its own."""

from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.ledger.repetition_blocks import blocks, repeated, repeated_where_close
from tests.each import each

CELLS = [("a", 0.0), ("b", 3.0)]


def play(name: str, mean: float, count: int, key: tuple[int, ...]) -> list[Any]:
    draws = rng_for(1, name, *key).normal(mean, size=(2, count))
    return [draws, draws[0] > mean]


def test_repetitions_of_all_blocks_are_there_and_no_two_blocks_are_the_same() -> None:
    [(draws, above), _] = repeated(play, CELLS, 10, 3)
    assert (draws.shape, above.shape) == ((2, 10), (10,))
    assert np.unique(draws).size == 20
    assert np.array_equal(draws[0] > 0.0, above)


@each("size", [10, 1000])
def test_one_block_knows_nothing_of_blocks(size: int) -> None:
    assert blocks(10, size) == [(10, (10,))]
    assert np.array_equal(repeated(play, CELLS, 10, size)[1][0], play("b", 3.0, 10, (10,))[0])


@each(("repetitions", "size"), [(10, 3), (9, 3), (8, 7)])
def test_blocks_have_all_repetitions_and_keys_of_their_own(repetitions: int, size: int) -> None:
    counts, keys = zip(*blocks(repetitions, size), strict=True)
    assert sum(counts) == repetitions
    assert max(counts) <= size
    assert {*counts[:-1]} <= {size}
    assert len({*keys}) == len(keys)
    assert all(key[0] == repetitions for key in keys)


def test_cells_far_from_their_bound_have_an_eighth_of_the_repetitions() -> None:
    def play(cell: str, count: int, key: tuple[int, ...]) -> list[np.ndarray]:
        return [np.full(count, ord(cell))]

    [[far], [near]] = repeated_where_close(play, [("a",), ("b",)], lambda cell: cell == ("b",), 17, 4)
    assert far.tolist() == [97] * 3
    assert near.tolist() == [98] * 17
