import numpy as np

from private_experts.learners import LinearFilters, Recorded, trend_weights
from private_experts.randomness import rng_for
from tests.noisy import told


def test_it_replays_each_round_once_whatever_it_is_told():
    actions = rng_for(0, "test recorded").integers(0, 9, (6, 3, 4))
    recorded = Recorded(actions)
    for t in range(6):
        np.testing.assert_array_equal(recorded.predict(), actions[t])
        np.testing.assert_array_equal(recorded.predict(), actions[t])  # asking does not go on, only an update does
        recorded.update(told(np.full((4, 9), float(t))))


def test_what_learners_did_is_replayed_in_place_of_the_learners():
    reports = rng_for(0, "test recorded", "reports").normal(size=(7, 2, 5))
    bank = LinearFilters(trend_weights, [(2, 1.0), (4, 0.1)], told(reports[0]))
    actions = []
    for report in reports:
        actions.append(bank.predict())
        bank.update(told(report))
    recorded = Recorded(np.array(actions))
    bank = LinearFilters(trend_weights, [(2, 1.0), (4, 0.1)], told(reports[0]))
    for report in reports:
        assert recorded.predict().shape == (2, 2)
        np.testing.assert_array_equal(recorded.predict(), bank.predict())
        bank.update(told(report))
        recorded.update(told(report))
