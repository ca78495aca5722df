import itertools
import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from private_experts.randomness import Ahead, rng_for
from tests.each import each

FALSE_ALARM = 1e-6


def stream(seed, *key):
    return tuple(rng_for(seed, *key).integers(2**63, size=4).tolist())


def test_the_same_seed_and_key_give_the_same_stream_whatever_was_drawn_before():
    key = ("local noise", "NM", 0.5)
    first = stream(7, *key)
    rng_for(7, "other").random(1000)
    stream(8, *key)
    assert stream(7, *key) == first


def test_another_seed_another_part_or_another_order_gives_another_stream():
    alone = ["", "a", "b", "A", "ab", "bc", "c", "a\x1fb", "mu", "0.5", 0, 0.5, 1, 2, 2.5, 12, float("inf")]
    keys = [
        (),
        *itertools.product(alone),
        *itertools.product(alone, alone),
        *itertools.product("ab", "ab", [0, "b"]),
        *itertools.product("ab", repeat=5),
    ]
    streams = [stream(seed, *key) for seed in (1, 2) for key in keys]
    assert len({*streams}) == len(streams)


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.integers(-(2**53), 2**53))
def test_an_int_and_the_float_equal_to_it_are_the_same_key(number):
    assert stream(0, "mu", number) == stream(0, "mu", float(number))


def test_a_key_is_kept_to_at_least_128_bits_so_that_no_two_collide_by_chance():
    first, second = (rng_for(0, "a", k).bit_generator.seed_seq.spawn_key for k in (1, 2))
    assert len(set(first) - set(second)) * 32 >= 128
    assert max(first) > 2**16  # words, not bytes


def test_streams_of_neighbouring_keys_and_seeds_are_independent():
    # Sums over 200 streams, at 50 places: shared or opposed streams would make them too variable or too even.
    for number, streams in enumerate(
        ([rng_for(0, "a", k) for k in range(200)], [rng_for(seed, "a") for seed in range(200)])
    ):
        sums = np.sum([generator.standard_normal(50) for generator in streams], axis=0)
        squares, law = (sums**2).sum() / 200, stats.chi2(50)
        assert min(law.cdf(squares), law.sf(squares)) > FALSE_ALARM / 4, number


def test_the_stream_is_the_same_in_another_process_with_another_hash_seed():
    program = "from private_experts.randomness import rng_for; print(rng_for(1, 'a', 0.5).integers(2**63))"
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        answer = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        assert int(answer.stdout) == rng_for(1, "a", 0.5).integers(2**63)


@each("shape", [(3,), (2, 5), (7, 10_000)])
def test_what_is_drawn_ahead_is_what_one_large_draw_gives(shape):
    arrays = Ahead(rng_for(1, "ahead").random, shape)
    drawn = np.stack([next(arrays) for _ in range(3)])
    np.testing.assert_array_equal(drawn, rng_for(1, "ahead").random((3, *shape)))


def test_no_draw_is_used_twice_when_the_stock_is_out():
    shapes = []

    def draw(shape):
        shapes.append(shape)
        return np.full(shape, float(len(shapes)))

    arrays = Ahead(draw, (4, 2048))
    assert [next(arrays)[0, 0] for _ in range(9)] == [1.0] * 4 + [2.0] * 4 + [3.0]
    assert shapes == [(4, 4, 2048)] * 3


def test_many_arrays_taken_at_once_are_those_that_come_one_by_one():
    # four are drawn at once
    arrays, single = (Ahead(rng_for(1, "taken").random, (4, 2048)) for _ in range(2))
    next(arrays)
    taken = [arrays.take(min(2, arrays.ready())) for _ in range(3)]
    assert [len(draws) for draws in taken] == [2, 1, 2]
    next(single)
    np.testing.assert_array_equal(np.concatenate(taken), np.stack([next(single) for _ in range(5)]))
