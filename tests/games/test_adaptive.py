"""The adversary devalues what was played, and leaves a sequence that loses nothing."""

import numpy as np
import pytest

from private_experts.algorithms import Uniform
from private_experts.errors import InputError
from private_experts.games import best_sequence
from private_experts.games.adaptive import PairsAdversary, play_adaptively
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_004.adaptive import guessing
from private_experts.replication.intervals import mean_interval
from tests.each import each


def test_a_pair_is_worth_1_to_who_knows_its_coin_until_it_is_played():
    adversary = PairsAdversary(8, 8, 1, rng_for(1, "pairs"), 3)
    rng = rng_for(1, "plays")
    played = [set() for _ in range(3)]
    coins = None
    for t in range(8):
        gains = adversary.gains()
        np.testing.assert_array_equal(adversary.gains(), gains)
        if t % 4 == 0:
            assert (gains.reshape(3, 4, 2).sum(axis=2) == 1).all()
            if coins is not None:
                assert (gains != coins).any()
            coins, played = gains.copy(), [set() for _ in range(3)]
        for r in range(3):
            for pair in range(4):
                expected = 0.0 if pair in played[r] else coins[r, 2 * pair : 2 * pair + 2]
                np.testing.assert_array_equal(gains[r, 2 * pair : 2 * pair + 2], np.broadcast_to(expected, 2))
        actions = rng.integers(8, size=3)
        gains[...] = -1.0  # the caller's array is the caller's
        adversary.answer(actions)
        for r in range(3):
            played[r].add(actions[r] // 2)


def test_a_sequence_with_as_many_switches_as_shifts_earns_all():
    adversary, rng = PairsAdversary(8, 12, 2, rng_for(1, "best"), 20), rng_for(1, "plays")
    rounds = []
    for _ in range(12):
        rounds.append(adversary.gains())
        adversary.answer(rng.integers(8, size=20))
    gains = np.array(rounds)
    earned = np.take_along_axis(gains, best_sequence(gains, 2)[..., None], axis=2).sum(axis=(0, 2))
    np.testing.assert_array_equal(earned, 12.0)


def test_uniform_guesses_earn_what_is_computed():
    adversary = PairsAdversary(32, 64, 3, rng_for(1, "guess"), 400)
    earnings = play_adaptively(Uniform(32, rng_for(1, "guesses"), 400), adversary, 64)
    assert earnings.shape == (64, 400)
    _, low, high = mean_interval(1 - earnings.mean(axis=0))  # false alarm 1e-3, with a fixed seed
    assert low < guessing(64, 3) < high


@each(("n", "horizon", "shifts", "word"), [(8, 10, 2, "horizon"), (6, 8, 1, "n ="), (9, 8, 1, "n =")])
def test_what_leaves_no_such_sequence_is_refused(n, horizon, shifts, word):
    with pytest.raises(InputError, match=word):
        PairsAdversary(n, horizon, shifts, rng_for(0, "unused"))
