import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.errors import InputError
from private_experts.games import dynamic_regret, earned, interval_regret, static_regret, switches
from tests.each import each


@st.composite
def games(draw):
    """Gains (T, n) in eighths, whose sums are exact, and actions (T, ...)."""
    rounds, n = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    gains = draw(hnp.arrays(np.float64, (rounds, n), elements=st.integers(0, 8).map(lambda k: k / 8)))
    rest = draw(st.sampled_from([(), (1,), (3,), (2, 3)]))
    return gains, draw(hnp.arrays(np.intp, (rounds, *rest), elements=st.integers(0, n - 1)))


@settings(deadline=None, max_examples=20, derandomize=True)
@given(games())
def test_each_action_earns_the_gain_of_its_expert_in_its_round(game):
    gains, actions = game
    result = earned(gains, actions)
    assert result.shape == actions.shape
    for place, action in np.ndenumerate(actions):
        assert result[place] == gains[place[0], action]


@settings(deadline=None, max_examples=20, derandomize=True)
@given(games())
def test_static_regret_is_the_best_experts_total_less_what_was_earned(game):
    gains, actions = game
    result = static_regret(gains, actions)
    best = max(sum(gains[t, i] for t in range(len(gains))) for i in range(gains.shape[1]))
    assert np.shape(result) == actions.shape[1:]
    for place in np.ndindex(actions.shape[1:]):
        total = sum(gains[t, actions[(t, *place)]] for t in range(len(gains)))
        assert result[place] == best - total


@settings(deadline=None, max_examples=20, derandomize=True)
@given(games())
def test_switches_count_the_rounds_whose_action_is_not_the_one_before(game):
    _, actions = game
    result = switches(actions)
    assert np.shape(result) == actions.shape[1:]
    for place in np.ndindex(actions.shape[1:]):
        play = [int(actions[(t, *place)]) for t in range(len(actions))]
        assert result[place] == sum(play[t] != play[t - 1] for t in range(1, len(play)))


@each(
    ("actions", "message"),
    [
        (np.array([[0], [-1], [1]]), "-1 is among them: write numbers from 0 to 1"),
        (np.array([[0], [2], [1]]), "2 is among them: write numbers from 0 to 1"),
        (np.array([[0.0], [1.0], [1.0]]), "float64 of shape"),
        (np.zeros((1, 1), dtype=int), "write those of 3 rounds"),  # one round would be taken for all
        ([["0"], ["0"], ["0"]], "<U1 of shape"),
    ],
)
@each(
    "regret",
    [
        earned,
        static_regret,
        lambda *game: dynamic_regret(*game, 1),
        lambda *game: interval_regret(*game, [1]),
    ],
)
def test_actions_that_are_no_experts_or_not_of_all_rounds_are_refused(actions, message, regret):
    with pytest.raises(InputError, match=rf"^regret: actions.* {message}"):
        regret(np.full((3, 2), 0.5), actions)


def test_a_comparison_sequence_is_looked_at_too():
    with pytest.raises(InputError, match="-1 is among them"):
        dynamic_regret(np.full((2, 2), 0.5), np.zeros((2, 1), dtype=int), np.array([0, -1]))
    assert dynamic_regret(np.eye(2), np.zeros((2, 1), dtype=int), np.int64(1)).tolist() == [1.0]
