import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.games import earned, static_regret, switches


@st.composite
def games(draw):
    """Gains (T, n) in eighths, whose sums are exact, and actions (T, ...)."""
    rounds, n = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    gains = draw(hnp.arrays(np.float64, (rounds, n), elements=st.integers(0, 8).map(lambda k: k / 8)))
    rest = draw(st.sampled_from([(), (1,), (3,), (2, 3)]))
    return gains, draw(hnp.arrays(np.intp, (rounds, *rest), elements=st.integers(0, n - 1)))


@settings(deadline=None, max_examples=80, derandomize=True)
@given(games())
def test_each_action_earns_the_gain_of_its_expert_in_its_round(game):
    gains, actions = game
    result = earned(gains, actions)
    assert result.shape == actions.shape
    for place, action in np.ndenumerate(actions):
        assert result[place] == gains[place[0], action]


@settings(deadline=None, max_examples=80, derandomize=True)
@given(games())
def test_static_regret_is_the_best_experts_total_less_what_was_earned(game):
    gains, actions = game
    result = static_regret(gains, actions)
    best = max(sum(gains[t, i] for t in range(len(gains))) for i in range(gains.shape[1]))
    assert np.shape(result) == actions.shape[1:]
    for place in np.ndindex(actions.shape[1:]):
        total = sum(gains[t, actions[(t, *place)]] for t in range(len(gains)))
        assert result[place] == best - total


@settings(deadline=None, max_examples=80, derandomize=True)
@given(games())
def test_switches_count_the_rounds_whose_action_is_not_the_one_before(game):
    _, actions = game
    result = switches(actions)
    assert np.shape(result) == actions.shape[1:]
    for place in np.ndindex(actions.shape[1:]):
        play = [int(actions[(t, *place)]) for t in range(len(actions))]
        assert result[place] == sum(play[t] != play[t - 1] for t in range(1, len(play)))
