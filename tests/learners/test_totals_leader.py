"""The leader of noisy totals plays the largest sum of all reports, the first among them."""

import numpy as np

from private_experts.learners import TotalsLeader
from private_experts.randomness import rng_for
from tests.noisy import report_of


def test_the_largest_total_is_played_in_each_copy_one_by_one_or_many_at_once():
    values = rng_for(0, "totals").normal(size=(9, 3, 4))
    first, *reports = map(report_of, values)
    one_by_one, at_once, played = TotalsLeader(first), TotalsLeader(first), []
    assert at_once.shape == (3, 4)
    together = at_once.play_known(reports)
    for report in reports:
        played.append(one_by_one.predict())
        one_by_one.update(report)
    expected = values.cumsum(axis=0).argmax(axis=2)
    np.testing.assert_array_equal(played, expected[:-1])
    np.testing.assert_array_equal(together, expected[:-1])
    np.testing.assert_array_equal(at_once.predict(), expected[-1])
