import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import FollowTheLeader, Uniform
from private_experts.games import play
from private_experts.randomness import rng_for


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
    """The battery looks whether it is uniform, and drawn afresh in each round and copy."""
    first, second = (
        play(Uniform(4, rng=rng_for(1), repetitions=5), gains) for gains in (np.zeros((20, 4)), np.eye(20, 4))
    )
    np.testing.assert_array_equal(first, second)
