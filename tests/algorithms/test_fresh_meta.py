"""The mended RW-Meta: the law of its choice, and its scales."""

import math

import numpy as np
import pytest
from scipy import special

from private_experts.algorithms import FreshMeta
from private_experts.errors import InputError
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of

LOCAL = GaussianDP(1.0, "local")
REPETITIONS = 40_000
FALSE_ALARM = 4.9  # standard errors: probability 1e-6


def chosen(scale, gumbel, *credits):
    """How often each of three learners is chosen in the round after the given credits of one round."""
    actions = np.broadcast_to(np.arange(3)[:, None], (2, 3, REPETITIONS))
    meta = FreshMeta(
        [Recorded(actions)],
        LOCAL,
        scale=scale,
        rng=rng_for(0, "fresh meta", str(scale), gumbel),
        gumbel=gumbel,
    )
    meta.update(report_of(np.array(credits)))
    return np.bincount(meta.predict(), minlength=3) / REPETITIONS


def near(found, expected):
    return abs(found - expected) < FALSE_ALARM * math.sqrt(expected * (1 - expected) / REPETITIONS)


@each("scale", [[9.0, 0.7], [0.1, 3.0]])
def test_two_learners_are_chosen_by_the_normal_law_of_their_difference(scale):
    found = chosen(scale, 0.0, 1.0, 0.0, -1e9)
    assert near(found[0], special.ndtr(1 / (math.sqrt(2) * scale[1])))


@each("rate", [0.5, 2.0])
def test_gumbel_noise_alone_chooses_by_exponential_weights(rate):
    found, credits = chosen(0.0, 1 / rate, 1.0, 0.0, 0.5), np.array([1.0, 0.0, 0.5])
    weights = np.exp(rate * credits) / np.exp(rate * credits).sum()
    assert all(near(*pair) for pair in zip(found, weights, strict=True))


@each("learners", [2, 5, 40])
def test_noise_has_its_scales_for_any_number_of_learners_to_the_digit(learners):
    scales = 0.7 + np.arange(200) % 7  # of the rounds
    actions = np.broadcast_to(np.arange(learners)[:, None], (scales.size, learners, 4))
    rng, other = (rng_for(0, "fresh meta", "digits") for _ in range(2))
    meta = FreshMeta([Recorded(actions)], LOCAL, scale=scales, rng=rng, gumbel=1.5)
    for scale in scales:
        meta._advice()
        expected = scale * other.standard_normal((4, learners)) + 1.5 * other.gumbel(size=(4, learners))
        np.testing.assert_allclose(meta._extra(), expected, rtol=1e-12)
        meta.update(report_of(np.zeros(learners)))


def test_the_noise_is_fresh_in_every_round_and_for_every_learner():
    actions = np.broadcast_to(np.arange(2)[:, None], (3, 2, REPETITIONS))
    meta = FreshMeta([Recorded(actions)], LOCAL, scale=1.0, rng=rng_for(0, "fresh rounds"))
    plays = []
    for _ in range(3):
        plays.append(meta.predict())
        meta.update(report_of(np.zeros(2)))
    for first, second in ((0, 1), (1, 2)):
        assert near((plays[first] == plays[second]).mean(), 0.5)


def test_a_round_without_a_question_has_its_scale_too():
    def last(choices):
        actions = np.broadcast_to(np.arange(2)[:, None], (3, 2, 500))
        meta = FreshMeta([Recorded(actions)], LOCAL, scale=iter([1e9, 1e9, 1e-9]), rng=rng_for(0, "asked"))
        for _ in range(2):
            for _ in range(choices):
                meta.predict()
            meta.update(report_of(np.array([0.0, 1.0])))
        return meta.predict()

    assert (last(0) == 1).all()
    assert (last(2) == 1).all()


def test_scales_that_end_too_early_are_told():
    meta = FreshMeta([Recorded(np.zeros((2, 2, 1), dtype=int))], LOCAL, scale=[1.0], rng=rng_for(0, "short"))
    meta.predict()
    meta.update(report_of(np.zeros(2)))
    with pytest.raises(InputError, match="scale ended before round 2"):
        meta.predict()
