import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from private_experts.algorithms import FollowTheLeader, Uniform
from private_experts.games import play
from private_experts.randomness import rng_for

FALSE_ALARM = 1e-6


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
        elements=st.integers(0, 8).map(lambda k: k / 8),  # their sums are exact, so ties are true ties
    )
)
def test_follow_the_leader_plays_the_first_expert_with_the_largest_total_before_the_round(gains):
    actions = play(FollowTheLeader(gains.shape[1], repetitions=3), gains)
    for t, row in enumerate(actions):
        totals = [sum(gains[:t, i].tolist()) for i in range(gains.shape[1])]
        assert row.tolist() == [totals.index(max(totals))] * 3


def test_uniform_choice_ignores_the_gains():
    first, second = (
        play(Uniform(4, rng=rng_for(1), repetitions=5), gains) for gains in (np.zeros((20, 4)), np.eye(20, 4))
    )
    np.testing.assert_array_equal(first, second)


def test_uniform_choice_is_uniform_and_drawn_afresh_each_round():
    # All pairs of consecutive actions are equally likely, and so are all pairs of neighbouring repetitions.
    actions = play(Uniform(3, rng=rng_for(0, "test uniform"), repetitions=5000), np.zeros((2, 3)))
    in_time = np.bincount(3 * actions[0] + actions[1], minlength=9)
    across = np.bincount(3 * actions[0, ::2] + actions[0, 1::2], minlength=9)
    for counts in (in_time, across):
        assert stats.chisquare(counts).pvalue > FALSE_ALARM / 2
