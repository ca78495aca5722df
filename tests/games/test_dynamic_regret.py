"""Regret to sequences of experts and in intervals, against trying all of them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import FollowTheLeader
from private_experts.errors import InputError
from private_experts.games import (
    best_sequence,
    best_total,
    dynamic_regret,
    interval_regret,
    play,
    static_regret,
    switches,
)
from private_experts.randomness import rng_for
from tests.each import each


@st.composite
def games(draw, wide=False):
    """Gains (T, n) or (T, repetitions, n) in eighths, whose sums are exact, and actions (T, repetitions)."""
    rounds, n, repetitions = draw(st.integers(1, 6)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    shape = (rounds, repetitions, n) if wide else (rounds, n)
    gains = draw(hnp.arrays(np.float64, shape, elements=st.integers(0, 8).map(lambda k: k / 8)))
    return gains, draw(hnp.arrays(np.intp, (rounds, repetitions), elements=st.integers(0, n - 1)))


def most(gains, few):
    """What the best sequence with at most so many switches earns, by trying all."""
    rounds, n = gains.shape
    paths = (
        p
        for p in itertools.product(range(n), repeat=rounds)
        if sum(a != b for a, b in itertools.pairwise(p)) <= few
    )
    return max(sum(gains[t, j] for t, j in enumerate(path)) for path in paths)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.one_of(games(), games(wide=True)), st.integers(0, 4))
def test_the_best_sequence_earns_what_the_best_of_all_does(game, few):
    gains, actions = game
    path = best_sequence(gains, few)
    assert path.shape == gains.shape[:-1]
    assert np.max(switches(path)) <= few
    regret, totals = dynamic_regret(gains, actions, few), best_total(gains, few)
    assert totals.shape == gains.shape[1:-1]
    for r in range(actions.shape[1]):
        own = gains if gains.ndim == 2 else gains[:, r]
        along = path if gains.ndim == 2 else path[:, r]
        best = most(own, few)
        assert (
            sum(own[t, j] for t, j in enumerate(along)) == best == (totals if gains.ndim == 2 else totals[r])
        )
        assert regret[r] == best - sum(own[t, j] for t, j in enumerate(actions[:, r]))


@each("wide", [False, True])
def test_a_sequence_can_be_given(wide):
    gains = np.array([[1.0, 0.0], [0.0, 0.5], [0.25, 1.0]])
    actions = np.array([[0, 1], [0, 1], [1, 1]])
    if wide:
        gains = np.repeat(gains[:, None], 2, axis=1)
    np.testing.assert_array_equal(dynamic_regret(gains, actions, np.array([0, 1, 1])), [0.5, 1.0])
    both = np.array([[0, 0], [1, 0], [1, 0]])
    if wide:
        np.testing.assert_array_equal(dynamic_regret(gains, actions, both), [0.5, -0.25])
        return
    named = pd.Series(["a", "b", "b"], index=[3, 4, 5])
    told = pd.DataFrame(gains, columns=["a", "b"], index=named.index)
    np.testing.assert_array_equal(dynamic_regret(told, actions, named), [0.5, 1.0])
    with pytest.raises(InputError, match="regret: row"):
        dynamic_regret(told, actions, named[::-1])


@each(("losses", "sign"), [(False, 1), (True, -1)])
def test_numbers_that_were_played_as_losses_are_what_they_are_said_to_be(losses, sign):
    numbers = rng_for(0, "played as losses").random((6, 2))
    actions = play(FollowTheLeader(2), numbers, losses=True)[:, 0].tolist()
    total = sign * numbers
    expected = total.sum(axis=0).max() - total[np.arange(6), actions].sum()
    assert dynamic_regret(numbers, actions, 0, losses=losses) == pytest.approx(expected)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.one_of(games(), games(wide=True)))
def test_the_worst_interval_is_the_worst_of_all(game):
    gains, actions = game
    rounds = len(gains)
    result = interval_regret(gains, actions, np.arange(1, rounds + 1))
    assert result.shape == (rounds, actions.shape[1])
    for w in range(1, rounds + 1):
        for r in range(actions.shape[1]):
            own = gains if gains.ndim == 2 else gains[:, r]
            expected = max(
                static_regret(own[s : s + w], actions[s : s + w, r : r + 1])[0] for s in range(rounds - w + 1)
            )
            assert result[w - 1, r] == expected


def test_fewer_than_no_switches_are_refused():
    assert best_total(np.zeros((0, 3, 2)), 1).tolist() == [0.0] * 3  # no rounds, three copies
    assert best_sequence([[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]], 1).tolist() == [1, 1, 1]  # it stays if it may
    for refuses in best_sequence, best_total:
        with pytest.raises(InputError, match="-1"):
            refuses(np.zeros((3, 2)), -1)
