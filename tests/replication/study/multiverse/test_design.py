"""Blocks partition the universes and are balanced, by enumeration; a sample is some of them."""

import itertools
import math

import numpy as np
import pytest

from private_experts.replication.study.multiverse.design import blocks, count, sample

SIZES = [(3, 3, 2, 3, 2, 3, 1), (2, 2), (4, 6), (5,), (1, 1)]


def universes_of(sizes, share=1.0, seed=3, state="NM"):
    return [tuple(universe) for block in sample(sizes, share, seed, state).tolist() for universe in block]


@pytest.mark.parametrize("sizes", SIZES)
def test_all_blocks_together_are_all_universes_once(sizes):
    assert sorted(universes_of(sizes)) == list(itertools.product(*map(range, sizes)))
    assert len(blocks(sizes)) == count(sizes, 1.0)[1] == math.prod(sizes) // math.lcm(*sizes)


@pytest.mark.parametrize("sizes", SIZES)
def test_every_option_is_as_frequent_as_every_other_in_every_block(sizes):
    for block in sample(sizes, 1.0, 3, "NM"):
        for choice, size in enumerate(sizes):
            assert np.bincount(block[:, choice], minlength=size).tolist() == [len(block) // size] * size


def test_a_larger_share_takes_in_a_smaller_one_and_states_differ():
    small, large = universes_of(SIZES[0], 0.1), universes_of(SIZES[0], 0.4)
    assert len(small) == 5 * 6 < len(large) == 22 * 6
    assert {*small} < {*large}
    assert {*small} != {*universes_of(SIZES[0], 0.1, state="PA")}


def test_each_block_is_drawn_equally_often():
    """5 of 18 blocks, 300 times: some share is off by more than 0.13 with a probability below 1e-5 (normal law)."""
    sizes = (3, 3, 2, 3, 2)  # 108 universes
    starts = {tuple(start): number for number, start in enumerate(blocks(sizes).tolist())}
    drawn = [starts[tuple(block[0])] for seed in range(300) for block in sample(sizes, 5 / 18, seed, "NM").tolist()]
    assert np.abs(np.bincount(drawn, minlength=18) / 300 - 5 / 18).max() < 0.13


def test_at_least_two_blocks_are_drawn():
    assert count((3, 3), 0.01) == (2, 3)
    assert count((3,), 0.01) == (1, 1)
