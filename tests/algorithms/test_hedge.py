"""Hedge draws from the exponential law of the totals, at a rate that falls with the rounds."""

import math

import numpy as np
from scipy import stats

from private_experts.algorithms import Hedge
from private_experts.games import play
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for

FALSE_ALARM = 1e-6


def test_draws_follow_the_law_at_the_rate_of_their_round():
    gains = np.array([[1.0, 0.0, 0.5], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    actions = play(Hedge(3, rng=rng_for(0, "test hedge"), repetitions=20_000), gains)
    for t in range(4):
        law = exponential_law(gains[:t].sum(axis=0), 2 * math.sqrt(math.log(3) / (t + 1)))
        assert stats.chisquare(np.bincount(actions[t], minlength=3), 20_000 * law).pvalue > FALSE_ALARM / 4


def test_permuted_experts_have_a_permuted_law():
    """Experts are drawn by their numbers: a play is not permuted, but its law is."""
    gains, order, laws = rng_for(1, "permuted hedge").random((20, 5)), np.array([3, 0, 4, 1, 2]), []
    for told in (gains[:, order], gains):
        hedge = Hedge(5, rng=rng_for(0, "test hedge"), repetitions=3)
        play(hedge, told)
        laws.append(hedge.probabilities())
    np.testing.assert_allclose(laws[0], laws[1][:, order], rtol=1e-12)
    assert np.ptp(laws[1]) > 0.01
