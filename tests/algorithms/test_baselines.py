import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import FollowTheLeader, TreeFTPL, Uniform
from private_experts.algorithms.central import smallest, unchecked
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import GaussianDP, SimulatedNoise
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


class Noting(FollowTheLeader):
    """It takes a note of each round."""

    def update(self, gains):
        self.noted = getattr(self, "noted", 0) + 1
        super().update(gains)


def test_an_update_of_its_own_or_gains_in_another_unit_are_not_passed_over():
    given = {"horizon": 9, "sensitivity": 1.0, "noise": SimulatedNoise(0), "scale": "min_noise"}
    level, units = GaussianDP(np.inf, "central"), (None, (0.0, 1.0), (0.0, 2.0))
    taken = [FollowTheLeader(2), *(TreeFTPL(2, level, bounds=unit, **given) for unit in units), Noting(2)]
    assert [unchecked(it) is not None for it in taken] == [True, True, True, False, False]
    leader = FollowTheLeader(2)
    assert unchecked(leader) == leader.update_unchecked


def test_a_long_game_in_turn_has_all_of_its_rounds():
    for rounds in (0, 5, 1024, 1030):
        gains = np.tile(np.eye(2)[rounds % 2], (rounds, 1))
        noting = Noting(2)
        actions = play(noting, gains)
        assert len(actions) == rounds
        assert getattr(noting, "noted", 0) == rounds
        np.testing.assert_array_equal(actions[1:], rounds % 2)


def test_experts_may_be_whole_floats_and_nothing_between():
    for named in ([0.0, 3.0], [0.0, 127.0], [0, 3], [[2], [0]]):
        found = smallest(FollowTheLeader(128), named)
        np.testing.assert_array_equal(found, named)
        assert found.dtype == np.int8
    assert smallest(FollowTheLeader(129), [0, 3]).dtype == np.int16
    with pytest.raises(InputError, match=r"^play: FollowTheLeader plays 0\.5, and experts are whole numbers"):
        smallest(FollowTheLeader(4), [1.0, 0.5])
