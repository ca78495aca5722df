import numpy as np

from private_experts.learners import Recorded
from private_experts.randomness import rng_for
from tests.noisy import report_of


def test_it_replays_each_round_once_whatever_it_is_told():
    actions = rng_for(0, "test recorded").integers(0, 9, (6, 3, 4))
    recorded = Recorded(actions)
    assert recorded.shape == (4, None)
    for t in range(6):
        np.testing.assert_array_equal(recorded.predict(), actions[t])
        # asking does not go on, only an update does
        np.testing.assert_array_equal(recorded.predict(), actions[t])
        recorded.update(report_of(np.full((4, 9), float(t))))
