"""The leader among learners with smoothed credits."""

import numpy as np
import pytest

from private_experts.algorithms import FreshMeta, SmoothedLeader
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of, reports_of

LOCAL = GaussianDP(1.0, "local")
ROUNDS, LEARNERS, REPETITIONS, EXPERTS = 15, 4, 3, 5


def stream():
    rng = rng_for(0, "test smoothed leader")
    actions = rng.integers(EXPERTS, size=(ROUNDS, LEARNERS, REPETITIONS))
    return actions, rng.standard_normal((ROUNDS, REPETITIONS, EXPERTS))


@each("span", [1, 2, 4, 15, 100])
def test_credits_are_means_over_the_span_or_over_what_there_is_of_it(span):
    actions, reports = stream()
    leader = SmoothedLeader([Recorded(actions)], LOCAL, span=span)
    for t in range(ROUNDS):
        leader.predict()
        leader.update(report_of(reports[t]))
        expected = np.zeros((REPETITIONS, LEARNERS))
        for since in range(t + 1):
            mean = reports[since : min(since + span, t + 1)].mean(axis=0)
            expected += np.take_along_axis(mean, actions[since].T, axis=-1)
        np.testing.assert_allclose(leader.totals, expected, atol=1e-12)


def test_with_a_span_of_one_round_it_is_rw_meta_without_extra_noise():
    actions, reports = stream()
    follower = FreshMeta([Recorded(actions)], LOCAL, scale=0.0, rng=np.random.default_rng(0))
    smoothed = SmoothedLeader([Recorded(actions)], LOCAL, span=1)
    np.testing.assert_array_equal(play(smoothed, reports_of(reports)), play(follower, reports_of(reports)))


def test_noise_that_the_next_round_undoes_hardly_enters_a_smoothed_credit():
    # Learner 0 earns 1/2. Learner 1 names the expert whose report was just high, and is low now.
    reports = np.array([[[0.5, 1.0, -1.0]], [[0.5, -1.0, 1.0]]] * 10)
    actions = np.array([[[0], [2]], [[0], [1]]] * 10)
    single, smoothed = (SmoothedLeader([Recorded(actions)], LOCAL, span=span) for span in (1, 2))
    for leader in (single, smoothed):
        for report in reports:
            leader.predict()
            leader.update(report_of(report))
    assert single.totals[0, 1] == -20.0
    # of the last round alone, whose next is still to come
    assert smoothed.totals[0, 1] == pytest.approx(-1.0)
    assert smoothed.totals[0, 0] == single.totals[0, 0] == pytest.approx(10.0)


@each("span", [0, -1])
def test_a_span_below_one_round_is_refused(span):
    with pytest.raises(InputError, match="span"):
        SmoothedLeader([], LOCAL, span=span)
