"""Hedge draws from the exponential law of the totals, at a rate that falls with the rounds."""

import math

import numpy as np

from private_experts.algorithms import Hedge
from private_experts.games import play
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from tests.algorithms.cases import in_single_rounds


def test_its_law_is_the_exponential_one_at_the_rate_of_the_round():
    """The battery looks whether draws follow it."""
    hedge, totals = Hedge(5, rng=0, repetitions=3), np.zeros(5)
    for t, gains in enumerate(rng_for(1, "hedge").random((20, 5)), start=1):
        law = exponential_law(totals, 2 * math.sqrt(math.log(5) / t))
        np.testing.assert_allclose(np.broadcast_to(hedge.probabilities(), (3, 5)), [law] * 3, rtol=1e-12)
        hedge.update(gains)
        totals += gains


def test_a_long_lead_makes_no_number_too_large():
    hedge, gains = Hedge(64, rng=0), np.tile(np.eye(64)[1], (32_000, 1))  # e^729 is no float
    assert (play(hedge, gains)[100:] == 1).all()
    assert hedge.predict() == 1


def test_copies_with_gains_of_their_own_draw_by_these_in_single_rounds_as_at_once():
    gains = np.zeros((9, 40, 5))
    gains[:, np.arange(40), np.arange(40) % 5] = 1.0  # of each copy another expert earns all
    at_once, one_by_one = (Hedge(5, rng=0, repetitions=40) for _ in range(2))
    actions = in_single_rounds(one_by_one, gains)
    np.testing.assert_array_equal(actions, play(at_once, gains))
    assert (actions[-1] == np.arange(40) % 5).mean() > 0.9
