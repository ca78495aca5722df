"""Adaptive adversaries answer what was played, and no more."""

import itertools

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import Uniform
from private_experts.errors import InputError
from private_experts.games import best_sequence
from private_experts.games.adaptive import FavouriteAdversary, PairsAdversary, play_adaptively
from private_experts.randomness import rng_for
from private_experts.replication.study.intervals import mean_interval
from tests.each import each


def test_a_row_is_worth_something_until_its_pair_is_played():
    adversary, rng = PairsAdversary(8, 8, 1, rng_for(1, "pairs"), 3), rng_for(1, "plays")
    rounds = []
    for t in range(8):
        gains = adversary.gains()
        np.testing.assert_array_equal(adversary.gains(), gains)
        if t % 4 == 0:
            played = [set() for _ in range(3)]
        for r, pair in itertools.product(range(3), range(4)):
            assert gains[r, 2 * pair : 2 * pair + 2].sum() == (pair not in played[r])
        rounds.append(gains.copy())
        actions = rng.integers(8, size=3)
        gains[...] = -1.0  # the caller's array is the caller's
        adversary.answer(actions)
        for r in range(3):
            played[r].add(actions[r] // 2)
    best = sum(np.array(rounds[first : first + 4]).sum(axis=0).max(axis=1) for first in (0, 4))
    np.testing.assert_array_equal(adversary.best, best)
    assert (
        best
        <= np.take_along_axis(np.array(rounds), best_sequence(np.array(rounds), 1)[..., None], 2).sum((0, 2))
    ).all()


def test_surpluses_of_pairs_are_uniform_and_biases_last_for_a_phase():
    adversary = PairsAdversary(8, 8, 1, rng_for(1, "surplus"), 4000)
    totals = []
    for _ in range(2):
        rows = []
        for _ in range(4):
            rows.append(adversary.gains()[:, 2::2] - adversary.gains()[:, 3::2])
            adversary.answer(np.zeros(4000, dtype=int))
        totals.append(np.array(rows).sum(axis=0).ravel())
    for surplus in totals:
        counts = np.bincount((surplus.astype(int) + 4) // 2, minlength=5)
        assert stats.chisquare(counts).pvalue > 1e-6  # false alarm 1e-6
    assert abs(np.corrcoef(*totals)[0, 1]) < 0.05


def test_uniform_guesses_earn_what_is_computed():
    adversary = PairsAdversary(32, 64, 3, rng_for(1, "guess"), 400)
    earnings = play_adaptively(Uniform(32, rng=rng_for(1, "guesses"), repetitions=400), adversary, 64)
    assert earnings.shape == (64, 400)
    _, low, high = mean_interval(earnings.mean(axis=0))  # false alarm 1e-3, with a fixed seed
    assert low < (1 - (1 - 1 / 16) ** 16) / 2 < high


@each(("n", "horizon", "shifts", "word"), [(8, 10, 2, "horizon"), (6, 8, 1, "n ="), (9, 8, 1, "n =")])
def test_what_leaves_no_such_sequence_is_refused(n, horizon, shifts, word):
    with pytest.raises(InputError, match=word):
        PairsAdversary(n, horizon, shifts, rng_for(0, "unused"))


def test_the_favourite_of_late_loses_from_the_next_phase_on():
    adversary = FavouriteAdversary(3, [2, 5], 2.0, 2)
    plays = [(2, 1), (2, 1), (1, 0), (0, 0), (0, 2), (0, 0)]
    losers = []
    for actions in plays:
        gains = adversary.gains()
        assert (gains.sum(axis=1) == 2).all()
        losers.append(gains.argmin(axis=1).tolist())
        adversary.answer(np.array(actions))
    # of late: with weights 1/2 for each round past
    assert losers == [[0, 0], [0, 0], [2, 1], [2, 1], [2, 1], [0, 2]]


@each(("n", "memory"), [(1, 2.0), (2, 0.5), (2, float("nan"))])
def test_too_few_experts_or_rounds_are_refused(n, memory):
    with pytest.raises(InputError, match="favourite"):
        FavouriteAdversary(n, [], memory)
