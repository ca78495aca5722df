"""The mended RW-Meta: the law of its choice, and its scales."""

import numpy as np
import pytest

from private_experts.algorithms import FreshMeta
from private_experts.errors import InputError
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.each import each
from tests.noisy import report_of

LOCAL = GaussianDP(1.0, "local")


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


def test_a_saved_game_goes_on_with_the_same_scales_alone():
    def begun(scales, rounds):
        actions = np.broadcast_to(np.arange(2)[:, None], (4, 2, 3))
        meta = FreshMeta([Recorded(actions)], LOCAL, scale=iter(scales), rng=rng_for(0, "saved"))
        for _ in range(rounds):
            meta.predict()
            meta.update(report_of(np.array([0.0, 1.0])))
        return meta

    saved = begun([1.0, 2.0, 3.0], 2)
    for scales in ([1.0, 2.0, 3.0], [1.0, 2.5, 3.0]):
        load_state_dict(state_dict(saved), other := begun(scales, 0))
        if scales[1] == 2.0:
            np.testing.assert_array_equal(other.predict(), begun([1.0, 2.0, 3.0], 2).predict())
            continue
        with pytest.raises(InputError, match="are not those of what was loaded: give the same again"):
            other.predict()


def test_scales_that_end_too_early_are_told():
    meta = FreshMeta([Recorded(np.zeros((2, 2, 1), dtype=int))], LOCAL, scale=[1.0], rng=rng_for(0, "short"))
    meta.predict()
    meta.update(report_of(np.zeros(2)))
    with pytest.raises(InputError, match="scale ended before round 2"):
        meta.predict()
