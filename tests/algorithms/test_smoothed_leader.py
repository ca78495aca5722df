"""The leader among learners with smoothed credits."""

import numpy as np
import pytest

from private_experts.algorithms import SmoothedLeader
from private_experts.errors import InputError
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of

LOCAL = GaussianDP(1.0, "local")
ROUNDS, LEARNERS, REPETITIONS, EXPERTS = 15, 4, 3, 5


@each("span", [1, 2, 4, 15, 100])
def test_credits_are_means_over_the_span_or_over_what_there_is_of_it_and_their_leader_is_followed(span):
    rng = rng_for(0, "test smoothed leader")
    actions = rng.integers(EXPERTS, size=(ROUNDS, LEARNERS, REPETITIONS))
    reports = rng.standard_normal((ROUNDS, REPETITIONS, EXPERTS))
    leader = SmoothedLeader([Recorded(actions)], LOCAL, span=span)
    expected = np.zeros((REPETITIONS, LEARNERS))
    for t in range(ROUNDS):
        followed = actions[t][expected.argmax(axis=1), np.arange(REPETITIONS)]
        np.testing.assert_array_equal(leader.predict(), followed)
        leader.update(report_of(reports[t]))
        expected = np.zeros((REPETITIONS, LEARNERS))
        for since in range(t + 1):
            mean = reports[since : min(since + span, t + 1)].mean(axis=0)
            expected += np.take_along_axis(mean, actions[since].T, axis=-1)
        np.testing.assert_allclose(leader.totals, expected, atol=1e-12)


@each("span", [0, -1])
def test_a_span_below_one_round_is_refused(span):
    with pytest.raises(InputError, match="span"):
        SmoothedLeader([], LOCAL, span=span)
