"""Hedge draws from the exponential law of the totals, at a rate that falls with the rounds."""

import math

import numpy as np

from private_experts.algorithms import Hedge
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for


def test_its_law_is_the_exponential_one_at_the_rate_of_the_round():
    """The battery looks whether draws follow it."""
    hedge, totals = Hedge(5, rng=0, repetitions=3), np.zeros(5)
    for t, gains in enumerate(rng_for(1, "hedge").random((20, 5)), start=1):
        law = exponential_law(totals, 2 * math.sqrt(math.log(5) / t))
        np.testing.assert_allclose(np.broadcast_to(hedge.probabilities(), (3, 5)), [law] * 3, rtol=1e-12)
        hedge.update(gains)
        totals += gains
