"""What plain input may be: numbers, words and gains, of which the quick look and the slow one agree."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import RWFTPL, Hedge, RWMeta, SleepingHedge, TreeFTPL
from private_experts.errors import InputError
from private_experts.learners import TotalsLeader
from private_experts.privacy import GaussianDP, SimulatedNoise, privatize
from private_experts.validation import (
    check_rounds_left,
    check_word,
    checked_gains,
    checked_number,
    prevalidated,
)
from tests.each import each

NUMBERS = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, 1.0, np.nextafter(1, 2), -5e-324, 5e-324, np.inf, np.nan])
)


LARGEST = np.finfo(float).max
NEAR = [np.nextafter(edge, side) for edge in (0.0, 1.0, 2.5) for side in (-1, 3)]
EDGES = [0.0, -0.0, 0.5, 1.0, 2.5, LARGEST, -LARGEST, np.inf, -np.inf, np.nan, *NEAR]


@each("largest", [1.0, 2.5, np.inf])
def test_numbers_from_0_to_the_largest_are_taken_and_nothing_else(largest):
    several = [
        *itertools.product(EDGES),
        *itertools.product(EDGES, EDGES),
        *((0.5, edge, 0.5) for edge in EDGES),
    ]
    for gains in map(np.array, several):
        if all(0 <= gain <= largest and gain < np.inf for gain in gains):
            assert checked_gains(gains, len(gains), largest=largest) is gains
        else:
            with pytest.raises(InputError, match=r"^gains from .*: write numbers"):
                checked_gains(gains, len(gains), largest=largest)


@each("whole", [np.array([0, 1, 1]), np.array([False, True, True])])
def test_whole_numbers_and_truth_values_are_gains(whole):
    found = checked_gains(whole, 3)
    assert found.dtype == np.float64
    assert found.tolist() == [0.0, 1.0, 1.0]
    with pytest.raises(InputError, match="from 0 to 2"):
        checked_gains(2 * whole.astype(int), 3)


@each("shape", [(2,), (4,), (1, 3), (5, 3), (2, 2, 3), ()])
def test_another_shape_is_refused(shape):
    with pytest.raises(InputError, match=r"write shape \(3,\), or \(2, 3\)"):
        checked_gains(np.zeros(shape), 3, repetitions=2)
    assert checked_gains(np.zeros((2, 3)), 3, repetitions=2).shape == (2, 3)


@each(
    ("thing", "n", "bandit"),
    [
        *(
            (one, 3, True)
            for one in (0.5, 1, np.float64(0.5), np.array(0.5), np.array([0.5]), np.array([[0.5]]))
        ),
        *((np.zeros(2), 3, False), (np.zeros((1, 1, 1)), 1, False), (0.5, 1, False), ("word", 3, False)),
    ],
)
def test_the_gain_of_one_expert_alone_is_refused_as_bandit_feedback_and_no_other_mistake(thing, n, bandit):
    of_one = r"write .*shape \(3,\).*; the gain of the played expert alone is bandit"
    with pytest.raises(InputError, match=of_one if bandit else r"write [^;]*$"):
        checked_gains(thing, n, repetitions=2)


@each(
    ("gains", "n", "settings", "message"),
    [
        (None, 1, {}, "a NoneType was given; write a NumPy array"),
        (0.5, 1, {}, "a float was given; write a NumPy array"),
        ("x", 1, {}, "a str was given; write a NumPy array"),
        (
            np.ma.masked_greater(np.array([0.5, 900.0]), 1),
            2,
            {},
            "a MaskedArray was given; write a NumPy array",
        ),
        *((np.zeros(2, dtype=kind), 2, {}, "write an array of float64") for kind in (complex, object, "<U3")),
        *((np.zeros(2), 2, {"largest": most}, "write 1 or more") for most in (0.5, -1.0, np.nan)),
        (np.zeros(0), 0, {}, "write at least one number"),
    ],
)
def test_what_are_no_gains_is_refused(gains, n, settings, message):
    with pytest.raises(InputError, match=message):
        checked_gains(gains, n, **settings)


def test_of_a_subclass_the_plain_array_is_taken_and_bytes_in_another_order_are_read_in_theirs():
    class Modest(np.ndarray):
        def max(self):
            return 1.0

    for other in (lambda gains: gains.view(Modest), lambda gains: gains.astype(">f8")):
        found = checked_gains(other(np.array([0.25, 0.75])), 2)
        assert (type(found), found.tolist()) == (np.ndarray, [0.25, 0.75])
        with pytest.raises(InputError, match="from 0 to 900"):
            checked_gains(other(np.array([0.0, 900.0])), 2)
    wide = np.broadcast_to(np.array([0.0, 0.5]), (4, 2))  # views are taken as they are
    assert checked_gains(wide, 2, 4) is wide
    assert checked_gains(np.asfortranarray(np.full((4, 2), 0.5)), 2, 4).shape == (4, 2)


def test_a_missing_gain_is_refused_by_the_number_of_its_expert():
    for gains in (np.array([0.5, 0.2, np.nan]), np.array([[0.5, 0.2, 0.1], [0.5, 0.2, np.nan]])):
        with pytest.raises(
            InputError, match=r"^gains from nan to nan, that of expert 2 is missing: write numbers"
        ):
            checked_gains(gains, 3, repetitions=2)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=3, max_side=3), elements=NUMBERS))
def test_a_look_at_many_rounds_vouches_only_for_rounds_that_are_taken(rounds):
    n, repetitions = rounds.shape[-1], rounds.shape[-2]
    for part, sure in prevalidated(rounds, n, repetitions):
        if sure:
            assert all(checked_gains(gains, n, repetitions) is gains for gains in part)
        else:
            assert not all(0 <= gain <= 1 for gain in rounds.ravel()) or np.signbit(rounds).any()


def test_many_rounds_are_looked_at_in_stretches_that_miss_none(monkeypatch):
    monkeypatch.setattr("private_experts.validation._AT_ONCE", 8)
    rounds = np.tile([0.0, 0.5, 1.0], (7, 1))
    assert [(len(part), sure) for part, sure in prevalidated(rounds, 3)] == [(2, True)] * 3 + [(1, True)]
    rounds[5, 1] = np.nan
    assert [sure for _, sure in prevalidated(rounds, 3)] == [True, True, False, True]
    wrong = (rounds[:, :2], list(rounds), rounds.astype(np.float32), rounds[0], np.zeros((0, 3)))
    assert [sure for value in wrong for _, sure in prevalidated(value, 3)] == [False] * 8


NO_NUMBERS = [10**400, np.inf, np.nan, None]


@each(
    ("low", "high", "ends", "taken", "refused", "wanted"),
    [
        (0, np.inf, True, [0, 5, np.float64(0.1)], [*NO_NUMBERS, -1, "1", [1.0]], "of at least 0"),
        (0, np.inf, False, [5e-324, 3], [0, -1, np.inf, np.nan], "a positive number"),
        (2, np.inf, False, [2.5], [2, np.inf], "a number above 2"),
        (0, 1, True, [0, 1, 0.5], [-0.1, 1.1, np.nan], "a number from 0 to 1"),
        (0, 1, False, [0.5], [0, 1, 2, np.nan], "a number between 0 and 1"),
        (-np.inf, np.inf, True, [-1e300, 0, 7], [np.inf, -np.inf, np.nan, "0"], "a finite number"),
    ],
)
def test_a_number_lies_in_its_range_or_is_refused_with_the_range(low, high, ends, taken, refused, wanted):
    for value in taken:
        found = checked_number("x", value, low, high, ends=ends)
        assert (found, type(found)) == (value, float)
    for value in refused:
        with pytest.raises(InputError, match=f"^x (=|is of type) .*: write .*{wanted}$"):
            checked_number("x", value, low, high, ends=ends)


def test_a_word_is_one_of_those_there_are_and_a_round_one_of_the_horizon():
    check_word("windows", "all", "all", "dyadic")
    with pytest.raises(InputError, match=r"^windows = 'some': write 'all' or 'dyadic'$"):
        check_word("windows", "some", "all", "dyadic")
    check_rounds_left("RW-FTPL", 3, 4)
    check_rounds_left("RW-FTPL", 10**9, np.inf)
    with pytest.raises(InputError, match=r"^RW-FTPL: all 4 rounds were played: write the true horizon$"):
        check_rounds_left("RW-FTPL", 4, 4)


@pytest.mark.parametrize("alone", [0.5, {2: 0.5}, [0.5], np.array([0.5])])
def test_the_gain_of_the_played_expert_alone_is_refused_as_bandit_feedback(alone):
    local, noise = GaussianDP(1.0, "local"), SimulatedNoise(0)
    for algorithm in (
        Hedge(3, rng=0),
        TreeFTPL(3, GaussianDP(1.0, "central"), horizon=9, sensitivity=1.0, noise=noise),
        RWFTPL(3, local, sensitivity=1.0, noise=noise),
        RWMeta([TotalsLeader(privatize(np.zeros(3), local, 1.0, noise))], local, rng=0),
        SleepingHedge(3, local, rate=0.1, rng=0),
    ):
        with pytest.raises(InputError, match="bandit feedback"):
            algorithm.update(alone)
