"""Regret to the best expert, to sequences of experts and in intervals, against trying all of them."""

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
    earned,
    interval_regret,
    play,
    static_regret,
    switches,
)
from private_experts.randomness import rng_for
from tests.each import each

EIGHTHS = st.integers(0, 8).map(lambda k: k / 8)  # their sums are exact
property_of_games = settings(deadline=None, max_examples=30, derandomize=True)


@st.composite
def games(draw, wide=False, rest=None):
    """Gains (T, n) or (T, repetitions, n), and actions (T, repetitions) or (T, *rest)."""
    longest, widest = (6, 3) if rest is None else (8, 5)  # of few are all sequences tried
    rounds, n, repetitions = (draw(st.integers(1, most)) for most in (longest, widest, 3))
    shape = (rounds, repetitions, n) if wide else (rounds, n)
    gains = draw(hnp.arrays(np.float64, shape, elements=EIGHTHS))
    places = (repetitions,) if rest is None else draw(rest)
    return gains, draw(hnp.arrays(np.intp, (rounds, *places), elements=st.integers(0, n - 1)))


@property_of_games
@given(games(rest=st.sampled_from([(), (1,), (3,), (2, 3)])))
def test_what_is_earned_regretted_and_changed_is_what_one_counts_by_hand(game):
    gains, actions = game
    gained, regret, changes = earned(gains, actions), static_regret(gains, actions), switches(actions)
    assert gained.shape == actions.shape
    assert np.shape(regret) == np.shape(changes) == actions.shape[1:]
    best = max(sum(gains[t, i] for t in range(len(gains))) for i in range(gains.shape[1]))
    for place in np.ndindex(actions.shape[1:]):
        played = [int(actions[(t, *place)]) for t in range(len(gains))]
        own = [gains[t, action] for t, action in enumerate(played)]
        assert gained[(slice(None), *place)].tolist() == own
        assert regret[place] == best - sum(own)
        assert changes[place] == sum(one != other for one, other in itertools.pairwise(played))


def most(gains, few):
    """What the best sequence with at most so many switches earns, by trying all."""
    rounds, n = gains.shape
    paths = (
        p
        for p in itertools.product(range(n), repeat=rounds)
        if sum(a != b for a, b in itertools.pairwise(p)) <= few
    )
    return max(sum(gains[t, j] for t, j in enumerate(path)) for path in paths)


@property_of_games
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


@property_of_games
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


def test_games_of_many_rounds_and_experts_are_counted_like_small_ones():
    rng = rng_for(0, "many rounds and experts")
    gains, actions = rng.integers(0, 9, (80, 12)) / 8, rng.integers(0, 12, (80, 2))
    gains[:, -1] = np.maximum(gains[:, -1], 0.5)  # the last is the best of all

    def worst(length, r):
        windows = [slice(start, start + length) for start in range(81 - length)]
        own = gains[np.arange(80), actions[:, r]]
        return max(gains[window].sum(axis=0).max() - own[window].sum() for window in windows)

    lengths = [1, 9, 64, 80]
    found = interval_regret(gains, actions, lengths)
    assert found.tolist() == [[worst(length, r) for r in range(2)] for length in lengths]
    np.testing.assert_array_equal(static_regret(gains, actions), found[-1])
    best = [[0.0] * 12] * 10  # by how many switches at most, and the last expert
    for row in gains:
        best = [
            [row[i] + max(best[few][i], max(best[few - 1]) if few else 0.0) for i in range(12)]
            for few in range(10)
        ]
    assert best_total(gains, 9) == max(best[9])
    path = best_sequence(gains, 9)
    assert switches(path) == 9
    assert earned(gains, path).sum() == max(best[9])


def test_fewer_than_no_switches_are_refused():
    assert best_total(np.zeros((0, 3, 2)), 1).tolist() == [0.0] * 3  # no rounds, three copies
    assert best_sequence([[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]], 1).tolist() == [1, 1, 1]  # it stays if it may
    for refuses in best_sequence, best_total:
        with pytest.raises(InputError, match="-1"):
            refuses(np.zeros((3, 2)), -1)


@each(
    ("actions", "message"),
    [
        (np.array([[0], [-1], [1]]), "-1 is among them: write numbers from 0 to 1"),
        (np.array([[0], [2], [1]]), "2 is among them: write numbers from 0 to 1"),
        (np.array([[0.0], [1.0], [1.0]]), "float64 of shape"),
        (np.zeros((1, 1), dtype=int), "write those of 3 rounds"),  # one round would be taken for all
        ([["0"], ["0"], ["0"]], "<U1 of shape"),
    ],
)
@each(
    "regret",
    [
        earned,
        static_regret,
        lambda *game: dynamic_regret(*game, 1),
        lambda *game: interval_regret(*game, [1]),
    ],
)
def test_actions_that_are_no_experts_or_not_of_all_rounds_are_refused(actions, message, regret):
    with pytest.raises(InputError, match=rf"^regret: actions.* {message}"):
        regret(np.full((3, 2), 0.5), actions)


def test_a_comparison_sequence_is_looked_at_too():
    with pytest.raises(InputError, match="-1 is among them"):
        dynamic_regret(np.full((2, 2), 0.5), np.zeros((2, 1), dtype=int), np.array([0, -1]))
    assert dynamic_regret(np.eye(2), np.zeros((2, 1), dtype=int), np.int64(1)).tolist() == [1.0]
